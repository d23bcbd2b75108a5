"""A View as text for a terminal or a pipe: wrapped to the width, coloured and linked only where the console can show it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from rich.console import Console
from rich.style import Style
from rich.text import Text

from flowmap.model.place import Place
from flowmap.model.view import Block, Line, Listing, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.render.untrusted import plain

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
_WHOLE = (Role.SYMBOL, Role.PLACE)  # a reader copies these: never broken where they have a blank
_SHORT_NOTE = 40  # cells; a remark up to this length stays together
_PARTS = re.compile(r"\w+\W*|\W+")  # where what is longer than a line may be broken: never inside a word
_HANGING = 2
_NARROWEST = 24


@dataclass(frozen=True, slots=True)
class _Guides:
    """What a tree is drawn with; every piece is three cells wide."""

    fork: str
    last: str
    through: str
    nothing: str = "   "


_LINES = _Guides("├─ ", "└─ ", "│  ")
_ASCII = _Guides("|- ", "`- ", "|  ")


@dataclass(frozen=True, slots=True)
class _Page:
    """What the lines are laid out for: a width in cells, guides, and the pattern of links ("" for none)."""

    width: int
    guides: _Guides
    link: str


@dataclass(frozen=True, slots=True)
class _Margin:
    """What stands left of a line, and left of its continuations."""

    first: str = ""
    then: str = ""


def write_text(view: View, console: Console, link: str) -> None:
    """Print a View. `link` is a pattern with `{path}` and `{line}` for places, "" for no links."""
    utf8 = (console.encoding or "").lower().startswith("utf")
    page = _Page(max(console.width, _NARROWEST), _LINES if utf8 else _ASCII, link)
    for text in _all(view, page):
        console.print(text, no_wrap=True, overflow="ignore", crop=False, highlight=False, markup=False, emoji=False)


def _all(view: View, page: _Page) -> Iterator[Text]:
    yield from _wrapped(view.title, page, _Margin("", " " * _HANGING))
    for block in view.blocks:
        yield from _block(block, page)
    yield Text()
    for remark in view.notes:
        yield from _wrapped((Span(remark, Role.NOTE),), page, _Margin())
    yield from _wrapped((Span(f"source: {view.source}", Role.NOTE),), page, _Margin())


def _block(block: Block, page: _Page) -> Iterator[Text]:
    match block:
        case Paragraph(line):
            yield from _wrapped(line, page, _Margin("", " " * _HANGING))
        case Table():
            yield from _table(block, page)
        case Tree(roots):
            for root in roots:
                yield from _tree(root, page)
        case Listing():
            yield from _listing(block, page)
        case _:
            assert_never(block)


def _tree(root: TreeNode, page: _Page) -> Iterator[Text]:
    waiting = [(root, _Margin())]
    while waiting:
        node, margin = waiting.pop()
        under = margin.then + (page.guides.through if node.children else page.guides.nothing)
        hanging = under if node.children else margin.then + " " * _HANGING
        yield from _wrapped(node.line, page, _Margin(margin.first, hanging))
        for line in node.below:
            yield from _wrapped(line, page, _Margin(hanging, hanging + " " * _HANGING))
        waiting.extend(reversed(list(_hung(node.children, margin.then, page.guides))))


def _hung(children: Sequence[TreeNode], left: str, guides: _Guides) -> Iterator[tuple[TreeNode, _Margin]]:
    for number, child in enumerate(children, start=1):
        if number < len(children):
            yield child, _Margin(left + guides.fork, left + guides.through)
        else:
            yield child, _Margin(left + guides.last, left + guides.nothing)


def _table(table: Table, page: _Page) -> Iterator[Text]:
    heads = tuple((Span(column, Role.NOTE),) for column in table.columns)
    rows = [heads, *table.rows] if any(table.columns) else list(table.rows)
    widths = [max(map(_length, cells)) for cells in zip(*rows, strict=True)]
    indent = sum(widths[:-1]) + 2 * (len(widths) - 1)
    for row in rows:
        if page.width - indent >= min(_NARROWEST, widths[-1]):
            yield from _wrapped(_aligned(row, widths), page, _Margin("", " " * indent))
        else:
            spaced = [span for cell in row if cell for span in (*cell, Span("  "))]
            yield from _wrapped(tuple(spaced), page, _Margin("", " " * _HANGING))


def _aligned(row: Sequence[Line], widths: Sequence[int]) -> Line:
    spans: list[Span] = []
    for cell, width in zip(row[:-1], widths[:-1], strict=True):
        spans += [*cell, Span(" " * (width - _length(cell) + 2))]
    return (*spans, *row[-1])


def _listing(listing: Listing, page: _Page) -> Iterator[Text]:
    width = len(str(listing.rows[-1].number)) if listing.rows else 1
    bar = "│" if page.guides is _LINES else "|"
    for row in listing.rows:
        number = Span(f"{row.number:>{width}}", Role.PLACE, Place(listing.file, row.number))
        text = _joined([*_pieces((number, Span(f" {bar} ", Role.NOTE))), _Piece(plain(row.text), Role.CODE, None)], page)
        text.rstrip()
        yield text
        left = f"{' ' * width} {bar} " + " " * (len(row.text) - len(row.text.lstrip()))
        for line in row.margin:
            yield from _wrapped(line, page, _Margin(left, left + " " * _HANGING))


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is not broken: a word, a run of blanks, a name."""

    text: str
    role: Role
    place: Place | None


