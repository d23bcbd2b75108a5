"""How pages are called, and where each leads from another: names that every file system and every address can bear."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from flowmap.atlas.slice import Slice
from flowmap.model.place import Place
from flowmap.model.program import Definition
from flowmap.render.addresses import Addresses
from flowmap.render.text import linked

FUNCTIONS, CLASSES, FIELDS, QUERIES, DRIFT, SOURCE = "functions", "classes", "fields", "queries", "drift", "source"
EMITTED = "emitted"
LIST_OF = {"functions": FUNCTIONS, "classes": CLASSES, "fields": FIELDS, "queries": QUERIES, "files": SOURCE}
_ODD = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST = 120
_DIGEST_BYTES = 4


@dataclass(frozen=True, slots=True)
class PageNames:
    """The names of all pages: of functions and classes by symbol, of fields, queries and emitted packages by name, of
    files by path."""

    functions: Mapping[str, str]
    classes: Mapping[str, str]
    fields: Mapping[str, str]
    queries: Mapping[str, str]
    files: Mapping[str, str]
    emitted: Mapping[str, str]
    link: str
    at: Mapping[Place, str] = field(default_factory=dict)  # functions and classes by where they stand

    def of_definition(self, one: Definition) -> str:
        """The page of a function or class, "" where it has none."""
        return self.of_symbol(one.symbol)

    def of_symbol(self, symbol: str) -> str:
        """The page of a function or class by its symbol, "" where it has none."""
        return self.functions.get(symbol) or self.classes.get(symbol, "")


def names_of(slice_: Slice) -> PageNames:
    """The names of the pages of a slice."""
    functions = page_names(FUNCTIONS, (one.symbol for one in slice_.functions))
    classes = page_names(CLASSES, (one.symbol for one in slice_.classes))
    at = {one.place: functions[one.symbol] for one in slice_.functions if one.place}
    at |= {one.place: classes[one.symbol] for one in slice_.classes if one.place}
    return PageNames(
        functions,
        classes,
        page_names(FIELDS, (one.name for one in slice_.watch.fields)),
        page_names(QUERIES, (one.name for one in slice_.queries)),
        page_names(SOURCE, slice_.files),
        page_names(EMITTED, (one.recipe.name for one in slice_.emissions)),
        slice_.link,
        at,
    )


def page_names(folder: str, keys: Iterable[str]) -> dict[str, str]:
    """A page for each key. What is odd or long in a name is left out, and names that would then be alike, in any case of their
    letters, are told apart."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for key in sorted(set(keys)):
        parts = [_plain(part) for part in key.split("/")] if folder == SOURCE else [_plain(key)]
        name = "/".join((folder, *parts))
        if name.lower() in taken or name.endswith("/index"):
            name = f"{name}-{_digest(key)}"
        taken.add(name.lower())
        found[key] = name
    return found


def addresses_from(page: str, names: PageNames) -> Addresses:
    """Where things stand, as seen from a page. What has no page here is looked for in the public source."""

    def to(other: str, anchor: str = "") -> str:
        if other == page and anchor:
            return anchor
        return f"{posixpath.relpath(other, posixpath.dirname(page) or '.')}.html{anchor}" if other else ""

    def of_place(place: Place) -> str:
        if place.file in names.files:
            return to(names.files[place.file], f"#L{place.line}")
        return linked(names.link, place) if names.link else ""

    return Addresses(
        of_place=of_place,
        of_definition=lambda one: to(names.of_definition(one)),
        of_field=lambda name: to(names.fields.get(name, "")),
        of_page=to,
        of_symbol=lambda place: to(names.at.get(place, "")),
    )


def _plain(text: str) -> str:
    plain = _ODD.sub("-", text.replace(".<locals>", "")).strip("-.")[:_LONGEST]
    return plain if plain == text else f"{plain}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=_DIGEST_BYTES).hexdigest()
