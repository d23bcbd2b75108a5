"""Sites as text: where they begin and end, and which lines have any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flowmap.model.opinion import SiteSpan
from flowmap.model.place import Place
from flowmap.model.program import Definition, SiteKind
from flowmap.store.index import Index, Row, as_json

_COLUMNS = "id, kind, file, line, col, end_line, end_col"
_IN = "IN (SELECT value FROM json_each(?))"


def spans(index: Index, sites: Iterable[int]) -> tuple[SiteSpan, ...]:
    """The spans of sites, by file, line and column."""
    query = f"SELECT {_COLUMNS} FROM site WHERE id {_IN} ORDER BY id"
    return tuple(_span(index, row) for row in index.rows(query, as_json(sites)))


@dataclass(frozen=True, slots=True)
class NamedSpan:
    """A site as text, with the last name of what it calls, which stands on line `name_line`. Columns count bytes."""

    site: int
    name: str
    name_line: int
    start: Place
    end_line: int
    end_col: int


def named_spans(index: Index, path: str, lines: range) -> tuple[NamedSpan, ...]:
    """The sites of a file that begin on these lines, by line and column."""
    query = """SELECT id, name, name_line, line, col, end_line, end_col FROM site WHERE file = ? AND line BETWEEN ? AND ?
        ORDER BY line, col, id"""
    rows = index.rows(query, index.file_ids[path], lines.start, lines.stop - 1)
    return tuple(NamedSpan(site, name, at, Place(path, line, col), *end) for site, name, at, line, col, *end in rows)


def sites_of_kinds(index: Index, kinds: Iterable[SiteKind]) -> tuple[int, ...]:
    """The ids of all sites of these kinds."""
    texts = ", ".join(f"'{kind.value}'" for kind in kinds)
    return tuple(number for (number,) in index.rows(f"SELECT id FROM site WHERE kind IN ({texts}) ORDER BY id"))


def nearest_lines(index: Index, path: str, line: int, most: int) -> tuple[int, ...]:
    """The lines of a file nearest to a line that have a site, in the order of the text."""
    query = "SELECT DISTINCT name_line FROM site WHERE file = ? ORDER BY ABS(name_line - ?), name_line LIMIT ?"
    return tuple(sorted(number for (number,) in index.rows(query, index.file_ids[path], line, most)))


def definitions_on(index: Index, place: Place) -> tuple[Definition, ...]:
    """The definitions that begin on a line."""
    query = "SELECT id FROM symbol WHERE file = ? AND line = ? AND kind <> 'module' ORDER BY col, id"
    return tuple(index.definitions(number for (number,) in index.rows(query, index.file_ids[place.file], place.line)))


def _span(index: Index, row: Row) -> SiteSpan:
    number, kind, file, line, col, end_line, end_col = row
    return SiteSpan(number, SiteKind(kind), Place(index.files[file].path, line, col), end_line, end_col)
