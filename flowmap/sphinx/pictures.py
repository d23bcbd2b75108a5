"""A graph inside a page: its picture, laid out once, whose links are filled in by whoever writes the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from flowmap.model.graph import Graph
from flowmap.model.place import Place
from flowmap.render.dot import dot
from flowmap.render.svg import svg

_LINK = re.compile(r'xlink:href="flow-place-(\d+)" target="_blank"|xlink:href="flow-place-(\d+)"')
_STYLE = re.compile(r"<style>.*?</style>\n?", re.DOTALL)
_ID = re.compile(r'(?<= id=")(?=[^"])')


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG whose links are the numbers of places."""

    title: str
    svg: str
    places: tuple[Place, ...]

    def inline(self, number: int, address: Callable[[Place], str]) -> str:
        """The element, as the `number`-th of its page: its ids are no other picture's. A place without an address is no link."""

        def link(found: re.Match[str]) -> str:
            href = address(self.places[int(found[1] or found[2])])
            return f'href="{escape(href)}"' if href else ""

        return _ID.sub(f"flow{number}-", _LINK.sub(link, self.svg))


def picture_of(graph: Graph, seconds: float) -> Picture:
    """The picture of a graph. Errors: FlowmapError when nothing is installed that draws, or it needs longer than `seconds`."""
    places: dict[Place, int] = {}

    def waiting(place: Place | None) -> str:
        return f"flow-place-{places.setdefault(place, len(places))}" if place else ""

    text = svg(dot(graph, waiting), seconds)
    return Picture(graph.title, _STYLE.sub("", text[text.index("<svg") :]), tuple(places))
