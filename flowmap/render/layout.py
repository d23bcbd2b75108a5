"""Lays a View out as lines of text, wrapped to a width: what a terminal and a pipe have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, assert_never

from flowmap.model.place import Place
from flowmap.model.view import Block, Line, Listing, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.render.untrusted import plain

_WHOLE = (Role.SYMBOL, Role.PLACE)  # a reader copies these: never broken where they have a blank
_SHORT_NOTE = 40  # cells; a remark up to this length stays together
_PARTS = re.compile(r"\w+\W*|\W+")  # where what is longer than a line may be broken: never inside a word
_HANGING = 2
_NARROWEST = 24


class Piece(NamedTuple):
    """What is not broken: a word, a run of blanks, a name. A named tuple, as all here: a page is made of thousands."""

    text: str
    role: Role
    place: Place | None


Pieces = tuple[Piece, ...]


class _Guides(NamedTuple):
    """What a tree is drawn with; every piece is three cells wide."""

    fork: str
    last: str
    through: str
    nothing: str = "   "


_LINES = _Guides("├─ ", "└─ ", "│  ")
_ASCII = _Guides("|- ", "`- ", "|  ")


class Page(NamedTuple):
    """What lines are laid out for: a width in cells, and what trees are drawn with."""

    width: int
    guides: _Guides


class _Margin(NamedTuple):
    """What stands left of a line, and left of its continuations."""

    first: str = ""
    then: str = ""


def page_of(width: int, encoding: str) -> Page:
    """A page as wide as `width` cells, with the guides that an encoding has signs for."""
    return Page(max(width, _NARROWEST), _LINES if encoding.lower().startswith("utf") else _ASCII)


def laid_out(view: View, page: Page) -> Iterator[Pieces]:
    """The lines of a View, each as its pieces."""
    yield from _wrapped(view.title, page, _Margin("", " " * _HANGING))
    for block in view.blocks:
        yield from _block(block, page)
    yield ()
    for remark in view.notes:
        yield from _wrapped((Span(remark, Role.NOTE),), page, _Margin())
    yield from _wrapped((Span(f"source: {view.source}", Role.NOTE),), page, _Margin())


def _block(block: Block, page: Page) -> Iterator[Pieces]:
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


def _tree(root: TreeNode, page: Page) -> Iterator[Pieces]:
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


def _table(table: Table, page: Page) -> Iterator[Pieces]:
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


def _listing(listing: Listing, page: Page) -> Iterator[Pieces]:
    width = len(str(listing.rows[-1].number)) if listing.rows else 1
    bar = "│" if page.guides is _LINES else "|"
    for row in listing.rows:
        number = Span(f"{row.number:>{width}}", Role.PLACE, Place(listing.file, row.number))
        yield _without_end([*_pieces((number, Span(f" {bar} ", Role.NOTE))), Piece(plain(row.text), Role.CODE, None)])
        left = f"{' ' * width} {bar} " + " " * (len(row.text) - len(row.text.lstrip()))
        for line in row.margin:
            yield from _wrapped(line, page, _Margin(left, left + " " * _HANGING))


def _wrapped(line: Line, page: Page, margin: _Margin) -> Iterator[Pieces]:
    """The lines of text that a line takes. Breaks between pieces; a piece longer than a line is broken between its words."""
    rooms = (max(page.width - len(margin.first), _NARROWEST), max(page.width - len(margin.then), _NARROWEST))
    left = margin.first
    for pieces in _filled(_pieces(line), rooms):
        yield _without_end([Piece(left, Role.NOTE, None), *pieces])
        left = margin.then


def _filled(pieces: Iterable[Piece], rooms: tuple[int, int]) -> Iterator[list[Piece]]:
    """Pieces, line by line; `rooms` are the cells of the first line and of every later one."""
    filled: list[Piece] = []
    used, broken = 0, False
    room, later = rooms
    for piece in (part for whole in pieces for part in _cut(whole, min(rooms))):
        if used + len(piece.text) > room and filled:
            yield filled
            filled, used, broken, room = [], 0, True, later
        if filled or not (broken and piece.text.isspace()):
            filled.append(piece)
            used += len(piece.text)
    yield filled


def _without_end(pieces: list[Piece]) -> Pieces:
    """The pieces of a line without the blanks at its end."""
    while pieces and not pieces[-1].text.rstrip():
        pieces.pop()
    if pieces:
        last = pieces.pop()
        pieces.append(Piece(last.text.rstrip(), last.role, last.place))
    return tuple(pieces)


def _cut(piece: Piece, room: int) -> Iterator[Piece]:
    """The piece in parts that fit. A single word that does not stays whole and stands out: it can still be copied."""
    if len(piece.text) <= room:
        yield piece
        return
    filled = ""
    for word in _PARTS.findall(piece.text):
        if filled and len(filled) + len(word) > room:
            yield Piece(filled, piece.role, piece.place)
            filled = ""
        filled += word
    yield Piece(filled, piece.role, piece.place)


def _pieces(line: Line) -> Iterator[Piece]:
    for span in line:
        text = plain(span.text)
        whole = span.role in _WHOLE or (span.role is Role.NOTE and len(text) <= _SHORT_NOTE)
        for part in [text] if whole and text else re.findall(r"\s+|\S+", text):
            yield Piece(part, span.role, span.place)


def _length(line: Line) -> int:
    return sum(len(plain(span.text)) for span in line)
