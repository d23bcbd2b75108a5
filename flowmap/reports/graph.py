"""`flowmap graph`: finds what is asked about, makes its graph, and tells it in text: every picture has this twin."""

from __future__ import annotations

from collections.abc import Iterator

from flowmap.model.graph import EdgeKind, Graph, GraphCut, GraphEdge, GraphKind, GraphNode, GraphRow, NodeKind, NodeRole, RowKind
from flowmap.model.program import Confidence, DefinitionKind
from flowmap.model.view import Block, Line, Role, Span, Tree, TreeNode, View
from flowmap.reports.graph_calls import call_graph
from flowmap.reports.graph_classes import class_graph, mixin_graph
from flowmap.reports.graph_control import control_graph
from flowmap.reports.graph_modules import module_graph
from flowmap.reports.graph_parts import GraphQuestion
from flowmap.reports.graph_state import state_graph
from flowmap.reports.phrases import GAP, LEGEND, Detail, blank, count, heading, mark, note
from flowmap.reports.subjects import find
from flowmap.store.accesses import field_names
from flowmap.store.classes import hosts
from flowmap.store.index import Index
from flowmap.store.names import named

_KINDS = {
    GraphKind.CALLS: call_graph,
    GraphKind.CLASSES: class_graph,
    GraphKind.MIXINS: mixin_graph,
    GraphKind.MODULES: module_graph,
    GraphKind.CONTROL: control_graph,
    GraphKind.STATE: state_graph,
}
_OF_DEFINITION = {DefinitionKind.CLASS: GraphKind.CLASSES, DefinitionKind.MODULE: GraphKind.MODULES}
_VERBS = {
    GraphKind.CALLS: ("runs", "What leads to it", "What it leads to"),
    GraphKind.PATHS: ("runs", "", "Ways"),
    GraphKind.CLASSES: ("inherits", "Bases", "Subclasses"),
    GraphKind.MIXINS: ("is part of", "Is made of", "Hosts"),
    GraphKind.MODULES: ("imports", "Importers", "Imported"),
    GraphKind.CONTROL: ("", "", "Blocks"),
    GraphKind.STATE: ("leads to", "Where its values come from", "Where they go"),
    GraphKind.QUERY: ("leads to", "", "Found"),
}


def graph(index: Index, question: GraphQuestion, kind: GraphKind | None) -> Graph:
    """The graph of a kind; where none is said, the one that suits the name: classes of a class, imports of a file, the state of a
    field, else calls.

    Errors: FlowmapError when the name is unknown, ambiguous, or nothing of which there is such a graph.
    """
    return _KINDS[kind or _suited(index, question.name)](index, question)


def graph_view(index: Index, drawn: Graph, detail: Detail = Detail.BRIEF) -> View:
    """The text twin of a graph: each node with its place, and below it what leads on from it, with the guards; in full every
    place with all that is said of it."""
    title: Line = (
        Span(drawn.title, Role.HEADING),
        GAP,
        note(f"{count(len(drawn.nodes), 'node')}, {count(len(drawn.edges), 'edge')}"),
    )
    legend = (LEGEND,) if any(edge.confidence is not Confidence.PROVEN for edge in drawn.edges) else ()
    return View(title, tuple(_blocks(drawn, detail)), drawn, index.source, (*drawn.notes, *legend))


def _suited(index: Index, text: str) -> GraphKind:
    if _is_field(index, text):
        return GraphKind.STATE
    found = find(index, text)
    if found[0].kind is DefinitionKind.EXTERNAL and hosts(index, found[0]):
        return GraphKind.CLASSES
    return _OF_DEFINITION.get(found[0].kind, GraphKind.CALLS)


def _is_field(index: Index, text: str) -> bool:
    """Whether a name means a field, and no function, class or module has it."""
    if ":" in text or text.rpartition(".")[2] not in field_names(index):
        return False
    return all(each.kind is DefinitionKind.ATTRIBUTE for each in named(index, text))


_TURNS = {
    EdgeKind.NEXT: "then ",
    EdgeKind.HOLDS: "if so ",
    EdgeKind.FAILS: "if not ",
    EdgeKind.AGAIN: "again ",
    EdgeKind.RAISES: "on an exception ",
}


def _blocks(drawn: Graph, detail: Detail) -> Iterator[Block]:
    if drawn.kind is GraphKind.CONTROL:
        yield blank()
        yield Tree(tuple(_told(drawn, node, detail) for node in drawn.nodes))
        return
    _, above, below = _VERBS[drawn.kind]
    parts = (
        ("What was asked", [node for node in drawn.nodes if node.role is NodeRole.SUBJECT]),
        (above, [node for node in reversed(drawn.nodes) if node.level < 0]),
        (below, [node for node in drawn.nodes if node.level >= 0 and node.role is not NodeRole.SUBJECT]),
    )
    for title, nodes in parts:
        if nodes:
            yield blank()
            yield heading(title, str(len(nodes)))
            yield Tree(tuple(_told(drawn, node, detail) for node in nodes))


def _told(drawn: Graph, node: GraphNode, detail: Detail) -> TreeNode:
    names = {each.id: each for each in drawn.nodes}
    children = [_edge(drawn, edge, names[edge.end], detail) for edge in drawn.edges if edge.start == node.id]
    children += [_cut(node, cut, detail) for cut in node.cuts]
    place: Line = (GAP, Span(node.at, Role.PLACE, node.place)) if node.at else ()
    place = place if node.place or isinstance(node.kind, NodeKind) else (GAP, note("outside the index"))
    notes = tuple(span for text in node.notes for span in (GAP, note(text)))
    below = tuple(line for row in node.rows for line in _row(row, detail))
    return TreeNode((Span(node.label, Role.SYMBOL, node.place), *place, *notes), tuple(children), below)


def _cut(node: GraphNode, cut: GraphCut, detail: Detail) -> TreeNode:
    """What is cut, as a link to where it is told; in full with its names."""
    left = cut.number - len(cut.names)
    names = (*cut.names, *((f"and {left} more",) if left else ())) if cut.names and detail is Detail.FULL else ()
    below = tuple((note(name),) for name in names)
    return TreeNode((Span(str(cut), Role.SYMBOL, node.place), note(f": {cut.command}")), (), below)


def _row(row: GraphRow, detail: Detail) -> Iterator[Line]:
    """A line inside a node; in full with all that is said of it."""
    if row.kind is RowKind.CALL:
        yield (GAP, Span(row.text, Role.SYMBOL, row.place), *((GAP, Span(row.at, Role.PLACE, row.place)) if row.at else ()))
    else:
        yield (Span(row.text, Role.CODE, row.place),)
    if detail is Detail.FULL:
        yield from ((GAP, GAP, note(text)) for text in row.details)


def _edge(drawn: Graph, edge: GraphEdge, end: GraphNode, detail: Detail) -> TreeNode:
    verb = _TURNS.get(edge.kind) or f"{_VERBS[drawn.kind][0]} "
    place: Line = (GAP, Span(edge.at, Role.PLACE, edge.place)) if edge.place and drawn.kind is not GraphKind.CONTROL else ()
    label: Line = (GAP, Span(edge.label, Role.GUARD)) if edge.label else ()
    below = tuple((note(text),) for text in edge.details) if detail is Detail.FULL else ()
    return TreeNode((note(verb), *mark(edge.confidence), Span(end.label, Role.SYMBOL, end.place), *place, *label), (), below)
