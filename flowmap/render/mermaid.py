"""A graph in the language of Mermaid, as Markdown pages show it. Texts of the indexed code stand in quotes, with every character
that Mermaid or a browser could read as markup as its number."""

from __future__ import annotations

from collections.abc import Iterator

from flowmap.model.graph import EdgeKind, Graph, GraphKind, GraphNode, NodeRole, RowKind
from flowmap.model.program import Confidence
from flowmap.render.node_lines import drawn_rows, lines_of
from flowmap.render.untrusted import plain

_ARROWS = {Confidence.PROVEN: "-->", Confidence.INFERRED: "-.->", Confidence.POSSIBLE: "-. ? .->"}
_LABELLED = {Confidence.PROVEN: '-- "{}" -->', Confidence.INFERRED: '-. "{}" .->', Confidence.POSSIBLE: '-. "? {}" .->'}
_TURNS = {  # how control goes on, where that is said by the line
    EdgeKind.FAILS: ("-.->", '-. "{}" .->'),
    EdgeKind.AGAIN: ("==>", '== "{}" ==>'),
    EdgeKind.RAISES: ('-. "raises" .->', '-. "raises: {}" .->'),
    EdgeKind.LATER: ('== "later" ==>', '== "later: {}" ==>'),
}
_INDENT = "#160;#160;"  # a line that belongs to the one above it
_SAFE = frozenset(" .,_-+()=/:→›…~*!?")
_DIRECTIONS = {GraphKind.CLASSES: "BT", GraphKind.CONTROL: "TB"}
_LEGEND = "dashed: inferred, ?: possible"
_LEGENDS = {GraphKind.CONTROL: "dashed: the test fails; thick: back to a loop"}
_STYLES = (
    "classDef subject stroke-width:4px",
    "classDef outside stroke-dasharray:4",
)


def mermaid(graph: Graph) -> str:
    """The graph as a Mermaid flowchart."""
    return "\n".join(_lines(graph))


def escaped(text: str) -> str:
    """A text that stands inside quotes and is shown as it is."""
    return "".join(char if char.isalnum() or char in _SAFE else f"#{ord(char)};" for char in plain(text))


def _lines(graph: Graph) -> Iterator[str]:
    yield f"%% {escaped(graph.title)}; {_LEGENDS.get(graph.kind, _LEGEND)}; thick border: what was asked"
    yield f"flowchart {_DIRECTIONS.get(graph.kind, 'LR')}"
    for cluster in graph.clusters:
        yield f'  subgraph {cluster.id}["{escaped(cluster.label)}"]'
        yield from (f"    {_node(node)}" for node in graph.nodes if node.cluster == cluster.id)
        yield "  end"
    yield from (f"  {_node(node)}" for node in graph.nodes if not node.cluster)
    for edge in graph.edges:
        label = f"border: {edge.label}" if edge.kind is EdgeKind.BORDER else edge.label
        bare, labelled = _TURNS.get(edge.kind) or (_ARROWS[edge.confidence], _LABELLED[edge.confidence])
        arrow = labelled.format(escaped(label)) if label else bare
        yield f"  {edge.start} {arrow} {edge.end}"
    yield from (f"  {style}" for style in _STYLES)
    for role in (NodeRole.SUBJECT, NodeRole.OUTSIDE):
        ids = ",".join(node.id for node in graph.nodes if node.role is role)
        if ids:
            yield f"  class {ids} {role.value}"


def _node(node: GraphNode) -> str:
    rows = (f"{_INDENT if row.kind is RowKind.CALL else ''}{escaped(row.label)}" for row in drawn_rows(node))
    text = "<br/>".join((*map(escaped, lines_of(node)), *rows))
    opening, closing = ('>"', '"]') if node.role is NodeRole.ENTRY else ('["', '"]')
    return f"{node.id}{opening}{text}{closing}"
