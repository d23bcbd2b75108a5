"""An answer as HTML whose links wait: only whoever writes a page knows where other pages are, as seen from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import cast

from flowmap.model.annotated import AnnotatedSource
from flowmap.model.graph import Graph
from flowmap.model.place import Place
from flowmap.model.problem import FlowmapError
from flowmap.model.program import Definition
from flowmap.model.view import View
from flowmap.render.addresses import Addresses, nowhere, told
from flowmap.render.annotated import annotated_html
from flowmap.render.cut_links import with_cut_links
from flowmap.render.dot import dot
from flowmap.render.figure import figure
from flowmap.render.fragment import fragment, line_html
from flowmap.render.svg import svg

_WAITING = re.compile(r'(?:xlink:)?href="flow-(?P<kind>place|name)-(?P<number>\d+)"(?P<rest> target="_blank")?')
_IDS = re.compile(r'(?<= id=")(?=[^"])|(?<=href="#)(?=L\d)')
_HINT = re.compile(r'(?<=\s)xlink:title="([^"]*)"')
_NO_LINK = re.compile(r'(<a (?![^>]*\bhref=)[^>]*?) aria-label="[^"]*"')  # a name is for what can be followed
Link = Callable[[Place], str]


@dataclass(frozen=True, slots=True)
class WaitingHtml:
    """HTML, the places that its links lead to, and why there is no picture where there should be one."""

    text: str
    places: tuple[Place, ...]
    fault: FlowmapError | None = None

    def filled(self, of_place: Link, of_name: Link) -> str:
        """The HTML with its links: to where a place can be seen, and to where what is defined there is told about. One that
        leads nowhere is none."""

        def link(found: re.Match[str]) -> str:
            place = self.places[int(found["number"])]
            address = of_place(place) if found["kind"] == "place" else of_name(place)
            return f'href="{escape(address)}"' if address else ""

        return _NO_LINK.sub(r"\1", _WAITING.sub(link, self.text))


@dataclass(slots=True)
class _Places:
    """Places that links wait for, each once."""

    numbers: dict[Place, int] = field(default_factory=dict)

    def of(self, kind: str, place: Place | None) -> str:
        """What stands for an address."""
        return f"flow-{kind}-{self.numbers.setdefault(place, len(self.numbers))}" if place else ""

    @property
    def addresses(self) -> Addresses:
        """The same for all that writes HTML."""

        def of_definition(one: Definition) -> str:
            return self.of("name", one.place)

        return Addresses(
            lambda place: self.of("place", place), of_definition, nowhere, nowhere, lambda place: self.of("name", place)
        )


def html_of(view: View) -> WaitingHtml:
    """A View."""
    places = _Places()
    return _whole(fragment(view.blocks, places.addresses), view, places)


def source_html(view: View, source: AnnotatedSource, text: Sequence[str], prefix: str) -> WaitingHtml:
    """Annotated lines under the title of their View. `text` is the whole file."""
    places = _Places()
    return _whole(_IDS.sub(f"{prefix}-", annotated_html(source, text, places.addresses)), view, places)


def picture_of(view: View, seconds: float, prefix: str) -> WaitingHtml:
    """A graph: its picture, which takes at most `seconds`, and its text; the text alone where it cannot be drawn."""
    places = _Places()
    drawn, twin = cast(Graph, view.record), fragment(view.blocks, places.addresses)
    fault = None
    try:
        picture = _named(svg(dot(drawn, lambda place: places.of("name", place)), seconds))
        picture = with_cut_links(picture, drawn, lambda node, _: places.of("name", node.place))
    except FlowmapError as error:
        picture, fault = "", error
    body = figure(drawn, picture, twin)
    return WaitingHtml(f'<div class="flow">{_prefixed(body, drawn, prefix)}</div>', tuple(places.numbers), fault)


def _named(picture: str) -> str:
    """The picture with its links named for those who do not see it: a line has no text of its own."""
    return _HINT.sub(r'\g<0> aria-label="\g<1>"', picture)


def _prefixed(body: str, drawn: Graph, prefix: str) -> str:
    """The figure with ids of its own: two of a page may show the same function."""
    names = sorted({one.id for part in (drawn.nodes, drawn.edges, drawn.clusters) for one in part})
    return re.sub(rf'(?<=")(?=(?:a_)?(?:{"|".join(names)}|graph0)(?:&#45;label)?")', f"{prefix}-", body)


def _whole(body: str, view: View, places: _Places) -> WaitingHtml:
    title = line_html(view.title, places.addresses)
    notes = "".join(f'<p class="fm-note">{told(note)}</p>' for note in view.notes)
    return WaitingHtml(f'<div class="flow"><p class="flow-title">{title}</p>\n{body}\n{notes}</div>', tuple(places.numbers))