def _wrapped(line: Line, page: _Page, margin: _Margin) -> Iterator[Text]:
    """The lines of text that a line takes. Breaks between pieces; a piece longer than a line is broken between its words."""
    room = max(page.width - max(len(margin.first), len(margin.then)), _NARROWEST)
    left = margin.first
    for pieces in _filled(_pieces(line), room):
        text = _joined([_Piece(left, Role.NOTE, None), *pieces], page)
        text.rstrip()
        yield text
        left = margin.then


def _filled(pieces: Iterable[_Piece], room: int) -> Iterator[list[_Piece]]:
    filled: list[_Piece] = []
    used, broken = 0, False
    for piece in (part for whole in pieces for part in _cut(whole, room)):
        if used + len(piece.text) > room and filled:
            yield _without_end(filled)
            filled, used, broken = [], 0, True
        if filled or not (broken and piece.text.isspace()):
            filled.append(piece)
            used += len(piece.text)
    yield _without_end(filled)


def _without_end(pieces: list[_Piece]) -> list[_Piece]:
    while pieces and pieces[-1].text.isspace():
        pieces.pop()
    return pieces


def _cut(piece: _Piece, room: int) -> Iterator[_Piece]:
    """The piece in parts that fit. A single word that does not stays whole and stands out: it can still be copied."""
    if len(piece.text) <= room:
        yield piece
        return
    filled = ""
    for word in _PARTS.findall(piece.text):
        if filled and len(filled) + len(word) > room:
            yield _Piece(filled, piece.role, piece.place)
            filled = ""
        filled += word
    yield _Piece(filled, piece.role, piece.place)


def _pieces(line: Line) -> Iterator[_Piece]:
    for span in line:
        text = plain(span.text)
        whole = span.role in _WHOLE or (span.role is Role.NOTE and len(text) <= _SHORT_NOTE)
        for part in [text] if whole and text else re.findall(r"\s+|\S+", text):
            yield _Piece(part, span.role, span.place)


def _joined(pieces: Iterable[_Piece], page: _Page) -> Text:
    text = Text()
    for piece in pieces:
        text.append(piece.text, _style(piece, page.link))
    return text


def _style(piece: _Piece, link: str) -> Style:
    style = _STYLES[piece.role]
    return style + Style(link=linked(link, piece.place)) if link and piece.place else style


def linked(pattern: str, place: Place) -> str:
    """The address of a place: `{path}`, `{line}` and `{col}` (from 1) of the pattern filled in."""
    path = re.sub(r"[^\w./-]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), place.file)
    return pattern.replace("{path}", path).replace("{line}", str(place.line)).replace("{col}", str(place.col + 1))


def _length(line: Line) -> int:
    return sum(len(plain(span.text)) for span in line)
