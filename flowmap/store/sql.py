"""SQL that somebody else wrote, put to an index: whatever it says, it only reads. And what there is to be asked."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from flowmap.model.problem import FlowmapError, Problem
from flowmap.store.index import Index

_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_READING_PRAGMAS = {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo"}
_MOST_ROWS = 10**9  # SQLite counts in 32 bits
_STEPS_BETWEEN_LOOKS = 100_000  # of SQLite's machine, between two chances for Ctrl-C
_MISSING = re.compile(r"no such (?P<kind>table|column|function): (?P<name>\S+)")
_COLUMN = re.compile(r"\bAS (?P<name>\w+),?(?:  -- (?P<says>.*))?$")
_HEAD = re.compile(r"^CREATE VIEW (?P<name>\w+) AS(?:  -- (?P<says>.*))?$")
_REFUSED = ("not authorized", "authorization denied", "prohibited")
_EXAMPLE = "SELECT caller, file, line FROM edges WHERE callee_name = 'run'"


@dataclass(frozen=True, slots=True)
class Selected:
    """What a query gives. `is_bounded`: there are more rows than these."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    is_bounded: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a view, and what it holds where its name does not say it all."""

    name: str
    says: str


@dataclass(frozen=True, slots=True)
class Described:
    """A view of the schema in words."""

    name: str
    says: str
    columns: tuple[Column, ...]


def select(index: Index, text: str, limit: int) -> Selected:
    """Up to `limit` rows of one SQL statement.

    Errors: FlowmapError when it is wrong, or would do anything but read.
    """
    try:
        with index.asked_by_others(_allowed, _STEPS_BETWEEN_LOOKS) as connection:
            cursor = connection.execute(text)
            rows = cursor.fetchmany(min(limit, _MOST_ROWS) + 1)
    except UnicodeError as error:
        raise FlowmapError(Problem("the SQL", "holds bytes that are no text", "Write it in UTF-8.")) from error
    except (sqlite3.Error, sqlite3.Warning) as error:  # of several statements Python 3.11 only warns
        raise _explained(index, str(error)) from error
    if cursor.description is None:
        raise FlowmapError(Problem("the SQL", "asks for nothing", f"For example: {_EXAMPLE}"))
    columns = tuple(column[0] for column in cursor.description)
    return Selected(columns, tuple(rows[:limit]), len(rows) > limit)


def views(index: Index) -> tuple[Described, ...]:
    """The views of the schema, in its order, with what it says of them."""
    return tuple(_described(text) for (text,) in index.rows("SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY rowid"))


def file_of(index: Index) -> str:
    """The path of an index; "" where it is kept in memory alone."""
    return next((path for _, name, path in index.rows("PRAGMA database_list") if name == "main"), "")


def _described(text: str) -> Described:
    first, *lines = text.split("\n")
    head = _HEAD.match(first)
    assert head is not None, "views.sql says what a view is behind its name"
    columns = (match for line in lines if line.startswith("    ") and (match := _COLUMN.search(line)))
    return Described(head["name"], head["says"] or "", tuple(Column(each["name"], each["says"] or "") for each in columns))


def _allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """SQLite asks this for everything that a statement would do, before it does anything."""
    is_read = action in _READING or (action == sqlite3.SQLITE_PRAGMA and first in _READING_PRAGMAS)
    return sqlite3.SQLITE_OK if is_read and (first, second) != (None, "load_extension") else sqlite3.SQLITE_DENY


def _explained(index: Index, said: str) -> FlowmapError:
    if "interrupted" in said:
        raise KeyboardInterrupt
    if any(word in said for word in _REFUSED):
        what = "would do more than read, which is refused: an index is never changed"
        return FlowmapError(Problem("the SQL", what, "Write one SELECT."))
    if "one statement" in said:
        return FlowmapError(Problem("the SQL", "holds more than one statement", "Write one SELECT at a time."))
    if match := _MISSING.search(said):
        return _unknown(index, match["kind"], match["name"])
    return FlowmapError(Problem("the SQL", said, "`flowmap sql` lists the views and their columns."))


def _unknown(index: Index, kind: str, name: str) -> FlowmapError:
    wanted = name.rpartition(".")[2]
    known = dict.fromkeys(_names(index, kind))
    near = get_close_matches(wanted, known, 3)
    where = "`flowmap sql` lists the views and their columns."
    fix = f"Did you mean {' or '.join(near)}? {where}" if near else where
    return FlowmapError(Problem("the SQL", f"there is no {kind} {name}", fix))


def _names(index: Index, kind: str) -> Iterator[str]:
    if kind == "table":
        yield from (row[0] for row in index.rows("SELECT name FROM sqlite_schema WHERE type IN ('view', 'table')"))
    elif kind == "column":
        for view in views(index):
            yield from (column.name for column in view.columns)
