"""The graph of calls around a function: the nearest functions first, and of those that are equally near the ones that most of
what is drawn has to do with. What is not drawn is counted at its neighbour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from flowmap.model.graph import CutKind, Graph, GraphCut, GraphKind, NodeRole
from flowmap.model.program import Confidence, Definition, DefinitionKind
from flowmap.reports.graph_parts import GraphQuestion, Wing, cut_of, edges_of, node_of, stable_id, whole_graph, with_clusters
from flowmap.reports.paths import PathsQuestion, ways
from flowmap.reports.phrases import short_name
from flowmap.reports.subjects import find, with_constructors, with_own_constructors
from flowmap.store.index import Index
from flowmap.store.modules import entry_reasons
from flowmap.store.sites import callees, callers, sites_of

_FUNCTIONS = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY, DefinitionKind.LAMBDA)
_DEPTH = {Wing.BOTH: 2, Wing.UP: 4, Wing.DOWN: 3}
_Next = Callable[[Iterable[int], Confidence], Mapping[int, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class _Side:
    """One wing: who is next to a function, which of them are drawn, how far it goes, and how it is spoken of."""

    next_to: _Next
    drawn: Callable[[Definition], bool]
    depth: int
    sign: int
    kind: CutKind


def call_graph(index: Index, question: GraphQuestion) -> Graph:
    """Who runs a function and what it runs, as far as there is room.

    Errors: FlowmapError when the name is unknown or ambiguous.
    """
    subject = find(index, question.name)
    sides = _sides(index, question)
    roots = _roots(index, subject, question.wing)
    levels = _levels(index, roots, sides, question)
    shown = dict(zip(levels, index.definitions(levels), strict=True))
    cuts, n_left_out = _cuts(index, levels, sides, question.confidence)
    entries = entry_reasons(index, shown.values())
    edges = edges_of(index, sites_of(index, shown.values(), question.confidence), shown, question.detail)
    nodes = [
        replace(
            node_of(index, one, levels[number], _role(one, roots, entries)),
            notes=tuple(f"entry point: {why}" for why in entries.get(number, ())),
            cuts=cuts.get(number, ()),
        )
        for number, one in shown.items()
    ]
    graph = whole_graph(GraphKind.CALLS, f"calls around {short_name(subject[0])}", nodes, edges, n_left_out)
    return with_clusters(graph, shown.values())


def path_graph(index: Index, question: PathsQuestion) -> Graph:
    """The shortest ways from one function to another, in one graph.

    Errors: FlowmapError when a name is unknown or ambiguous, or no way leads there.
    """
    found = ways(index, question)
    levels = {number: level for path in reversed(found.paths) for level, number in enumerate(path)}
    shown = dict(zip(levels, index.definitions(levels), strict=True))
    sites = {site.id: site for sites in found.edges.values() for site in sites}
    steps = {(stable_id("n", shown[start].symbol), stable_id("n", shown[end].symbol)) for start, end in found.edges}
    edges = [edge for edge in edges_of(index, sites.values(), shown, question.detail) if (edge.start, edge.end) in steps]
    ends = {number for path in found.paths for number in (path[0], path[-1])}
    nodes = [
        node_of(index, one, levels[number], NodeRole.SUBJECT if number in ends else NodeRole.OTHER)
        for number, one in shown.items()
    ]
    title = f"from {short_name(found.start[0])} to {short_name(found.end[0])}"
    return with_clusters(whole_graph(GraphKind.PATHS, title, nodes, edges, 0), shown.values())


def _roots(index: Index, subject: Sequence[Definition], wing: Wing) -> tuple[Definition, ...]:
    """The definitions asked about; of a class its constructors too."""
    up = with_own_constructors(index, subject) if wing is not Wing.DOWN else ()
    down = with_constructors(index, subject) if wing is not Wing.UP else ()
    return tuple({one.id: one for one in (*up, *down)}.values())


def _sides(index: Index, question: GraphQuestion) -> tuple[_Side, ...]:
    depth = question.depth or _DEPTH[question.wing]
    up = _Side(
        lambda ids, strength: callers(index, ids, strength),
        lambda one: one.kind is not DefinitionKind.EXTERNAL,
        depth,
        -1,
        CutKind.CALLERS,
    )
    down = _Side(
        lambda ids, strength: callees(index, ids, strength),
        lambda one: one.kind in _FUNCTIONS,
        depth,
        1,
        CutKind.CALLEES,
    )
    return {Wing.UP: (up,), Wing.DOWN: (down,), Wing.BOTH: (up, down)}[question.wing]


def _levels(index: Index, roots: Sequence[Definition], sides: Sequence[_Side], question: GraphQuestion) -> dict[int, int]:
    """How far from the roots each function is that is drawn; below 0 what leads to them. Two wings share the room: what the one
    does not need the other has."""
    room = max(question.n_nodes - len(roots), 0)
    wanted = [len(_nearest(index, roots, side, room, question.confidence)) for side in sides]
    found = {root.id: 0 for root in roots}
    for number, side in enumerate(sides):
        others = sum(wanted) - wanted[number]
        share = max(room - others, room // len(sides))
        for one, level in _nearest(index, roots, side, share, question.confidence).items():
            found.setdefault(one, side.sign * level)
    return found


def _nearest(index: Index, roots: Sequence[Definition], side: _Side, room: int, confidence: Confidence) -> dict[int, int]:
    """The functions next to the roots, up to `room` of them, each with its level from 1."""
    seen = {root.id for root in roots}
    border, level, found = [root.id for root in roots], 0, dict[int, int]()
    while border and level < side.depth and len(found) < room:
        level += 1
        met = _met(side, border, seen, confidence)
        known = index.known(met)
        ranked = [number for number in met if side.drawn(known[number])]
        border = ranked[: room - len(found)]
        found.update(dict.fromkeys(border, level))
        seen.update(border)
    return found


def _met(side: _Side, border: Sequence[int], seen: set[int], confidence: Confidence) -> list[int]:
    """What is next to the border and not yet seen: first what much of the border has to do with, then what is proven, then in the
    order of the source."""
    ties: dict[int, int] = {}
    near = side.next_to(border, confidence)
    for one in border:
        for each in near.get(one, ()):
            if each not in seen:
                ties[each] = ties.get(each, 0) + 1
    proven = {each for found in side.next_to(border, Confidence.PROVEN).values() for each in found}
    return sorted(ties, key=lambda each: (-ties[each], each not in proven))


def _cuts(
    index: Index, levels: Mapping[int, int], sides: Sequence[_Side], confidence: Confidence
) -> tuple[dict[int, tuple[GraphCut, ...]], int]:
    """For each function that is drawn what is next to it, on its side, and is not drawn; and how many those are together."""
    cuts: dict[int, tuple[GraphCut, ...]] = {}
    left_out: set[int] = set()
    for side in sides:
        own = [number for number, level in levels.items() if level * side.sign >= 0]
        near = side.next_to(own, confidence)
        known = index.known({each for found in near.values() for each in found} | set(own))
        for one in own:
            missing = {each for each in near.get(one, ()) if each not in levels and side.drawn(known[each])}
            left_out |= missing
            command, told = f"flowmap {side.kind.value} {known[one].symbol}", (short_name(known[each]) for each in missing)
            cuts[one] = (*cuts.get(one, ()), *cut_of(side.kind, len(missing), command, told))
    return cuts, len(left_out)


def _role(one: Definition, roots: Sequence[Definition], entries: Mapping[int, object]) -> NodeRole:
    if any(root.id == one.id for root in roots):
        return NodeRole.SUBJECT
    return NodeRole.ENTRY if one.id in entries else NodeRole.OTHER
