"""A graph in the language of Graphviz. Texts of the indexed code are quoted, so that none of them is read as markup, as an escape
or as an entity; what an edge or node is, is said by its shape and line as well as by its colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import cast

import graphviz

from flowmap.model.graph import CONTROL_EDGES, EdgeKind, Graph, GraphCluster, GraphEdge, GraphKind, GraphNode, NodeKind, NodeRole
from flowmap.model.place import Place
from flowmap.model.program import Confidence, DefinitionKind
from flowmap.render.dot_rows import table
from flowmap.render.node_lines import lines_of
from flowmap.render.untrusted import plain

# Boxes are laid out for letters that are an eighth wider than Arial's: what stands in for it elsewhere fits, too. In a picture
# `render/svg.py` sets the sizes that are meant.
_WIDE = {"node": "13", "cluster": "12", "edge": "10.5"}
_NO_WIDTH = "\u200b"
_FONT = "Arial"
_INK, _QUIET, _BLUE, _ORANGE = "#1b1f24", "#57606a", "#0b5cad", "#9a4a00"  # told apart in all common kinds of colour blindness
_EDGES = {
    Confidence.PROVEN: {"style": "solid", "color": _INK},
    Confidence.INFERRED: {"style": "dashed", "color": _BLUE},
    Confidence.POSSIBLE: {"style": "dotted", "color": _ORANGE},
}
_HEADS = {
    EdgeKind.CALL: "normal",
    EdgeKind.BORDER: "diamond",
    EdgeKind.INHERITS: "empty",
    EdgeKind.PART: "odiamond",
    EdgeKind.IMPORT: "vee",
    EdgeKind.NEXT: "normal",
    EdgeKind.HOLDS: "normal",
    EdgeKind.FAILS: "odot",
    EdgeKind.AGAIN: "normalnormal",
    EdgeKind.RAISES: "tee",
    EdgeKind.WRITES: "normal",
    EdgeKind.READS: "vee",
    EdgeKind.MOVES: "normal",
    EdgeKind.LATER: "normalnormal",
}
_TURNS = {  # instead of the line that says how sure a call is
    EdgeKind.FAILS: {"style": "dashed", "color": _INK},
    EdgeKind.AGAIN: {"style": "bold", "color": _BLUE},
    EdgeKind.RAISES: {"style": "dotted", "color": _ORANGE},
    EdgeKind.LATER: {"style": "bold,dashed", "color": _ORANGE},
}
_ROLES = {
    NodeRole.SUBJECT: {"penwidth": "3", "fillcolor": "#fff4d6"},
    NodeRole.ENTRY: {"shape": "cds", "fillcolor": "#e8f1fb"},
    NodeRole.OUTSIDE: {"style": "dashed"},
    NodeRole.OTHER: {},
    NodeRole.EXIT: {"shape": "oval"},
    NodeRole.RAISED: {"shape": "octagon"},
    NodeRole.DEAD: {"style": "dotted"},
    NodeRole.FOLDED: {"shape": "box3d"},
}
_SHAPES: dict[DefinitionKind | NodeKind, str] = {
    DefinitionKind.CLASS: "box",
    DefinitionKind.MODULE: "folder",
    NodeKind.FIELD: "hexagon",
}
_LEGENDS = {
    GraphKind.CALLS: "diamond: in another process, thread or task · pointed box: entry point",
    GraphKind.PATHS: "diamond: in another process, thread or task",
    GraphKind.CLASSES: "an arrow leads from a class to its base",
    GraphKind.MIXINS: "a line leads from a class to one that ends in it",
    GraphKind.MODULES: "an arrow leads from a module to what it imports",
    GraphKind.CONTROL: "solid: goes on, or the test holds · dashed with a dot: it fails"
    " · bold with two heads: back to a loop · dotted with a bar: an exception",
    GraphKind.STATE: "hexagon: a field · moves: under another name, or reckoned with"
    " · bold and dashed with two heads: in the next iteration, or in a later call · diamond: in another process",
    GraphKind.QUERY: "hexagon: a field · diamond: in another process, thread or task",
}
_LINES = "solid line: proven · dashed: inferred · dotted: possible"
_ONWARD = (EdgeKind.NEXT, EdgeKind.HOLDS, EdgeKind.FAILS, EdgeKind.RAISES)  # what comes first is the layout's business
_ROLES_TOLD = {
    NodeRole.SUBJECT: "thick border: what was asked",
    NodeRole.FOLDED: "box with depth: folded, with as many blocks as it says",
    NodeRole.DEAD: "dotted box: nothing leads there",
}
_UNSURE = (GraphKind.CALLS, GraphKind.PATHS, GraphKind.STATE, GraphKind.QUERY)
_MOST_ABREAST = 8  # classes in one row; of more a page would show nothing
Address = Callable[[Place | None], str]


def dot(graph: Graph, address: Address) -> str:
    """The graph's text for Graphviz. `address` gives the link of a place, "" for none."""
    drawn = graphviz.Digraph("flowmap")
    drawn.attr(
        rankdir="TB" if _stands(graph) else "LR",
        label=quoted(graph.title, *_legend(graph), "", end="\\l"),
        newrank="true",  # else some nests of clusters cannot be laid out
        labelloc="b",
        labeljust="l",
        fontname=_FONT,
        fontsize=_WIDE["node"],
        fontcolor=_QUIET,
        ranksep="0.6",
        nodesep="0.16",
        tooltip=hinted(graph.title),
        bgcolor="transparent",
    )
    drawn.attr("node", shape="box", style="rounded,filled", fillcolor="#ffffff", color=_QUIET, fontcolor=_INK, fontname=_FONT)
    drawn.attr("node", fontsize=_WIDE["node"], margin="0.14,0.06", height="0.3")
    drawn.attr("edge", fontname=_FONT, fontsize=_WIDE["edge"], fontcolor=_QUIET, arrowsize="0.7")
    places = {node.cluster: place for place, node in reversed(list(enumerate(graph.nodes)))}
    by_cluster = sorted(graph.nodes, key=lambda node: places[node.cluster])
    clusters = {cluster.id: cluster for cluster in graph.clusters}
    for number, nodes in groupby(by_cluster, key=lambda node: node.cluster):
        _add_nodes(drawn, clusters.get(number), list(nodes), address)
    names = {node.id: node for node in graph.nodes}
    for edge in graph.edges:
        start, end = names[edge.start], names[edge.end]
        attributes = _edge((start, end), edge, address)
        first, second = _port(start.id, edge.start_row), _port(end.id, edge.end_row)
        if edge.kind is EdgeKind.INHERITS or (start.level > end.level and edge.kind not in _ONWARD):
            drawn.edge(second, first, dir="back", arrowtail=_HEADS[edge.kind], **attributes)  # so nothing changes sides
        else:
            drawn.edge(first, second, arrowhead=_HEADS[edge.kind], **attributes)
    return str(drawn.source)


