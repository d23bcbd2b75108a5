"""A page as a source for Sphinx: reStructuredText whose titles are escaped and whose contents are HTML that is ready."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from flowmap.atlas.page import AtlasPage, Drawn, Section
from flowmap.render.addresses import Addresses
from flowmap.render.figure import figure
from flowmap.render.fragment import fragment
from flowmap.render.untrusted import plain

Draw = Callable[[Drawn, Addresses], str]  # the picture of a graph as SVG, "" where none can be made


def written(page: AtlasPage, addresses: Addresses, draw: Draw) -> str:
    """The source of a page. One that lists others takes part in the menu; the others do not: a menu of hundreds is slow."""
    menu = "" if page.name.endswith("/index") else ":orphan:\n\n"
    parts = [f"{menu}{_title(page.title, '=')}", _raw(fragment(page.lead, addresses))]
    for section in page.sections:
        parts.extend((_title(section.title, "-"), _raw("\n".join(_section(section, addresses, draw)))))
    return "\n".join(filter(None, parts))


def figure_of(drawn: Drawn, addresses: Addresses, draw: Draw) -> str:
    """A graph as a figure with its text twin."""
    return figure(drawn.graph, draw(drawn, addresses), fragment(drawn.twin.blocks, addresses))


def _section(section: Section, addresses: Addresses, draw: Draw) -> Iterator[str]:
    yield from (figure_of(drawn, addresses, draw) for drawn in section.graphs)
    yield fragment(section.blocks, addresses)


def _title(text: str, line: str) -> str:
    shown = plain(text).strip() or "?"
    escaped = re.sub(r"([^A-Za-z0-9\s])", r"\\\1", shown)
    return f"{escaped}\n{line * (2 * len(escaped) + 1)}\n"


def _raw(html: str) -> str:
    """HTML as it is; nothing for nothing."""
    if not html.strip():
        return ""
    lines = "\n".join(f"   {line}" for line in html.split("\n"))
    return f".. raw:: html\n\n{lines}\n"
