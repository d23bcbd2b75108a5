"""Whether an edited file says what it said before, at other lines: comments, blank lines and docstrings say nothing to it.

What is found out of a program depends on lines only by which comes first in a file and which are the same. So where all else
that a file says is equal, and its lines have moved without changing places, what was found before holds with other lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from flowmap.model.facts import FileFacts, Op, Row, Scope

LINES_OF_A_SITE = (1, 2, 4)  # where rows of SiteRow hold lines
LINES_OF_A_PLACE = (0, 2)  # likewise the four numbers of an argument's place
N_OF_A_PLACE = 4
LINES_OF_AN_IMPORT = (0,)
LINES_OF_A_TABLE = (1,)
LINES_OF_A_ROW = (2, 4)  # of a table
LINES_OF_AN_OP: Mapping[int, tuple[int, ...]] = {Op.IMPORT: (4,), Op.STAR: (2,)}
NO_LINES: tuple[int, ...] = ()


def moved_lines(before: FileFacts, after: FileFacts) -> dict[int, int] | None:
    """Where each line that the facts of a file name is after an edit; None where the edit changed more than lines, or two of
    them changed places, parted or fell together."""
    old, new = Reading(before), Reading(after)
    if old.said != new.said:
        return None
    moved = {0: 0}  # the line of what stands nowhere
    for line, there in zip(old.lines, new.lines, strict=True):
        if moved.setdefault(line, there) != there:
            return None
    ordered = [moved[line] for line in sorted(moved)]
    return moved if all(one < other for one, other in pairwise(ordered)) else None


class Reading:
    """What a file's facts say, taken apart: the lines in a fixed order, and all else. What the index alone shows stays out:
    docstrings, and how many lines there are."""

    def __init__(self, facts: FileFacts) -> None:
        self.lines: list[int] = list(facts.node_lines)
        said: tuple[Any, ...] = (
            *(getattr(facts, name) for name in FileFacts.__slots__ if name not in HOLD_LINES),
            [self.scope(number, Scope(*row)) for number, row in enumerate(facts.scopes)],
            [self.without(row, LINES_OF_AN_OP.get(row[0], NO_LINES)) for rows in facts.ops for row in rows],
            [len(rows) for rows in facts.ops],
            [self.without(row, LINES_OF_A_SITE) for row in facts.sites],
            [self.without(row, LINES_OF_AN_IMPORT) for row in facts.imports],
            [self.table(row) for row in facts.tables],
            list(self.arguments(facts)),
        )
        self.said = repr(said)  # where names stand in another order, more than lines has changed

    def without(self, row: Row, places: tuple[int, ...]) -> Row:
        """A row without its lines, which are kept apart."""
        if not places:
            return row
        self.lines.extend(row[place] for place in places)
        return tuple(part for place, part in enumerate(row) if place not in places)

    def scope(self, number: int, row: Scope) -> Row:
        """A scope. A module is no stretch of lines: it begins and ends where the file does."""
        self.lines.extend((row.line, row.end_line) if number else ())
        return row._replace(line=0, end_line=0, doc="")

    def table(self, row: Row) -> Row:
        """A table and its rows."""
        return self.without((*row[:-1], [self.without(one, LINES_OF_A_ROW) for one in row[-1]]), LINES_OF_A_TABLE)

    def arguments(self, facts: FileFacts) -> Iterator[object]:
        """The places of arguments."""
        starts, numbers = facts.arguments
        yield starts
        for at in range(0, len(numbers), N_OF_A_PLACE):
            yield self.without(tuple(numbers[at : at + N_OF_A_PLACE]), LINES_OF_A_PLACE)


HOLD_LINES = frozenset(
    ("n_lines", "node_lines", "scopes", "packed_ops", "packed_sites", "packed_arguments", "imports", "tables"),
)
