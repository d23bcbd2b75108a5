"""What a report has to say, finished: layout blocks for readers, one record for programs. Holds no markup of any format.

A report returns a `View`; a renderer turns any View into one format, so a new report works in all formats and a new
format serves all reports. Its pieces are named tuples, which Python makes many times faster than dataclasses: each answer is made
of thousands, and their classes are made at the start of each command.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

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


class Span(NamedTuple):
    """A piece of text with its role; `place` when it can be opened in an editor. `page`: one of an atlas that says more."""

    text: str
    role: Role = Role.PLAIN
    place: Place | None = None
    page: str = ""


Line = tuple[Span, ...]


class Paragraph(NamedTuple):
    """One line of prose."""

    line: Line


class Table(NamedTuple):
    """Rows under column heads."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]


class TreeNode(NamedTuple):
    """A line, further lines that belong to it (guards, evidence), and what hangs below it, in the order of the source."""

    line: Line
    children: tuple[TreeNode, ...] = ()
    below: tuple[Line, ...] = ()


class Tree(NamedTuple):
    """Several trees under one another."""

    roots: tuple[TreeNode, ...]


class ListingRow(NamedTuple):
    """A line of source and what stands in its margin."""

    number: int
    text: str
    margin: tuple[Line, ...] = ()


class Listing(NamedTuple):
    """A slice of a file."""

    file: str
    rows: tuple[ListingRow, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A tree under a heading, with how many things it tells of: what a comment on a change folds where it is long."""

    title: str
    number: int
    tree: Tree


Block = Paragraph | Table | Tree | Listing


@dataclass(frozen=True, slots=True)
class View:
    """A finished report. `record` is a frozen dataclass (or a tuple of them): the same content for programs."""

    title: Line
    blocks: tuple[Block, ...]
    record: object
    source: str  # which subject was asked, as the user would name it
    notes: tuple[str, ...] = ()  # what was cut, what could not be known
