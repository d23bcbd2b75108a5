"""How a file of questions is read: its keys and values, with everything that is wrong with it said at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeVar

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.query import Anchor, Anchors, Name
from flowmap.query.files import QueryFile
from flowmap.query.release import version_in

_OF_NAME = ("name", "since", "until")

Word = TypeVar("Word", bound=StrEnum)
Read = TypeVar("Read")
Table = Mapping[str, object]


@dataclass(slots=True)
class Page:
    """A file that is read, and what was found to be wrong with it so far; `part` is said in front of it."""

    shown: str
    part: str = ""
    problems: list[Problem] = field(default_factory=list)

    def within(self, part: str) -> Page:
        """A part of the same file."""
        return Page(self.shown, part, self.problems)

    def complain(self, what: str, fix: str = "") -> None:
        """Note one thing that is wrong."""
        where = f"{self.shown}, {self.part}" if self.part else self.shown
        self.problems.append(Problem(where, what, fix))


def read_page(file: QueryFile, read: Callable[[Table, Page], Read | None]) -> Read:
    """What `read` makes of a file's table, complaining to its page; it gives None only where it complained.

    Errors: FlowmapError with all that is wrong with the file.
    """
    page = Page(file.shown)
    table = toml_in(file, page)
    made = read(table, page) if not page.problems else None
    if made is None or page.problems:
        raise FlowmapError(*page.problems)
    return made


def twice(names: Iterable[str]) -> Iterator[str]:
    """The names that are there more than once, each once; "" is none."""
    listed = list(names)
    yield from dict.fromkeys(name for name in listed if name and listed.count(name) > 1)


def toml_in(file: QueryFile, page: Page) -> Table:
    """What stands in a file; empty, with a problem noted, where it cannot be read."""
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


def lines_of_tables(file: QueryFile, name: str, most: int) -> list[int]:
    """The line on which each [[NAME]] begins; 1 for all where the text does not tell."""
    header = re.compile(rf"^\s*\[\[\s*{re.escape(name)}\s*\]\]")
    text = file.path.read_text(encoding="utf-8").split("\n")
    found = [number for number, line in enumerate(text, start=1) if header.match(line)]
    return found if len(found) == most else [1] * most


def anchors_of(row: Table, key: str, page: Page) -> Anchors:
    """The things that a list names, each by one name or by all that it has had."""
    values = row.get(key, [])
    if not isinstance(values, list) or (key in row and not values):
        page.complain(f"`{key}` is not a list of names", f'Write `{key} = ["NAME"]`; a list in it holds the names of one thing.')
        return ()
    return tuple(_anchor(key, value, page) for value in values)


def _anchor(key: str, value: object, page: Page) -> Anchor:
    values = value if isinstance(value, list) else [value]
    if not values:
        page.complain(f"`{key}` holds an empty list", "A list in it holds the names of one thing.")
    return Anchor(tuple(name for each in values if (name := _name(key, each, page))))


def _name(key: str, value: object, page: Page) -> Name | None:
    if isinstance(value, str) and value.strip():
        return Name(value.strip())
    if not isinstance(value, dict):
        page.complain(f"`{key}` holds {value!r}, which is no name", 'Write "NAME" or { name = "NAME", until = "RELEASE" }.')
        return None
    only_known(value, _OF_NAME, page)
    text = text_of(value, "name", page)
    if not text:
        page.complain(f"`{key}` holds a table without a name", 'Write { name = "NAME", until = "RELEASE" }.')
    return Name(text, *(version_of(value, each, page) for each in ("since", "until")))


def version_of(table: Table, key: str, page: Page) -> str:
    """A release; "" where none is named."""
    text = text_of(table, key, page)
    if text and version_in(text) is None:
        page.complain(f"`{key} = {text!r}` is no release", 'Write a version, as `"1.2.3"`.')
        return ""
    return text


def text_of(table: Table, key: str, page: Page) -> str:
    """A text without blanks around it; "" where the key is not there."""
    value = table.get(key, "")
    if isinstance(value, str):
        return value.strip()
    page.complain(f"`{key}` is no text", f'Write `{key} = "…"`.')
    return ""


def texts_of(table: Table, key: str, page: Page) -> tuple[str, ...]:
    """A list of texts; empty where the key is not there."""
    values = table.get(key, [])
    if isinstance(values, list) and all(isinstance(value, str) and value.strip() for value in values):
        return tuple(values)
    page.complain(f"`{key}` is not a list of texts", f'Write `{key} = ["…"]`.')
    return ()


def words_of(table: Table, key: str, words: type[Word], page: Page) -> tuple[Word, ...]:
    """The members of an enumeration that a list names."""
    known = {word.value: word for word in words}
    values = texts_of(table, key, page)
    for value in values:
        if value not in known:
            page.complain(f"`{key}` knows no `{value}`", nearest_word(value, known))
    return tuple(known[value] for value in values if value in known)


def only_known(table: Table, known: Iterable[str], page: Page) -> None:
    """Notes every key that means nothing."""
    for key in table:
        if key not in known:
            page.complain(f"unknown key `{key}`", nearest_word(key, known))


def nearest_word(text: str, known: Iterable[str]) -> str:
    """What may be meant by a word that is not known."""
    near = get_close_matches(text, list(known), 1)
    return f"Did you mean `{near[0]}`?" if near else f"Known: {', '.join(known)}."
