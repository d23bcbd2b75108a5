"""What runs only through a function: the dominator tree of the calls.

As networkx makes it: K. D. Cooper, T. J. Harvey and K. Kennedy, A simple, fast dominance algorithm, 2001.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import networkx as nx

from flowmap.hooks.calls import Calls

_OUTSIDE = -1  # what runs the entry points


@dataclass(frozen=True, slots=True)
class Dominators:
    """For each definition those that it dominates immediately."""

    children: Mapping[int, tuple[int, ...]]

    def dominated_by(self, function: int) -> frozenset[int]:
        """The function and all that would not run without it."""
        found, waiting = {function}, [function]
        while waiting:
            below = self.children.get(waiting.pop(), ())
            found.update(below)
            waiting.extend(below)
        return frozenset(found)


def dominators(calls: Calls, entries: Collection[int]) -> Dominators:
    """The dominator tree of all that some entry points run."""
    within = calls.reached(entries)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_edges_from((_OUTSIDE, entry) for entry in sorted(entries))
    graph.add_edges_from((caller, callee) for caller in sorted(within) for callee in calls.callees(caller))
    children: dict[int, list[int]] = {}
    for node, parent in nx.immediate_dominators(graph, _OUTSIDE).items():
        if node != _OUTSIDE:
            children.setdefault(parent, []).append(node)
    return Dominators({node: tuple(below) for node, below in children.items()})
