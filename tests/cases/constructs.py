"""The constructs of Python that the cases must cover, and which of them a case may name."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

_LIST = Path(__file__).with_name("constructs.toml")


class UnknownConstructError(Exception):
    """A construct that `constructs.toml` does not name."""


@dataclass(frozen=True, slots=True)
class Constructs:
    """`groups` are (name, constructs) in the manual's order. `open` are those that no case covers yet."""

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    open: frozenset[str]

    @property
    def names(self) -> tuple[str, ...]:
        """All constructs."""
        return tuple(name for _, names in self.groups for name in names)


@cache
def load_constructs() -> Constructs:
    """The constructs that `constructs.toml` names."""
    table = tomllib.loads(_LIST.read_text(encoding="utf-8"))
    return Constructs(tuple((group, tuple(names)) for group, names in table["groups"].items()), frozenset(table["open"]))


def constructs_named(text: str, word: str) -> tuple[str, ...]:
    """What the lines `WORD: A, B.` of a case name. Errors: UnknownConstructError with the nearest name."""
    lines = re.findall(rf"^{word}: (.+)\.$", text, re.MULTILINE)
    return tuple(known(name) for line in lines for name in re.split(r",\s*(?![^()]*\))", line))


def known(name: str) -> str:
    """The construct of this very name."""
    names = load_constructs().names
    if name in names:
        return name
    nearest = get_close_matches(name, names, 1, cutoff=0)
    raise UnknownConstructError(f"unknown construct `{name}`. Did you mean `{nearest[0]}`?")
