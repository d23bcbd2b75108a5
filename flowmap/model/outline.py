"""What a scope says of its tests, in trees that can be evaluated: the finer extraction, made on demand.

Local names are replaced by what was assigned to them, so a tree speaks of parameters, fields, calls and constants alone.
Trees are compared by identity: the same place gives the same tree, shared wherever it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.literals import Position, Scalar


class Comparison(StrEnum):
    """The comparisons that can be evaluated."""

    SAME = "=="  # `is` as well: among constants and enum members both say the same
    DIFFERENT = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    IN = "in"
    NOT_IN = "not in"


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """Anything that is not followed."""


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A constant of the text."""

    value: Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A parameter, as it came in."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Free:
    """A name that the scope does not bind."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """`base.name`; `at` is the place of the whole."""

    base: Tree
    name: str
    at: Position


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call. `is_spread`: it has starred arguments, so that what a parameter receives is not known."""

    callee: Tree
    arguments: tuple[Tree, ...]
    keywords: tuple[tuple[str, Tree], ...]
    is_spread: bool
    at: Position


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """`base[key]`"""

    base: Tree
    key: Tree
    at: Position


@dataclass(frozen=True, slots=True, eq=False)
class Not:
    """`not operand`"""

    operand: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Every:
    """`a and b`"""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Some:
    """`a or b`"""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Compare:
    """`left op right`"""

    how: Comparison
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Display:
    """A list, tuple or set display."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """One of two, by a test: a ternary, or a name assigned in the branches of an `if`."""

    test: Tree
    holds: Tree
    fails: Tree


Tree = Unknown | Constant | Parameter | Free | Attribute | Call | Item | Not | Every | Some | Compare | Display | Select
Way = tuple[tuple[Tree, bool], ...]  # tests that came out so, for control to be at a place


@dataclass(frozen=True, slots=True)
class Tested:
    """A test that decides what runs."""

    at: Position
    tree: Tree
    text: str
    way: Way


@dataclass(frozen=True, slots=True)
class Stored:
    """`base.name = tree`; `at` is the place of `base.name`."""

    name: str
    tree: Tree
    at: Position
    way: Way


@dataclass(frozen=True, slots=True)
class Given:
    """A value on its way: returned, or passed by a call."""

    tree: Tree
    way: Way


@dataclass(frozen=True, slots=True)
class Outline:
    """One scope: a function, a module or a class body."""

    parameters: tuple[str, ...]  # positional ones first, in order
    n_positional: int
    defaults: Mapping[str, Tree]
    tests: tuple[Tested, ...]
    returned: tuple[Given, ...]
    stored: tuple[Stored, ...]
    calls: Mapping[Position, Given]  # whose trees are calls
    reads: Mapping[Position, Given]  # whose trees are attributes
    final: Mapping[str, Tree]  # what its names stand for at its end
    is_plain: bool  # gives what it returns: no generator, no coroutine; ends in `return` or `raise`
