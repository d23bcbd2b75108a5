"""What libraries do with the code that uses them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Passing(StrEnum):
    """What is passed to a function that is handed over to run elsewhere."""

    NOTHING = "nothing"
    REST = "rest"
    PACKED = "packed"
    ELEMENTS = "elements"
    MESSAGE = "message"  # nothing is called: an object is sent, and its type decides


@dataclass(frozen=True, slots=True)
class Border:
    """A call that hands something over to run elsewhere. `arguments`: position of a packed tuple, -1 when there is none."""

    positions: tuple[int, ...]
    keywords: tuple[str, ...]
    passing: Passing
    arguments: int
    why: str
    entry: str


@dataclass(frozen=True, slots=True)
class Start:
    """How an object starts to run a method of its own elsewhere: the method, and how that is said."""

    runs: str
    border: Border


@dataclass(frozen=True, slots=True)
class Given:
    """Where a call is given something: positions from 0, and keywords."""

    positions: tuple[int, ...]
    keywords: tuple[str, ...]


class Mixin(NamedTuple):
    """The methods by which a base does what it offers. `hands`: they get the arguments, and what they return is returned."""

    calls: tuple[str, ...]
    hands: bool


@dataclass(frozen=True, slots=True)
class Library:
    """`transparent`: dotted names that give back what they are given. `callbacks`: method → base → the methods that it calls.
    `wrapping`: (class, method) → what it reads of the object that its own works on, and what it calls of it.
    `mixins`: special method → base → the methods by which the base does it.

    `borders`: dotted names of what hands over. `by_package`: (package, method) → the dotted name of a method among these, for
    objects of which only the package is known. `followed`: the classes of these methods, and their packages.
    `registers`: what registers a function under a string → where the string and the function are given; a function of the
    indexed code by its name behind a dot. `namespaces`: dotted names below which such strings are called. `applied`: as
    `callbacks`, for methods of the class itself. `later`: functions of the standard library that keep what they are given and
    call it elsewhere; `eager`: classes of it whose objects are taken to call right where they are made.
    """

    transparent: frozenset[str]
    callbacks: dict[str, dict[str, tuple[str, ...]]]
    mixins: dict[str, dict[str, Mixin]]
    borders: dict[str, Border]
    by_package: dict[tuple[str, str], str]
    followed: frozenset[str]
    registers: dict[str, tuple[Given, Given]]
    namespaces: tuple[str, ...]
    registering: frozenset[str]  # the names of functions of the indexed code among `registers`
    applied: dict[tuple[str, str], str]
    later: frozenset[str] = frozenset()
    eager: frozenset[str] = frozenset()
    starts: dict[str, dict[str, Start]] = field(default_factory=dict)  # method that starts → base → what runs
    wrapping: dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)


@cache
def load_library() -> Library:
    """The tables that come with flowmap."""
    table = read_table("libraries.toml")
    callbacks: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in table["callback"]:
        for method, called in row["calls"].items():
            callbacks.setdefault(method, {})[row["base"]] = tuple(called)
    handed = read_table("borders.toml")
    borders = read_borders(handed)
    by_package: dict[tuple[str, str], str] = {}
    followed: set[str] = set()
    for dotted in borders:
        owner, _, name = dotted.rpartition(".")
        package = dotted.partition(".")[0]
        if owner.rpartition(".")[2][:1].isupper():
            by_package.setdefault((package, name), dotted)
            followed.update((owner, package))
    named = read_table("operators.toml")
    return Library(
        transparent=frozenset(table["transparent"]),
        callbacks=callbacks,
        mixins=read_mixins(table["mixin"]),
        borders=borders,
        by_package=by_package,
        followed=frozenset(followed),
        registers={call: (given(row["name"]), given(row["function"])) for row in named["register"] for call in row["calls"]},
        namespaces=tuple(named["namespaces"]),
        registering=frozenset(call[1:] for row in named["register"] for call in row["calls"] if call.startswith(".")),
        applied={(row["base"], row["method"]): row["calls"] for row in named["applied"]},
        later=frozenset(table["later"]),
        eager=frozenset(table["eager"]),
        starts=read_starts(handed),
        wrapping={
            (row["class"], method): (tuple(row["reads"]), tuple(called))
            for row in table["wrapping"]
            for method, called in row["calls"].items()
        },
    )


def read_table(name: str) -> dict[str, Any]:
    """A file of this package."""
    return tomllib.loads(files("flowmap.subject").joinpath(name).read_text("utf-8"))


def given(where: list[int | str]) -> Given:
    """Positions and keywords as the tables write them, in one list."""
    return Given(tuple(one for one in where if isinstance(one, int)), tuple(one for one in where if isinstance(one, str)))


def read_mixins(rows: list[dict[str, Any]]) -> dict[str, dict[str, Mixin]]:
    """What the operators of abstract collections run, by special method and base."""
    found: dict[str, dict[str, Mixin]] = {}
    for row in rows:
        for key in ("hands", "runs"):
            for method, calls in row[key].items():
                mixin = Mixin(tuple(calls), key == "hands")
                found.setdefault(method, {}).update(dict.fromkeys(row["bases"], mixin))
    return found


def read_borders(table: dict[str, Any]) -> dict[str, Border]:
    """The borders by the dotted names of their calls."""
    found: dict[str, Border] = {}
    for row in table["border"]:
        where = given(row["function"])
        border = Border(
            where.positions,
            where.keywords,
            Passing(row["passes"]),
            row.get("arguments", -1),
            row["why"],
            row.get("entry", ""),
        )
        found.update(dict.fromkeys(row["calls"], border))
    for row in table["message"]:
        found.update(dict.fromkeys(row["calls"], Border((row["object"],), (), Passing.MESSAGE, -1, row["why"], "")))
    return found


def read_starts(table: dict[str, Any]) -> dict[str, dict[str, Start]]:
    """What starts objects that run elsewhere: by method, then by base."""
    found: dict[str, dict[str, Start]] = {}
    for row in table["start"]:
        start = Start(row["runs"], Border((), (), Passing.NOTHING, -1, row["why"], row["entry"]))
        found.setdefault(row["calls"], {}).update(dict.fromkeys(row["base"], start))
    return found
