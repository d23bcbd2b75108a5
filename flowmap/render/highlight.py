"""The text of a file as coloured HTML, line by line, with room for links on parts of a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES, _TokenType

from flowmap.render.addresses import told

LONGEST_LINE = 2000
Piece = tuple[str, str]  # the class of its colour, "" for none; the text
Parts = Mapping[tuple[int, int], Callable[[str], str]]  # characters of a line, and what is made of the HTML of them


def coloured(text: Sequence[str]) -> tuple[tuple[Piece, ...], ...]:
    """The pieces of each line of a Python text. Where it is no Python the pieces are plain."""
    return _coloured("\n".join(text))


@lru_cache(maxsize=4)
def _coloured(text: str) -> tuple[tuple[Piece, ...], ...]:
    lines: list[list[Piece]] = [[]]
    for _, kind, value in PythonLexer().get_tokens_unprocessed(text):
        name = _class(kind)
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append((name, part))
    return tuple(map(tuple, lines))


@lru_cache(maxsize=256)
def _class(kind: _TokenType) -> str:
    while kind not in STANDARD_TYPES and kind.parent:
        kind = kind.parent
    name = STANDARD_TYPES.get(kind, "")
    return "" if name in ("n", "w") else name


def line_html(pieces: Sequence[Piece], parts: Parts) -> str:
    """A line as HTML. Parts do not overlap; a line that is very long is cut, and says so."""
    if sum(len(text) for _, text in pieces) > LONGEST_LINE:
        return _cut(pieces)
    borders = sorted({border for span in parts for border in span})
    made: list[str] = []
    inside: tuple[int, int] | None = None
    held: list[str] = []
    for start, name, text in _split(pieces, borders):
        span = next((each for each in parts if each[0] <= start < each[1]), None)
        if span != inside:
            made.append(_closed(held, inside, parts))
            held, inside = [], span
        held.append(_piece(name, text))
    made.append(_closed(held, inside, parts))
    return "".join(made)


def _closed(held: Sequence[str], span: tuple[int, int] | None, parts: Parts) -> str:
    return parts[span]("".join(held)) if span else "".join(held)


def _split(pieces: Sequence[Piece], borders: Sequence[int]) -> Iterator[tuple[int, str, str]]:
    """The pieces, cut at borders, each with the column that it begins at."""
    column = 0
    for name, text in pieces:
        cuts = [0, *(each - column for each in borders if column < each < column + len(text)), len(text)]
        for first, last in pairwise(cuts):
            yield column + first, name, text[first:last]
        column += len(text)


def _piece(name: str, text: str) -> str:
    return f'<span class="{name}">{told(text)}</span>' if name else told(text)


def _cut(pieces: Sequence[Piece]) -> str:
    text = "".join(text for _, text in pieces)
    return f"{told(text[:LONGEST_LINE])}<i>… {len(text) - LONGEST_LINE:,} characters more</i>"
