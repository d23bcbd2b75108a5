"""The graphs of classes: bases and subclasses with the order in which Python asks them, and the classes that a mixin ends in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from flowmap.model.graph import CutKind, EdgeKind, Graph, GraphCut, GraphEdge, GraphKind, NodeRole
from flowmap.model.program import Confidence, Definition
from flowmap.reports.class_orders import HostsRecord, hosts_of
from flowmap.reports.graph_parts import GraphQuestion, Wing, at, cut_of, node_of, stable_id, whole_graph, with_clusters
from flowmap.reports.phrases import Detail, ordinal, short_name
from flowmap.reports.subjects import find_class_or_base
from flowmap.store.classes import hosts, orders
from flowmap.store.index import Index

_OBJECT = "ext:builtins.object"
_Direct = Mapping[int, Sequence[Definition]]


def class_graph(index: Index, question: GraphQuestion) -> Graph:
    """A class, what it inherits and what inherits it, the nearest first; each class of its order says its position.

    Errors: FlowmapError when there is no such class.
    """
    one = find_class_or_base(index, question.name)
    order = _without_object(orders(index, [one]).get(one.id, (one,)))
    above = order[1:] if question.wing is not Wing.DOWN else ()
    below = hosts(index, one) if question.wing is not Wing.UP else ()
    direct = _direct(index, (one, *above, *below))
    levels = _levels(one, (above, below), direct, question)
    known = {each.id: each for each in (one, *above, *below)}
    shown = {number: known[number] for number in levels}
    left_out = [each for each in below if each.id not in shown]
    positions = {each.id: number for number, each in enumerate(order, start=1)} if len(order) > 1 else {}
    nodes = [
        replace(
            node_of(index, each, levels[number], NodeRole.SUBJECT if each is one else NodeRole.OTHER),
            notes=(f"{ordinal(positions[number])} in the class order",) if number in positions and above else (),
            cuts=_cuts(each, left_out, direct),
        )
        for number, each in shown.items()
    ]
    edges = [
        _edge(index, (shown[number], base), EdgeKind.INHERITS, ("", ()))
        for number in shown
        for base in direct.get(number, ())
        if base.id in shown
    ]
    graph = whole_graph(GraphKind.CLASSES, f"classes around {short_name(one)}", nodes, edges, len(left_out))
    told = {each.symbol: positions.get(each.id, len(order) + 1) for each in shown.values()}
    ordered = sorted(graph.nodes, key=lambda node: (node.level, told[node.symbol]))  # level by level as Python asks them
    return with_clusters(replace(graph, nodes=tuple(ordered)), shown.values())


def mixin_graph(index: Index, question: GraphQuestion) -> Graph:
    """The classes that a class ends in, and those that end in it, each edge with the position in the order.

    Errors: FlowmapError when there is no such class.
    """
    one = find_class_or_base(index, question.name)
    record = hosts_of(index, question.name, Detail.BRIEF).record
    assert isinstance(record, HostsRecord)
    ends_in = list(zip(hosts(index, one), record.hosts, strict=True)) if question.wing is not Wing.UP else []
    order = orders(index, [one]).get(one.id, ())
    parts = _without_object(order)[1:] if question.wing is not Wing.DOWN else ()
    room = max(question.n_nodes - 1 - len(parts), 0)
    left_out = [short_name(host) for host, _ in ends_in[room:]]
    cuts = cut_of(CutKind.HOSTS, len(left_out), f"flowmap hosts {one.symbol}", left_out)
    subject = replace(node_of(index, one, 0, NodeRole.SUBJECT), cuts=cuts)
    nodes = [subject, *(node_of(index, each, -1) for each in parts), *(node_of(index, host, 1) for host, _ in ends_in[:room])]
    edges = [
        _edge(index, (each, one), EdgeKind.PART, (f"{ordinal(number)} of {len(order)}", ()))
        for number, each in enumerate(parts, start=2)
    ]
    for host, told in ends_in[:room]:
        elsewhere = tuple(f"takes from elsewhere: {each.name} ({each.symbol})" for each in told.overridden)
        position = f"{ordinal(told.position)} of {told.n_classes}"
        edges.append(_edge(index, (one, host), EdgeKind.PART, (position, elsewhere)))
    graph = whole_graph(GraphKind.MIXINS, f"mixins around {short_name(one)}", nodes, edges, len(left_out))
    return with_clusters(graph, [one, *parts, *(host for host, _ in ends_in[:room])])


def _without_object(order: Sequence[Definition]) -> tuple[Definition, ...]:
    return tuple(each for each in order if each.symbol != _OBJECT)


def _direct(index: Index, classes: Iterable[Definition]) -> dict[int, tuple[Definition, ...]]:
    """The bases of each class that it does not have through another of its bases, in its order."""
    along = orders(index, classes)
    missing = {each.id: each for order in along.values() for each in order if each.id not in along}
    along = {**along, **orders(index, missing.values())}
    return {number: tuple(_nearest(_without_object(order[1:]), along)) for number, order in along.items()}


def _nearest(bases: Sequence[Definition], along: Mapping[int, Sequence[Definition]]) -> Iterator[Definition]:
    inherited = {each.id for base in bases for each in along.get(base.id, ())[1:]}
    return (base for base in bases if base.id not in inherited)


def _levels(
    one: Definition, wings: tuple[Sequence[Definition], Sequence[Definition]], direct: _Direct, question: GraphQuestion
) -> dict[int, int]:
    """How many steps of inheritance each class that is drawn is away: above the class below 0. Bases come first."""
    above, below = ({each.id for each in wing} for wing in wings)
    children: dict[int, list[int]] = {}
    for number, bases in direct.items():
        for base in bases:
            children.setdefault(base.id, []).append(number)
    bases_of = {number: [base.id for base in bases] for number, bases in direct.items()}
    found = {one.id: 0}
    for sign, near, wing in ((-1, bases_of, above), (1, children, below)):
        border, level = [one.id], 0
        while border and (question.depth is None or level < question.depth):
            level += 1
            met = dict.fromkeys(each for number in border for each in near.get(number, ()) if each in wing and each not in found)
            leading = sorted(met, key=lambda each: -len(children.get(each, ())))  # of those equally near, the ones that lead on
            border = leading[: max(question.n_nodes - len(found), 0)]
            found.update(dict.fromkeys(border, sign * level))
    return found


def _cuts(one: Definition, left_out: Iterable[Definition], direct: _Direct) -> tuple[GraphCut, ...]:
    """The direct subclasses of a class that are not drawn."""
    own = [short_name(each) for each in left_out if any(base.id == one.id for base in direct.get(each.id, ()))]
    return cut_of(CutKind.SUBCLASSES, len(own), f"flowmap hosts {one.symbol}", own)


def _edge(index: Index, ends: tuple[Definition, Definition], kind: EdgeKind, said: tuple[str, tuple[str, ...]]) -> GraphEdge:
    start, end = ends
    label, details = said
    place = (end if kind is EdgeKind.PART and end.place else start).place
    return GraphEdge(
        id=stable_id("e", kind, start.symbol, end.symbol),
        start=stable_id("n", start.symbol),
        end=stable_id("n", end.symbol),
        kind=kind,
        confidence=Confidence.PROVEN,
        label=label,
        details=details,
        place=place,
        at=at(index, place),
    )
