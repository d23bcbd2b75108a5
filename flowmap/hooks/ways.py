"""The ways from entry points down to operations: which share of them passes through a function."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import networkx as nx

from flowmap.hooks.calls import Calls


def shares(calls: Calls, entries: Collection[int], operations: Collection[int], within: Collection[int]) -> Mapping[int, float]:
    """For each definition of `within` the share of the ways that would be gone without it, from 0 to 1.

    What runs each other counts as one place. The ways are counted over the acyclic graph of the strongly connected parts, once
    for each definition; `within` is what leads to the operations: a few dozen at most.
    """
    edges = [(caller, callee) for caller in sorted(within) for callee in calls.callees(caller) if callee in within]
    total = _n_ways(edges, entries, operations)
    return {one: 1 - _n_ways(_without(edges, one), entries, operations, one) / total if total else 0.0 for one in within}


def _without(edges: Iterable[tuple[int, int]], one: int) -> list[tuple[int, int]]:
    return [edge for edge in edges if one not in edge]


def _n_ways(edges: Iterable[tuple[int, int]], entries: Iterable[int], operations: Iterable[int], left_out: int = -1) -> int:
    """The number of ways from the entries to the operations, over the acyclic graph of the strongly connected parts."""
    starts, ends = {one for one in entries if one != left_out}, {one for one in operations if one != left_out}
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(sorted(starts | ends))
    graph.add_edges_from(edges)
    parts = nx.condensation(graph)
    part_of = parts.graph["mapping"]
    found: dict[int, int] = {}
    for part in nx.topological_sort(parts):
        begins = part in {part_of[one] for one in starts}
        found[part] = begins + sum(found[each] for each in parts.predecessors(part))
    return sum(found[part_of[one]] for one in ends)
