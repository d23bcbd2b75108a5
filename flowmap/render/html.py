"""A graph as one page that needs nothing else: the picture to move in, what is said of what is pointed at, the text twin.

No text of the indexed code is markup: the picture quotes its own, the data block holds no `<`, the script sets text alone, and
the rules of the page let no other script run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files

from flowmap.model.graph import CONTROL_EDGES, Graph, GraphEdge, GraphKind, GraphNode, GraphRow, NodeKind, NodeRole, RowKind
from flowmap.render.untrusted import plain

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '{digest}'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<label>Find <input id="search" type="search" aria-describedby="count"></label>
<span id="count" class="hint" role="status"></span>
<span class="keys"><button type="button" data-key="-" aria-label="Zoom out">−</button>
<button type="button" data-key="+" aria-label="Zoom in">+</button>
<button type="button" data-key="0">Whole</button> <button type="button" data-key="a">Show all</button></span>
</header>
<main>
{picture}</main>
<section id="panel" aria-label="What is said" tabindex="0">
<p id="said" class="hint">{hint}</p>
<div id="near"></div>
</section>
<details>
<summary>The same as text</summary>
<pre tabindex="0">{twin}</pre>
</details>
<script id="told" type="application/json">{told}</script>
<script>{script}</script>
</body>
</html>
"""
_HINT = """Point at a box or a line, or step to it with the Tab key: what it is, with all its guards, is said here.
A click, or Enter, centres it and shows what is next to it. Drag or arrow keys move, wheel or + and − zoom, 0 shows the whole,
/ finds, c hides what is behind the chosen box, e shows it, a shows all, Escape lets go."""


def html(graph: Graph, picture: str, twin: str) -> str:
    """The page of a graph. `picture` is its SVG, `twin` its text."""
    page = files("flowmap.render").joinpath("page")
    script = page.joinpath("graph.js").read_text(encoding="utf-8")
    return _PAGE.format(
        digest=f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
        title=escape(plain(graph.title)),
        style=page.joinpath("graph.css").read_text(encoding="utf-8"),
        picture=picture[picture.index("<svg") :].replace('role="img"', 'role="group" aria-label="The picture"', 1),
        hint=_HINT,
        twin=escape("\n".join(map(plain, twin.splitlines()))),
        told=_told(graph),
        script=script,
    )


def _told(graph: Graph) -> str:
    """What the script says, as JSON that ends no element."""
    content = {
        "stands": graph.kind is GraphKind.CONTROL,
        "roots": [node.id for node in graph.nodes if node.role is NodeRole.SUBJECT],
        "nodes": [
            {
                "id": node.id,
                "symbol": plain(node.symbol),
                "label": plain(node.label),
                "cluster": node.cluster,
                "rows": [row.id for row in node.rows],
                "cuts": [[str(cut), plain(cut.command), list(map(plain, cut.names)), cut.number] for cut in node.cuts],
            }
            for node in graph.nodes
        ],
        "edges": [{"id": edge.id, "start": edge.start, "end": edge.end} for edge in graph.edges],
        "lines": {name: [plain(line) for line in lines] for name, lines in lines_of(graph).items()},
    }
    return json.dumps(content).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def lines_of(graph: Graph) -> dict[str, list[str]]:
    """What is said of each node, line of a node and edge when it is pointed at, by its id."""
    labels = {node.id: node.label for node in graph.nodes}
    nodes = {node.id: _of_node(node) for node in graph.nodes}
    nodes |= {row.id: _of_row(row) for node in graph.nodes for row in node.rows}
    return nodes | {edge.id: _of_edge(edge, labels) for edge in graph.edges}


def _of_node(node: GraphNode) -> list[str]:
    place = f"  {node.at}" if node.at else ""
    name = f"{node.symbol}  {node.label}" if isinstance(node.kind, NodeKind) else node.symbol
    rows = ((f"    {row.text}" if row.kind is RowKind.CALL else f"  {row.text}") for row in node.rows)
    return [f"{name}{place}", *node.notes, *(f"{cut}: {cut.command}" for cut in node.cuts), *rows]


def _of_row(row: GraphRow) -> list[str]:
    return [f"{row.text}  {row.at}" if row.at else row.text, *row.details]


def _of_edge(edge: GraphEdge, labels: dict[str, str]) -> list[str]:
    said = edge.kind.value if edge.kind in CONTROL_EDGES else f"{edge.kind.value}, {edge.confidence.value}"
    return [f"{labels[edge.start]} → {labels[edge.end]}  {said}", *edge.details]
