"""The control flow inside one scope: its statements in basic blocks, and why control goes from one block to another."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Point = tuple[int, int]  # line, column, as in `ast`


class Turn(StrEnum):
    """Why control goes from one block to another."""

    NEXT = "next"  # nothing decides
    HOLDS = "holds"  # a test holds, a pattern or handler matches, there is one more item
    FAILS = "fails"  # it does not, there is none
    AGAIN = "again"  # back to the head of a loop
    LEAVES = "leaves"  # by `return`, `break` or `continue`
    RAISES = "raises"  # an exception is on its way
    SUPPRESSED = "suppressed"  # it ends here, if the context manager says so


class BlockRole(StrEnum):
    """What a block is to its scope."""

    ENTRY = "entry"
    EXIT = "exit"  # the scope ends well: by `return`, or behind its last statement
    RAISED = "raised"  # it is left by an exception
    BODY = "body"


@dataclass(frozen=True, slots=True)
class Statement:
    """A simple statement, or the head of a compound one: `if x > 3:`. Places as in `ast`, the end of a head without its body.

    `inside`: the numbers of the heads around it, outermost first. `is_silent`: nothing is evaluated there: `try:`, `pass`,
    a constant test. `is_added`: stands for what the text has no statement for: `finally:`, the end of a `with`.
    """

    number: int
    text: str
    start: Point
    end: Point
    inside: tuple[int, ...]
    is_silent: bool
    is_added: bool


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Statements that run one after the other: control comes in at the first and goes on behind the last, or is taken away by
    an exception. The entry and the two exits hold none. `is_reachable`: some way leads there from the entry."""

    number: int
    role: BlockRole
    statements: tuple[Statement, ...]
    is_reachable: bool


@dataclass(frozen=True, slots=True)
class Branch:
    """A way from one block to another. `label` is what has to hold, in the words of the text; "" where nothing has."""

    start: int
    end: int
    turn: Turn
    label: str


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """Blocks in the order of the text, the entry and the exits first; branches by where they start."""

    blocks: tuple[BasicBlock, ...]
    branches: tuple[Branch, ...]
