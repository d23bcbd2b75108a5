"""Names that are computed: what a string may name on an object, in a module, among the modules.

A string holds `COMPUTED` for each part that is not known; twice in a row for one that may hold dots.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from flowmap.model.facts import COMPUTED, Row
from flowmap.solve.state import State
from flowmap.solve.values import Kind

DEEP = COMPUTED * 2  # a computed part that may hold dots


def text_continued(state: State, value: int, row: Row) -> None:
    """A text with something constant behind it. Rows (dst, src, rest)."""
    dst, src, rest = row
    text = state.values.payloads[value] + rest
    if len(text) < LONGEST_TEXT:
        state.turn(dst, state.values.of(Kind.STRING, text), (src, value))


LONGEST_TEXT = 120


@lru_cache(maxsize=4096)
def pattern_of(text: str) -> re.Pattern[str]:
    """What a text with computed parts may be."""
    deep = [re.escape(part).replace(COMPUTED, "[^.]+") for part in text.split(DEEP)]
    return re.compile(".+".join(deep))


def fitting(names: Iterable[str], text: str) -> Iterator[str]:
    """The names that a text with computed parts may be."""
    matches = pattern_of(text).fullmatch
    return (name for name in names if matches(name))


def says_something(text: str) -> bool:
    """Whether a text has a constant part that tells names apart."""
    return any(map(str.isalnum, text))


def attribute_by_name(state: State, value: int, row: Row) -> None:
    """A string names an attribute; one with a computed part all that it may name. Rows (dst, base, site)."""
    dst, base, site = row
    text = state.values.payloads[value]
    if COMPUTED in text:
        state.watch(base, state.tables["attributes like"], (dst, base, text))
    else:
        state.watch(base, state.tables["attribute"], (dst, base, text, site))


def attributes_like(state: State, value: int, row: Row) -> None:
    """All attributes of an instance's class that a name with a computed part may mean. Rows (dst, base, text)."""
    text = row[2]
    if says_something(text):
        read_each(state, value, row, fitting(names_provided(state, value), text))


def names_provided(state: State, value: int) -> dict[str, None]:
    """The names that the classes of a value provide, in their order."""
    provides = state.variants.classes.provides
    return {name: None for one in state.families.each(value) for name in provides[state.values.payloads[one]]}


def names_like(state: State, value: int, row: Row) -> None:
    """All names of a module that a name with a computed part may mean; a name that is all computed came from `dir`."""
    read_each(state, value, row, fitting(state.imports.names(state.values.payloads[value]), row[2]))


def read_each(state: State, value: int, row: Row, names: Iterable[str]) -> None:
    """Reads several attributes of a value into one node."""
    dst, base, _ = row
    found = guessed(state, dst)
    for name in names:
        for handler in state.tables["attribute"][state.values.kinds[value]]:
            handler(state, value, (found, base, name, -1))


def guessed(state: State, dst: int) -> int:
    """A node beside `dst` for what a computed name may mean: inferred at best."""
    found = state.side_node(dst, "by a computed name")
    state.flow_weakly(found, dst)
    return found


def store_by_name(state: State, value: int, row: Row) -> None:
    """`setattr` with a known name, or with one that a constant part tells apart. Rows (base, src)."""
    base, src = row
    text = state.values.payloads[value]
    if COMPUTED not in text or text in state.fields.computed_stores:
        state.watch(base, state.tables["store"], (base, text, src, -1))


def module_by_name(state: State, value: int, row: Row) -> None:
    """A string names a module, relative to a package where it begins with a dot. Rows (dst, package node or -1)."""
    dst, package = row
    text = state.values.payloads[value]
    if text.startswith("."):
        if package >= 0:
            state.watch(package, state.tables["module below"], (dst, text))
    else:
        bring_modules(state, dst, text)


def module_below(state: State, value: int, row: Row) -> None:
    """The package of a relative import. Rows (dst, text)."""
    dst, text = row
    name = text.lstrip(".")
    package = state.values.payloads[value].rsplit(".", len(text) - len(name) - 1)[0]
    bring_modules(state, dst, f"{package}.{name}")


def bring_modules(state: State, dst: int, text: str) -> None:
    """The modules that a text means, into a node. One that begins with a computed part means none."""
    if COMPUTED not in text:
        if text in state.layout.packages:
            state.imports.bring_module(dst, text)
    elif not text.startswith(COMPUTED):
        found = guessed(state, dst)
        for module in fitting(state.layout.module_names, text):
            state.imports.bring_module(found, module)


def member_by_name(state: State, value: int, row: Row) -> None:
    """A string names an entry of a module's names. Rows (dst, container, file)."""
    dst, container, file = row
    text = state.values.payloads[value]
    if COMPUTED not in text:
        state.slots.read(container, text, dst)
    elif says_something(text):
        found = guessed(state, dst)
        for name in fitting(state.imports.names(file), text):
            state.slots.read(container, name, found)
