"""A file as it is read: each line with what its calls run, what it defines, and what it does to the fields that are watched."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.access import Access
from flowmap.model.place import Place
from flowmap.model.program import Definition, Site


class MarkKind(StrEnum):
    """What a line does to a watched field."""

    READ = "read"
    WRITE = "write"  # a value that is made there becomes the field, or it is declared or dropped
    UPDATE = "update"  # what the field holds is changed
    CARRY = "carry"  # a value that comes from elsewhere becomes the field


@dataclass(frozen=True, slots=True)
class Mark:
    """One access of a watched field: the `number`-th (from 1, by file and line) of the field's `n_accesses`.

    `others` are the nearest of the `n_others` accesses at the other end: of a read those that write, of a write those that read.
    """

    kind: MarkKind
    field: str  # as it is watched: `Class.field`, or a bare name for all classes
    access: Access
    number: int
    n_accesses: int
    previous: Place | None
    next: Place | None
    others: tuple[Access, ...]
    n_others: int


@dataclass(frozen=True, slots=True)
class CalledName:
    """The characters of a line (from 0) that name what a site runs."""

    start: int
    end: int
    site: Site


@dataclass(frozen=True, slots=True)
class AnnotatedLine:
    """A line of a file. `runs` are sites that run something whose name does not stand there, as the `for` of a loop does."""

    number: int
    text: str
    calls: tuple[CalledName, ...] = ()
    runs: tuple[Site, ...] = ()
    defines: tuple[Definition, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class AnnotatedSource:
    """Lines of a file in their order; where numbers are missing between two, lines are left out. `problem`: why nothing is known
    of the file, "" as a rule."""

    file: str
    lines: tuple[AnnotatedLine, ...]
    n_lines: int
    problem: str
