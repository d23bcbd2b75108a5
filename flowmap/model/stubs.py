"""What a stub says of the standard library, lowered to flat rows: the same reasons and rules as for `model/facts.py`.

A module is a dict from names to entries. An entry begins with one of `Entry`; a tree, a type as written, with one of `Said`.
Dotted names in trees are as the stub's own imports say; they may be aliases still.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

STUB_FORMAT = 3  # raised whenever a layout here, or what extraction makes of a stub, changes

StubEntry = tuple[Any, ...]
StubTree = tuple[Any, ...]
StubModule = dict[str, StubEntry]
ReadStub = Callable[[str], StubModule | None]  # a module by its dotted name; None where no stub has it

STARS = "*"  # the name under which a module keeps the modules that it takes all names of


class Entry:
    """The kinds of entries; the rest of the tuple after each."""

    CLASS = 0  # bases (trees), members (a dict of entries)
    FUNCTION = 1  # FunctionFlag, signatures: ((name, kind as in inspect.Parameter, tree, has a default) ...), result tree
    VARIABLE = 2  # tree; properties, too
    ALIAS = 3  # dotted name, 1 when a star takes it over (`import x as x`)
    TYPE_ALIAS = 4  # tree
    TYPE_VARIABLE = 5  # nothing more
    STARS = 6  # dotted names of modules


class FunctionFlag:
    """How a function in a class takes its first argument."""

    STATIC = 1
    CLASSMETHOD = 2


class Said:
    """The kinds of trees; the rest of the tuple after each."""

    NAME = 0  # dotted name
    ITEM = 1  # dotted name, trees
    UNION = 2  # trees
    NONE = 3
    ANY = 4
    CALLABLE = 5  # trees of the parameters that are said, 1 when the call's further arguments follow, tree of the result
    REST = 6  # the call's further arguments: `*args: P.args`
    SLOT = 7  # key of a slot of the receiver; made while solving
    SELF = 8
    LITERAL = 10  # texts, one of which an argument is
    VARIABLE = 9  # dotted name of a type variable of a function; made while solving
