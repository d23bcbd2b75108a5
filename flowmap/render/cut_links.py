"""What is cut from a graph as links in its picture: `+34 callees` in a node leads to where those are told."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from flowmap.model.graph import Graph, GraphCut, GraphNode
from flowmap.render.untrusted import plain

CutAddress = Callable[[GraphNode, GraphCut], str]
_BLANK = "(?: |\u00a0|&#160;)"  # between words, as a program that lays out writes it


def with_cut_links(picture: str, graph: Graph, address: CutAddress) -> str:
    """An SVG in which every cut is a link, where `address` knows one ("" for none). What a cut says follows from a number and a
    word of ours, so nothing of the indexed code is looked for or written here but the address, which is escaped."""
    for node in graph.nodes:
        for cut in node.cuts:
            picture = _linked(picture, node.id, cut, address(node, cut))
    return picture


def _linked(picture: str, node: str, cut: GraphCut, address: str) -> str:
    start = picture.find(f'<g id="{node}" class="node')
    if start < 0 or not address:
        return picture
    words = re.escape(str(cut)).replace("\\ ", _BLANK)
    said = re.compile(rf"(<text\b[^>]*>(?:(?!</text>).)*?)({words})(?=[^\w])", re.DOTALL)
    told = escape(plain(f"{cut}: {cut.command}"))
    link = rf'\g<1><a href="{_literal(escape(address))}" class="cut" aria-label="{_literal(told)}">\g<2></a>'
    return picture[:start] + said.sub(link, picture[start:], count=1)


def _literal(text: str) -> str:
    """A text that stands in the place of what was found as it is."""
    return text.replace("\\", "\\\\")