def _port(node: str, row: str) -> str:
    """A node, or a line in it."""
    return f"{node}:{row}" if row else node


def quoted(*lines: str, end: str = "\\n") -> str:
    """Lines as Graphviz shows them unchanged: nothing of them is an escape, an entity, or markup. `end` parts them, and says how
    they are justified."""
    return _joined([_escaped(line) for line in lines], end)


def hinted(*lines: str) -> str:
    """The same for tooltips and links. In them Graphviz puts names for `\\N` and its like even where that is escaped, so a blank
    without width follows each backslash."""
    return _joined([_escaped(line).replace("\\\\", f"\\\\{_NO_WIDTH}") for line in lines], "\\n")


def _escaped(line: str) -> str:
    return str(graphviz.escape(plain(line).replace("&", "&amp;")))


def _joined(lines: Sequence[str], end: str) -> str:
    return cast(str, graphviz.nohtml(end.join(lines)))  # a string of its own kind, which the package never takes for markup


def _stands(graph: Graph) -> bool:
    """Whether it is drawn from top to bottom, as text is read."""
    return graph.kind is GraphKind.CONTROL or (graph.kind is GraphKind.CLASSES and _widest(graph) <= _MOST_ABREAST)


def _widest(graph: Graph) -> int:
    """How many nodes the largest level has."""
    return max(Counter(node.level for node in graph.nodes).values(), default=0)


def _legend(graph: Graph) -> tuple[str, ...]:
    cut = (f"+N on a node: cut, {graph.n_left_out} in all",) if graph.n_left_out else ()
    lines = (_LINES,) if graph.kind in _UNSURE else ()
    roles = {node.role for node in graph.nodes}
    told = (text for role, text in _ROLES_TOLD.items() if role in roles)
    return tuple(filter(None, (*lines, " · ".join((*told, *cut)), _LEGENDS[graph.kind])))


def _add_nodes(drawn: graphviz.Digraph, cluster: GraphCluster | None, nodes: Sequence[GraphNode], address: Address) -> None:
    if cluster is None:
        for node in nodes:
            drawn.node(node.id, **_node(node, address))
        return
    with drawn.subgraph(name=f"cluster_{cluster.id}") as inside:
        inside.attr(label=quoted(cluster.label), tooltip=hinted(cluster.label), id=cluster.id, style="rounded", color="#aab2bb")
        inside.attr(fontcolor=_QUIET, fontsize=_WIDE["cluster"], labeljust="l", labelloc="t")
        for node in nodes:
            inside.node(node.id, **_node(node, address))


def _node(node: GraphNode, address: Address) -> dict[str, str]:
    cuts = (f"{cut}: {cut.command}" for cut in node.cuts)
    told = hinted(*(each for each in (node.symbol, node.at, *node.notes, *cuts) if each))
    shape = {"shape": _SHAPES[node.kind]} if node.kind in _SHAPES else {}
    if node.rows:
        return {
            "label": table(node, address),
            "shape": "plain",
            "tooltip": told,
            "id": node.id,
            "class": f"{node.role.value} rows",
            **_link(address(node.place)),
        }
    return {
        "label": quoted(*lines_of(node)),
        "tooltip": told,
        "id": node.id,
        "class": node.role.value,
        **shape,
        **_ROLES[node.role],
        **_link(address(node.place)),
    }


def _edge(ends: tuple[GraphNode, GraphNode], edge: GraphEdge, address: Address) -> dict[str, str]:
    start, end = ends
    how = edge.kind if edge.kind in CONTROL_EDGES else edge.confidence
    head = f"{start.label} → {end.label} ({how.value})"
    told = hinted(head, *edge.details)
    return {
        "id": edge.id,
        "class": f"{edge.confidence.value} {edge.kind.value}",
        "label": quoted(edge.label),
        "tooltip": told,
        "labeltooltip": told,
        **(_TURNS.get(edge.kind) or _EDGES[edge.confidence]),
        **_link(address(edge.place)),
    }


def _link(address: str) -> dict[str, str]:
    return {"URL": hinted(address), "target": "_blank"} if address else {}
