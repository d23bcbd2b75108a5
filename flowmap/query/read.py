"""Reads a query out of its file, or says all that is wrong with it at once.

The form is described in `docs/how-to/ask-a-question.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from flowmap.model.access import AccessKind
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.program import SiteKind
from flowmap.model.query import EVERYTHING, Expectation, Find, Only, Query, Show
from flowmap.query.files import QueryFile
from flowmap.query.page import Page, Table, anchors_of, only_known, read_page, text_of, texts_of, words_of
from flowmap.query.release import version_in

_SELECTED = ("fields", "calls", "functions")
_FILTERS = (
    "access",
    "kind",
    "in_module",
    "not_in_module",
    "in_function",
    "reached_from",
    "guarded_by",
    "not_guarded_by",
    "says",
    "with_value_of",
)
_OF_QUERY = ("question", "about", "find", "show", "expect")
_OF_FIND = ("what", *_SELECTED, *_FILTERS)
_OF_EXPECTATION = ("at_least", "at_most", "in_functions", "not_in_functions")
_FOR = {"access": ("fields",), "kind": ("calls",), "with_value_of": ("calls",)}  # filters that say nothing of anything else
_GUARDS = ("guarded_by", "not_guarded_by")
_FIND = '[[find]]\n    fields = ["Class.field"]'
_SHOWN = (Show.ACCESS, Show.GUARDS)


def read_query(file: QueryFile) -> Query:
    """The query of a file.

    Errors: FlowmapError with all problems of the file.
    """
    return read_page(file, partial(_query, file.name))


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file of a query: the query, or what is wrong with the file."""

    file: QueryFile
    query: Query | None
    problems: tuple[Problem, ...]


def read_files(files: Iterable[QueryFile]) -> tuple[ReadFile, ...]:
    """The queries of many files; one that cannot be read hides no other."""
    return tuple(map(_read_file, files))


def _read_file(file: QueryFile) -> ReadFile:
    try:
        return ReadFile(file, read_query(file), ())
    except FlowmapError as error:
        return ReadFile(file, None, error.problems)


def _query(name: str, table: Table, page: Page) -> Query:
    only_known(table, _OF_QUERY, page)
    question = text_of(table, "question", page)
    if not question:
        page.complain("has no question", 'Write `question = "…?"`: what a reader wants to know, in words.')
    return Query(
        name=name,
        question=question,
        about=text_of(table, "about", page),
        finds=finds_of(table, page),
        show=words_of(table, "show", Show, page) or _SHOWN,
        expectations=_expectations(table, page),
    )


def finds_of(table: Table, page: Page) -> tuple[Find, ...]:
    """What a file looks for, in the order in which it stands there."""
    rows = table.get("find")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        page.complain("looks for nothing" if rows is None else "`find` is not a list of tables", f"Write {_FIND}")
        return ()
    return tuple(_find(row, page.within(f"[[find]] {number}")) for number, row in enumerate(rows, start=1))


def _find(row: Table, page: Page) -> Find:
    only_known(row, _OF_FIND, page)
    if not any(key in row for key in _SELECTED):
        page.complain("says not what it looks for", 'Write `fields = ["Class.field"]`, `calls = […]` or `functions = […]`.')
    for key, selected in _FOR.items():
        if key in row and not any(each in row for each in selected):
            page.complain(
                f"`{key}` says nothing here: it is about {selected[0]}", f"Take it out, or write `{selected[0]} = […]`."
            )
    if any(key in row for key in _GUARDS) and not any(key in row for key in ("fields", "calls")):
        page.complain("functions have no guards; calls and accesses of fields do", "Write `calls = […]` to find where they run.")
    fields, calls, functions = (anchors_of(row, key, page) for key in _SELECTED)
    only = _only(row, page)
    if not only.in_function and any(name.text == EVERYTHING for anchor in calls for name in anchor.names):
        page.complain('`calls = ["*"]` is every call of the subject', 'Say in which functions: `in_function = ["NAME"]`.')
    return Find(text_of(row, "what", page), fields, calls, functions, only)


def _only(row: Table, page: Page) -> Only:
    return Only(
        access=words_of(row, "access", AccessKind, page),
        kind=words_of(row, "kind", SiteKind, page),
        in_module=texts_of(row, "in_module", page),
        not_in_module=texts_of(row, "not_in_module", page),
        in_function=anchors_of(row, "in_function", page),
        reached_from=anchors_of(row, "reached_from", page),
        guarded_by=texts_of(row, "guarded_by", page),
        not_guarded_by=texts_of(row, "not_guarded_by", page),
        says=texts_of(row, "says", page),
        with_value_of=anchors_of(row, "with_value_of", page),
    )


def _expectations(table: Table, page: Page) -> tuple[Expectation, ...]:
    rows = table.get("expect", {})
    if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
        page.complain("`expect` is not a table for each release", 'Write [expect."1.2.3"] and below it `at_least = 1`.')
        return ()
    return tuple(_expectation(release, row, page.within(f'[expect."{release}"]')) for release, row in rows.items())


def _expectation(release: str, row: Table, page: Page) -> Expectation:
    if version_in(release) is None:
        page.complain(f"`{release}` is no release", 'Write a version between quotes, as [expect."1.2.3"].')
    only_known(row, _OF_EXPECTATION, page)
    least, most = (_number(row, key, page) for key in ("at_least", "at_most"))
    if 0 <= most < least:
        page.complain(f"at least {least} and at most {most} cannot both be", "Write the smaller one behind `at_least`.")
    if not any(key in row for key in _OF_EXPECTATION):
        page.complain("expects nothing", "Write `at_least = 1`.")
    return Expectation(release, least, most, texts_of(row, "in_functions", page), texts_of(row, "not_in_functions", page))


def _number(row: Table, key: str, page: Page) -> int:
    value = row.get(key, -1)
    if isinstance(value, int) and not isinstance(value, bool) and (value >= 0 or key not in row):
        return value
    page.complain(f"`{key}` is no number of answers", f"Write `{key} = 1`.")
    return -1
