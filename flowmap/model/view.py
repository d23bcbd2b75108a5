"""What a report has to say, finished: layout blocks for readers, one record for programs. Holds no markup of any format.

A report returns a `View`; a renderer turns any View into one format, so a new report works in all formats and a new
format serves all reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.place import Place


class Role(StrEnum):
    """What a piece of text is, so that each format can show it in its own way."""

    PLAIN = "plain"
    HEADING = "heading"
    SYMBOL = "symbol"
    PLACE = "place"
    CODE = "code"
    GUARD = "guard"
    CONFIDENCE = "confidence"
    NOTE = "note"  # counts, reasons, hints: said in a lower voice
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text with its role; `place` when it can be opened in an editor."""

    text: str
    role: Role = Role.PLAIN
    place: Place | None = None


Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One line of prose."""

    line: Line


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column heads."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A line, further lines that belong to it (guards, evidence), and what hangs below it, in the order of the source."""

    line: Line
    children: tuple[TreeNode, ...] = ()
    below: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """Several trees under one another."""

    roots: tuple[TreeNode, ...]


@dataclass(frozen=True, slots=True)
class ListingRow:
    """A line of source and what stands in its margin."""

    number: int
    text: str
    margin: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A slice of a file."""

    file: str
    rows: tuple[ListingRow, ...]


Block = Paragraph | Table | Tree | Listing


@dataclass(frozen=True, slots=True)
class View:
    """A finished report. `record` is a frozen dataclass (or a tuple of them): the same content for programs."""

    title: Line
    blocks: tuple[Block, ...]
    record: object
    source: str  # which subject was asked, as the user would name it
    notes: tuple[str, ...] = ()  # what was cut, what could not be known
