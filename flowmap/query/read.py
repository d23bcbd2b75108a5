"""Reads a query out of its file, or says all that is wrong with it at once.

The form is described in `docs/how-to/ask-a-question.md`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeVar

from flowmap.model.access import AccessKind
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.program import SiteKind
from flowmap.model.query import EVERYTHING, Anchor, Anchors, Expectation, Find, Name, Only, Query, Show
from flowmap.query.files import QueryFile
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
_OF_NAME = ("name", "since", "until")
_OF_EXPECTATION = ("at_least", "at_most", "in_functions", "not_in_functions")
_FOR = {"access": ("fields",), "kind": ("calls",), "with_value_of": ("calls",)}  # filters that say nothing of anything else
_GUARDS = ("guarded_by", "not_guarded_by")
_FIND = '[[find]]\n    fields = ["Class.field"]'
_SHOWN = (Show.ACCESS, Show.GUARDS)

Word = TypeVar("Word", bound=StrEnum)
Table = Mapping[str, object]


@dataclass(slots=True)
class _Page:
    """A file that is read, and what was found to be wrong with it so far; `part` is said in front of it."""

    shown: str
    part: str = ""
    problems: list[Problem] = field(default_factory=list)

    def within(self, part: str) -> _Page:
        """A part of the same file."""
        return _Page(self.shown, part, self.problems)

    def complain(self, what: str, fix: str = "") -> None:
        """Note one thing that is wrong."""
        where = f"{self.shown}, {self.part}" if self.part else self.shown
        self.problems.append(Problem(where, what, fix))


def read_query(file: QueryFile) -> Query:
    """The query of a file.

    Errors: FlowmapError with all problems of the file.
    """
    page = _Page(file.shown)
    table = _toml(file, page)
    query = _query(file.name, table, page) if not page.problems else None
    if query is None or page.problems:
        raise FlowmapError(*page.problems)
    return query


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


def _toml(file: QueryFile, page: _Page) -> Table:
    try:
        return tomllib.loads(file.path.read_text(encoding="utf-8"))
    except OSError as error:
        page.complain(f"cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        page.complain("cannot be read: it is not UTF-8", "Save it as UTF-8.")
    except ValueError as error:
        page.complain(f"is not TOML: {error}", "Correct that line.")
    except RecursionError:
        page.complain("is not TOML that can be read: its lists are too deep", "Correct that line.")
    return {}


def _query(name: str, table: Table, page: _Page) -> Query:
    _only_known(table, _OF_QUERY, page)
    question = _text(table, "question", page)
    if not question:
        page.complain("has no question", 'Write `question = "…?"`: what a reader wants to know, in words.')
    return Query(
        name=name,
        question=question,
        about=_text(table, "about", page),
        finds=_finds(table, page),
        show=_words(table, "show", Show, page) or _SHOWN,
        expectations=_expectations(table, page),
    )


def _finds(table: Table, page: _Page) -> tuple[Find, ...]:
    rows = table.get("find")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        page.complain("looks for nothing" if rows is None else "`find` is not a list of tables", f"Write {_FIND}")
        return ()
    return tuple(_find(row, page.within(f"[[find]] {number}")) for number, row in enumerate(rows, start=1))


def _find(row: Table, page: _Page) -> Find:
    _only_known(row, _OF_FIND, page)
    if not any(key in row for key in _SELECTED):
        page.complain("says not what it looks for", 'Write `fields = ["Class.field"]`, `calls = […]` or `functions = […]`.')
    for key, selected in _FOR.items():
        if key in row and not any(each in row for each in selected):
            page.complain(
                f"`{key}` says nothing here: it is about {selected[0]}", f"Take it out, or write `{selected[0]} = […]`."
            )
    if any(key in row for key in _GUARDS) and not any(key in row for key in ("fields", "calls")):
        page.complain("functions have no guards; calls and accesses of fields do", "Write `calls = […]` to find where they run.")
    fields, calls, functions = (_anchors(row, key, page) for key in _SELECTED)
    only = _only(row, page)
    if not only.in_function and any(name.text == EVERYTHING for anchor in calls for name in anchor.names):
        page.complain('`calls = ["*"]` is every call of the subject', 'Say in which functions: `in_function = ["NAME"]`.')
    return Find(_text(row, "what", page), fields, calls, functions, only)


def _only(row: Table, page: _Page) -> Only:
    return Only(
        access=_words(row, "access", AccessKind, page),
        kind=_words(row, "kind", SiteKind, page),
        in_module=_texts(row, "in_module", page),
        not_in_module=_texts(row, "not_in_module", page),
        in_function=_anchors(row, "in_function", page),
        reached_from=_anchors(row, "reached_from", page),
        guarded_by=_texts(row, "guarded_by", page),
        not_guarded_by=_texts(row, "not_guarded_by", page),
        says=_texts(row, "says", page),
        with_value_of=_anchors(row, "with_value_of", page),
    )


def _anchors(row: Table, key: str, page: _Page) -> Anchors:
    values = row.get(key, [])
    if not isinstance(values, list) or (key in row and not values):
        page.complain(f"`{key}` is not a list of names", f'Write `{key} = ["NAME"]`; a list in it holds the names of one thing.')
        return ()
    return tuple(_anchor(key, value, page) for value in values)


def _anchor(key: str, value: object, page: _Page) -> Anchor:
    values = value if isinstance(value, list) else [value]
    if not values:
        page.complain(f"`{key}` holds an empty list", "A list in it holds the names of one thing.")
    return Anchor(tuple(name for each in values if (name := _name(key, each, page))))


def _name(key: str, value: object, page: _Page) -> Name | None:
    if isinstance(value, str) and value.strip():
        return Name(value.strip())
    if not isinstance(value, dict):
        page.complain(f"`{key}` holds {value!r}, which is no name", 'Write "NAME" or { name = "NAME", until = "RELEASE" }.')
        return None
    _only_known(value, _OF_NAME, page)
    text = _text(value, "name", page)
    if not text:
        page.complain(f"`{key}` holds a table without a name", 'Write { name = "NAME", until = "RELEASE" }.')
    return Name(text, *(_version(value, each, page) for each in ("since", "until")))


def _version(table: Table, key: str, page: _Page) -> str:
    text = _text(table, key, page)
    if text and version_in(text) is None:
        page.complain(f"`{key} = {text!r}` is no release", 'Write a version, as `"1.2.3"`.')
        return ""
    return text


def _expectations(table: Table, page: _Page) -> tuple[Expectation, ...]:
    rows = table.get("expect", {})
    if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
        page.complain("`expect` is not a table for each release", 'Write [expect."1.2.3"] and below it `at_least = 1`.')
        return ()
    return tuple(_expectation(release, row, page.within(f'[expect."{release}"]')) for release, row in rows.items())


def _expectation(release: str, row: Table, page: _Page) -> Expectation:
    if version_in(release) is None:
        page.complain(f"`{release}` is no release", 'Write a version between quotes, as [expect."1.2.3"].')
    _only_known(row, _OF_EXPECTATION, page)
    least, most = (_number(row, key, page) for key in ("at_least", "at_most"))
    if 0 <= most < least:
        page.complain(f"at least {least} and at most {most} cannot both be", "Write the smaller one behind `at_least`.")
    if not any(key in row for key in _OF_EXPECTATION):
        page.complain("expects nothing", "Write `at_least = 1`.")
    return Expectation(release, least, most, _texts(row, "in_functions", page), _texts(row, "not_in_functions", page))


def _number(row: Table, key: str, page: _Page) -> int:
    value = row.get(key, -1)
    if isinstance(value, int) and not isinstance(value, bool) and (value >= 0 or key not in row):
        return value
    page.complain(f"`{key}` is no number of answers", f"Write `{key} = 1`.")
    return -1


def _text(table: Table, key: str, page: _Page) -> str:
    value = table.get(key, "")
    if isinstance(value, str):
        return value.strip()
    page.complain(f"`{key}` is no text", f'Write `{key} = "…"`.')
    return ""


def _texts(table: Table, key: str, page: _Page) -> tuple[str, ...]:
    values = table.get(key, [])
    if isinstance(values, list) and all(isinstance(value, str) and value.strip() for value in values):
        return tuple(values)
    page.complain(f"`{key}` is not a list of texts", f'Write `{key} = ["…"]`.')
    return ()


def _words(table: Table, key: str, words: type[Word], page: _Page) -> tuple[Word, ...]:
    """The members of an enumeration that a list names."""
    known = {word.value: word for word in words}
    values = _texts(table, key, page)
    for value in values:
        if value not in known:
            page.complain(f"`{key}` knows no `{value}`", _meant(value, known))
    return tuple(known[value] for value in values if value in known)


def _only_known(table: Table, known: Iterable[str], page: _Page) -> None:
    for key in table:
        if key not in known:
            page.complain(f"unknown key `{key}`", _meant(key, known))


def _meant(text: str, known: Iterable[str]) -> str:
    near = get_close_matches(text, list(known), 1)
    return f"Did you mean `{near[0]}`?" if near else f"Known: {', '.join(known)}."
