"""What is different between two states of a code base, as a reader of a change sees it: each thing once, under its new name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.place import Place


class Side(StrEnum):
    """Whether something is there only after the change, or only before it."""

    APPEARED = "appeared"
    VANISHED = "vanished"


@dataclass(frozen=True, slots=True)
class Renamed:
    """A definition under another symbol: moved, renamed or both. What stands inside it went with it, and is not told again."""

    before: str
    after: str
    how: str
    is_sure: bool
    place: Place | None


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition that came or went. `hides`: what a new method of a class hides, or a vanished one hid; `n_inside`: the
    definitions in it, `n_calls` and `n_accesses` what these and it do."""

    side: Side
    symbol: str
    kind: str
    signature: str
    hides: str
    n_inside: int
    n_calls: int
    n_accesses: int
    place: Place | None


@dataclass(frozen=True, slots=True)
class Resigned:
    """A function that takes or gives something else."""

    symbol: str
    before: str
    after: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Reordered:
    """A class with another order; `n_below`: the classes below it whose order is another for the same reason."""

    symbol: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    n_below: int
    place: Place | None


@dataclass(frozen=True, slots=True)
class CallChange:
    """A call edge. `place`: the site; of one that vanished the function that called. `was`: the site before. `times`: how many
    sites more or fewer; `is_whole`: before or after there is none."""

    side: Side
    caller: str
    callee: str
    guards: tuple[str, ...]
    times: int
    is_whole: bool
    is_outside: bool  # what is called stands outside the indexed code
    place: Place | None
    was: Place | None


@dataclass(frozen=True, slots=True)
class AccessChange:
    """What a function does to a field; the rest as of calls. `kind`: `declare` and the kinds of accesses."""

    side: Side
    function: str
    field: str
    owners: tuple[str, ...]
    kind: str
    guards: tuple[str, ...]
    times: int
    is_whole: bool
    place: Place | None
    was: Place | None


@dataclass(frozen=True, slots=True)
class GuardChange:
    """Calls and accesses of one function that happen under other conditions now: those that came, and those that went."""

    function: str
    fewer: tuple[str, ...]
    more: tuple[str, ...]
    calls: tuple[str, ...]
    accesses: tuple[str, ...]
    place: Place | None


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that a class has or had."""

    side: Side
    owner: str
    field: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Diff:
    """All differences, each list by symbol. `edited`: functions whose text says something else, with the same calls, guards and
    accesses; `touched`: every definition that anything is told of, and those whose text says something else."""

    before: str
    after: str
    renamed: tuple[Renamed, ...]
    definitions: tuple[Defined, ...]
    signatures: tuple[Resigned, ...]
    orders: tuple[Reordered, ...]
    fields: tuple[FieldChange, ...]
    calls: tuple[CallChange, ...]
    guards: tuple[GuardChange, ...]
    accesses: tuple[AccessChange, ...]
    edited: tuple[str, ...]
    touched: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is told."""
        return not (self.renamed or self.definitions or self.signatures or self.orders or self.fields or self.edited) and not (
            self.calls or self.guards or self.accesses
        )
