"""`flowmap sql`: the answer to SQL over the index, and what may be asked."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from flowmap.model.place import Place
from flowmap.model.view import Line, Paragraph, Role, Span, Table, View
from flowmap.reports.phrases import blank, count, heading, note
from flowmap.store.index import Index
from flowmap.store.sql import Described, Selected, file_of, select, views

_EXAMPLE = "flowmap sql \"SELECT caller, file, line FROM edges WHERE callee_name = 'run'\""
NO_PLACE = "rows without the columns file and line stand at no place: --format lines leaves them out"


@dataclass(frozen=True, slots=True)
class SqlQuestion:
    """The statement, and how many rows of its answer are shown."""

    text: str
    limit: int


@dataclass(frozen=True, slots=True)
class SqlRecord:
    """The answer: its columns, and its rows with a value a column. `bounded`: there are more rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    bounded: bool


@dataclass(frozen=True, slots=True)
class ViewsRecord:
    """The views that may be asked. `file`: the path of the index, "" where it is kept in memory alone."""

    views: tuple[Described, ...]
    file: str


def sql(index: Index, question: SqlQuestion) -> View:
    """The rows of a statement. Where it has columns `file` and `line`, a row stands at that place.

    Errors: FlowmapError when the statement is wrong, or would do more than read.
    """
    found = select(index, question.text, question.limit)
    known = index.file_ids
    table = Table(found.columns, tuple(_row(found.columns, row, known) for row in found.rows))
    record = SqlRecord(found.columns, tuple(tuple(map(_plain, row)) for row in found.rows), found.is_bounded)
    return View((note(_counted(found)),), (table,), record, index.source, tuple(_notes(found, question)))


def may_be_asked(index: Index) -> View:
    """The views and their columns."""
    found = views(index)
    blocks = [block for view in found for block in (blank(), *_view(view))]
    file = file_of(index)
    kept = (f"the file: {file}",) if file else ()
    notes = ("One SELECT is answered, and nothing is ever written.", f"For example: {_EXAMPLE}", *kept)
    return View((note(count(len(found), "view")),), tuple(blocks), ViewsRecord(found, file), index.source, notes)


def _view(view: Described) -> tuple[Paragraph | Table, ...]:
    rows = tuple(((Span(f"  {column.name}", Role.CODE),), (Span(column.says),)) for column in view.columns)
    return heading(view.name), Paragraph((note(view.says),)), Table(("", ""), rows)


def _row(columns: Sequence[str], row: Sequence[object], known: Container[object]) -> tuple[Line, ...]:
    place = _place(dict(zip(columns, row, strict=True)), known)
    return tuple((_cell(column, value, place),) for column, value in zip(columns, row, strict=True))


def _place(named: Mapping[str, object], known: Container[object]) -> Place | None:
    match named.get("file"), named.get("line"), named.get("col"):
        case str(file), int(line), int(col) if file in known:
            return Place(file, line, col)
        case str(file), int(line), _ if file in known:
            return Place(file, line)
    return None


def _cell(column: str, value: object, place: Place | None) -> Span:
    text = "" if value is None else str(_plain(value))
    return Span(text, Role.PLACE, place) if column == "file" and place else Span(text, Role.CODE)


def _plain(value: object) -> object:
    """A value as any format can hold it: bytes are counted, and what is no number of JSON is a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return f"<{count(len(value), 'byte')}>" if isinstance(value, bytes) else value


def _counted(found: Selected) -> str:
    return f"the first {count(len(found.rows), 'row')}" if found.is_bounded else count(len(found.rows), "row")


def _notes(found: Selected, question: SqlQuestion) -> tuple[str, ...]:
    more = (f"there are more: --limit {question.limit * 10} shows more",) if found.is_bounded else ()
    at_no_place = () if {"file", "line"} <= set(found.columns) else (NO_PLACE,)
    return (*more, *at_no_place)
