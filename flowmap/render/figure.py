"""A graph as a figure inside a page: its picture, which can be zoomed and searched by the page's script, and its text twin."""

from __future__ import annotations

import json
import re

from flowmap.model.graph import Graph
from flowmap.render.addresses import told
from flowmap.render.html import lines_of
from flowmap.render.untrusted import plain

_STYLE = re.compile(r"<style>.*?</style>\n?", re.DOTALL)
_ROOT = re.compile(r'<g id="graph\d+" ')
_SIZE = re.compile(r'<svg width="(?P<width>[\d.]+)pt" height="(?P<height>[\d.]+)pt"')
_PIXELS = 4 / 3  # of a point
_HINT = "Point at a box or a line, or step to it with the Tab key: what it is, and under which guards, is said here."
_BUTTONS = (("-", "Zoom out", "−"), ("+", "Zoom in", "+"), ("0", "Show the whole", "Whole"))


def figure(graph: Graph, picture: str, twin: str) -> str:
    """The figure. `picture` is an SVG, "" where there is none; `twin` is HTML."""
    title = told(graph.title)
    said = told(f"{len(graph.nodes)} nodes, {len(graph.edges)} edges")
    if not picture:
        return f'<div class="fm-figure"><p><span class="fm-note">{title}: {said}</span></p>{twin}</div>'
    buttons = "".join(
        f'<button type="button" data-key="{key}" aria-label="{label}">{text}</button>' for key, label, text in _BUTTONS
    )
    return "\n".join(
        (
            '<figure class="fm-figure" data-graph>',
            f'<figcaption><span>{title}: {said}</span> <span class="fm-tools">{buttons}</span></figcaption>',
            f'<div class="fm-canvas" tabindex="0" role="group" aria-label="{title}">',
            f"{_inline(picture)}</div>",
            f'<p class="fm-said" role="status">{_HINT}</p>',
            f"<details><summary>The same as text</summary>\n{twin}\n</details>",
            f'<script type="application/json">{_told(graph)}</script>\n</figure>',
        )
    )


def _inline(picture: str) -> str:
    """The element as large as it was drawn, without what would be of the whole page: its style, and the name of its root."""
    body = _ROOT.sub("<g ", _STYLE.sub("", picture[picture.index("<svg") :]), count=1)
    body = body.replace(' role="img"', "", 1)  # it has links: no image
    size = _SIZE.match(body)
    if not size:
        return body
    width, height = (float(size[each]) * _PIXELS for each in ("width", "height"))
    return f'<svg width="{width:.0f}" height="{height:.0f}"{body[size.end() :]}'


def _told(graph: Graph) -> str:
    """What the script needs, as JSON that ends no element."""
    edges = [[edge.id, edge.start, edge.end] for edge in graph.edges]
    lines = {name: [plain(line) for line in found] for name, found in lines_of(graph).items()}
    content = json.dumps({"edges": edges, "lines": lines}, separators=(",", ":"))
    return content.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
