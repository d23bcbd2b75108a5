"""A View as text on a console: coloured and linked only where the console can show it."""

from __future__ import annotations

import re

from rich.console import Console
from rich.style import Style
from rich.text import Text

from flowmap.model.place import Place
from flowmap.model.view import Role, View
from flowmap.render.layout import Piece, laid_out, page_of

_STYLES = {
    Role.PLAIN: Style.null(),
    Role.HEADING: Style(bold=True),
    Role.SYMBOL: Style(color="cyan"),
    Role.PLACE: Style(color="blue"),
    Role.CODE: Style.null(),
    Role.GUARD: Style(color="yellow", dim=True),
    Role.CONFIDENCE: Style(color="magenta", bold=True),
    Role.NOTE: Style(dim=True),
    Role.WARNING: Style(color="yellow", bold=True),
}


def write_text(view: View, console: Console, link: str) -> None:
    """Print a View. `link` is a pattern with `{path}` and `{line}` for places, "" for no links."""
    page = page_of(console.width, console.encoding or "")
    lines = (Text.assemble(*((piece.text, _style(piece, link)) for piece in pieces)) for pieces in laid_out(view, page))
    console.print(Text("\n").join(lines), no_wrap=True, overflow="ignore", crop=False, highlight=False, markup=False, emoji=False)


def _style(piece: Piece, link: str) -> Style:
    style = _STYLES[piece.role]
    return style + Style(link=linked(link, piece.place)) if link and piece.place else style


def linked(pattern: str, place: Place) -> str:
    """The address of a place: `{path}`, `{line}` and `{col}` (from 1) of the pattern filled in."""
    path = re.sub(r"[^\w./-]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), place.file)
    return pattern.replace("{path}", path).replace("{line}", str(place.line)).replace("{col}", str(place.col + 1))
