"""Nodes, edges and clusters of graphs, made from definitions and call sites. Ids depend on symbols alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from flowmap.model.graph import CutKind, EdgeKind, Graph, GraphCluster, GraphCut, GraphEdge, GraphKind, GraphNode, NodeRole
from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, DefinitionKind, Site, SiteKind, Target
from flowmap.reports.abridged import abridged
from flowmap.reports.calls_down import evidence_lines
from flowmap.reports.phrases import Detail, all_guards, count, short_name
from flowmap.store.index import Index

MOST_NODES = 70
_LONGEST_LABEL = 28
_SAYS_LITTLE = 8  # characters: `if …`
_N_DETAILS = 8
_SAYS_NOTHING = ("try", "while True", "else")
_N_NAMES = 60
_NOUNS = {  # of one, of many
    CutKind.CALLERS: ("caller", "callers"),
    CutKind.CALLEES: ("callee", "callees"),
    CutKind.SUBCLASSES: ("subclass", "subclasses"),
    CutKind.HOSTS: ("host", "hosts"),
    CutKind.IMPORTERS: ("importer", "importers"),
    CutKind.IMPORTED: ("imported module", "imported modules"),
    CutKind.FUNCTIONS: ("function", "functions"),
    CutKind.BLOCKS: ("block", "blocks"),
    CutKind.BLOCKS_BESIDE: ("block next to it", "blocks next to it"),
}
_STRENGTH = tuple(Confidence)
_ID_BYTES = 6
_Place = tuple[Site, Target]  # where something may run, and what of it the edge leads to


class Wing(StrEnum):
    """Which way a graph looks from what was asked."""

    UP = "up"
    DOWN = "down"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """What a graph is about. `depth` is None for what suits the kind; `n_nodes` is how many are drawn at most."""

    name: str
    wing: Wing
    depth: int | None
    confidence: Confidence
    n_nodes: int = MOST_NODES
    detail: Detail = Detail.BRIEF  # FULL: edges say the evidence, too


def stable_id(letter: str, *texts: str) -> str:
    """The same name for the same texts, in every index."""
    return letter + hashlib.blake2b("\0".join(texts).encode("utf-8", "backslashreplace"), digest_size=_ID_BYTES).hexdigest()


def at(index: Index, place: Place | None) -> str:
    """A place in short, "" for none."""
    return f"{index.short_paths[place.file]}:{place.line}" if place else ""


def node_of(index: Index, one: Definition, level: int, role: NodeRole = NodeRole.OTHER) -> GraphNode:
    """The node of a definition, which says itself whether it stands outside the index."""
    outside = one.kind is DefinitionKind.EXTERNAL
    return GraphNode(
        id=stable_id("n", one.symbol),
        symbol=one.symbol,
        label=short_name(one),
        kind=one.kind,
        role=NodeRole.OUTSIDE if outside and role is NodeRole.OTHER else role,
        place=one.place,
        at=at(index, one.place),
        cluster=stable_id("c", one.module) if one.module else "",
        level=level,
    )


def clusters_of(definitions: Iterable[Definition]) -> tuple[GraphCluster, ...]:
    """The modules of the definitions, by name."""
    return tuple(GraphCluster(stable_id("c", name), name) for name in sorted({one.module for one in definitions if one.module}))


def edges_of(index: Index, sites: Iterable[Site], shown: Mapping[int, Definition], detail: Detail) -> tuple[GraphEdge, ...]:
    """An edge for each pair of shown functions of which one may run or make the other, in the order of the source."""
    found: dict[tuple[str, str], list[_Place]] = {}
    for site in sites:
        for target in {each.definition.symbol: each for each in (*site.makes, *site.targets)}.values():
            if target.definition.id in shown and site.caller.id in shown:
                found.setdefault((site.caller.symbol, target.definition.symbol), []).append((site, target))
    return tuple(_edge(index, ends, places, detail) for ends, places in found.items())


def cut_of(kind: CutKind, number: int, command: str, names: Iterable[str] = ()) -> tuple[GraphCut, ...]:
    """What is not drawn, in words; nothing for none."""
    if not number:
        return ()
    return (GraphCut(number, _NOUNS[kind][number != 1], command, kind, tuple(sorted(names)[:_N_NAMES])),)


def whole_graph(kind: GraphKind, title: str, nodes: Iterable[GraphNode], edges: Sequence[GraphEdge], n_left_out: int) -> Graph:
    """A graph without its clusters: nodes of one symbol once, by level and name."""
    once = {node.id: node for node in sorted(nodes, key=lambda node: node.role is NodeRole.SUBJECT)}
    ordered = sorted(once.values(), key=lambda node: (node.level, node.symbol))
    what = f"not drawn: {count(n_left_out, 'node')} next to these, counted where they belong; --depth, --nodes, --up, --down"
    notes = (what,) if n_left_out else ()
    return Graph(kind, title, tuple(ordered), tuple(edges), (), n_left_out, notes)


def with_clusters(graph: Graph, definitions: Iterable[Definition]) -> Graph:
    """The graph with the modules of these definitions around its nodes."""
    return replace(graph, clusters=clusters_of(definitions))


def _edge(index: Index, ends: tuple[str, str], places: Sequence[_Place], detail: Detail) -> GraphEdge:
    sites = [site for site, _ in places]
    start, end = (stable_id("n", symbol) for symbol in ends)
    kind = EdgeKind.BORDER if all(site.kind is SiteKind.BORDER for site in sites) else EdgeKind.CALL
    more = (f"and {count(len(sites) - _N_DETAILS, 'more site')}",) if len(sites) > _N_DETAILS else ()
    return GraphEdge(
        id=stable_id("e", *ends),
        start=start,
        end=end,
        kind=kind,
        confidence=min((target.confidence for _, target in places), key=_STRENGTH.index),
        label=_label(sites),
        details=(*(line for place in places[:_N_DETAILS] for line in site_details(index, *place, detail)), *more),
        place=sites[0].place,
        at=at(index, sites[0].place),
    )


def _label(sites: Sequence[Site]) -> str:
    """What has to hold nearest to the call; of several calls, how many they are."""
    if len(sites) > 1:
        return f"{len(sites)} calls"
    (site,) = sites
    border = [site.reason] if site.kind is SiteKind.BORDER and site.reason else []
    guards = [*site.guards, *site.expr_guards]
    telling = [*border, *(guard for guard in reversed(guards) if guard not in _SAYS_NOTHING)]
    if not telling:
        return ""
    whole = " ".join(telling[0].split())
    short = abridged(whole, _LONGEST_LABEL)
    return short if len(short) > _SAYS_LITTLE else abridged(whole, 2 * _LONGEST_LABEL)


def site_details(index: Index, site: Site, target: Target, detail: Detail) -> Iterator[str]:
    """A line for a site, and below it why what is called may run there, when that is asked for."""
    yield _said(index, site)
    if detail is Detail.FULL:
        yield from (f"  {''.join(span.text for span in line)}" for line in evidence_lines(index, target))


def _said(index: Index, site: Site) -> str:
    guards = ["".join(span.text for span in line) for line in all_guards(site, Detail.FULL)]
    how = [] if site.kind is SiteKind.CALL else [f"({site.kind.value}{': ' + site.reason if site.reason else ''})"]
    return "  ".join([at(index, site.place), *how, *guards])
