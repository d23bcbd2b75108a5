"""How values move: the rows of one scope as the index keeps them, and the steps of a path as they are told.

The rows say less than the facts they are made of (a file's value-flow program) and one thing more: what solving found out
of each call and each attribute. They are plain tuples, since they are packed by `marshal`; their layouts stand here and
nowhere else. Nodes go by program numbers; NOWHERE stands for what holds no value worth following.
"""

from __future__ import annotations

import marshal
import zlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

Row = tuple[Any, ...]  # one of the layouts of Move
Key = str | int | None  # of an element; None: any
NOWHERE = -1


class Move:
    """The kinds of rows. Each begins with (kind, line); what follows stands behind it."""

    COPY = 0  # dst, src
    LOAD = (
        1  # dst, base, name, owners, targets, classes: `base.name`; targets are properties' functions; classes: what base may be
    )
    STORE = 2  # base, name, src, owners, targets, classes
    CALL = 3  # dst, name, receiver (or NOWHERE), arguments (a starred one as ~node), keywords ((name or None, node) ...), targets
    ITEM = 4  # dst, base, key (None: any; a slice: (SLICE, start or None)), node of what bounds a slice
    SETITEM = 5  # base, key, src
    DISPLAY = 6  # dst, items ((key or None, node) ...); a starred item has key STAR_KEY
    DERIVE = 7  # dst, operation, sources, targets: a new value out of others, by an operator or a text
    DELETE = 8  # base, name, owners


# A target is the number of a symbol, twice, and 1 more where the call gives it a receiver: a bound method, a constructor.
BOUND = 1


ANY_CLASS = -1
Field = tuple[int, str, int]  # owner, name, and the class of the object that has it: told apart where few share the owner


class Touch:
    """How a scope touches a field; added together."""

    LOADS = 1
    STORES = 2


class ScopeMoves(NamedTuple):
    """One scope's rows and its head."""

    scope: int
    params: tuple[tuple[str, int, int, int], ...]  # (name, node, kind as in inspect.Parameter, line)
    result: int
    yields: int
    fields: tuple[str, ...]  # of a class: the names that its body declares, in order
    is_init: bool
    is_static: bool
    inner: tuple[int, ...]  # scopes whose rows name this scope's nodes
    labels: dict[int, str]  # names of nodes
    rows: tuple[Row, ...]


def pack_moves(moves: ScopeMoves) -> bytes:
    """A scope's rows as the index keeps them."""
    return zlib.compress(marshal.dumps(tuple(moves)), 1)


def unpack_moves(packed: bytes) -> ScopeMoves:
    """The rows of a scope."""
    return ScopeMoves(*marshal.loads(zlib.decompress(packed)))


class What(StrEnum):
    """What a step does to the value; the words of the exported form."""

    DECLARED = "declared"
    BORN = "born"
    PASSED = "passed"
    RETURNED = "returned"
    RENAMED = "renamed"
    STORED = "stored"
    LOADED = "loaded"
    DERIVED = "derived"
    UPDATED = "updated"
    CARRIED = "carried"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class FlowStep:
    """One step of a path: where, in which function (a symbol's id), what happens, and the field, name or operation of it."""

    file: str
    line: int
    function: int
    what: What
    detail: str
    statement: int  # the line where what it stands in begins
    unseen: bool = False  # loaded from an object of the class that was stored to; how it came here was not found
    later: bool = False  # it stands above the store, in a loop around both: it is read in the next iteration
    again: bool = False  # it stands above the store and in no loop: a later call of the function reads it


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A test that holds at one step of a path and not at another, though nothing in between is known to change it. Both are
    (file, line)."""

    test: str
    holds: tuple[str, int]
    fails: tuple[str, int]


@dataclass(frozen=True, slots=True)
class FlowPath:
    """A way of a value. `cost`: fewer and surer steps cost less. `ends`: the fields that it ends in, as (owner, name).
    `exclusion`: its branches exclude each other."""

    steps: tuple[FlowStep, ...]
    cost: float
    ends: tuple[tuple[int, str], ...] = ()
    exclusion: Exclusion | None = None
