"""What a change does to what somebody leans on: contracts, watched fields, hook points."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.change import AccessChange, Diff, FieldChange, GuardChange, Renamed
from flowmap.model.contract import Breach, Contract
from flowmap.model.place import Place


class Turn(StrEnum):
    """What became of a contract."""

    BREAKS = "breaks"
    STAYS_BROKEN = "is broken, as before"
    HOLDS_NOW = "holds now"
    TOUCHED = "holds, and what it speaks of is changed"


@dataclass(frozen=True, slots=True)
class ContractTurn:
    """A contract that a change is of interest to. `breaches`: those that are new, of one that stays broken all; `touched`: what
    it speaks of and the change touches, by symbol."""

    file: str
    contract: Contract
    turn: Turn
    breaches: tuple[Breach, ...]
    touched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Watched:
    """A field that is watched, and what the change does to its accesses. `why`: who watches it; `renamed`: what it is called now,
    where it has another name."""

    field: str
    why: str
    renamed: tuple[Renamed, ...]
    fields: tuple[FieldChange, ...]
    accesses: tuple[AccessChange, ...]
    guards: tuple[GuardChange, ...]


@dataclass(frozen=True, slots=True)
class HookTurn:
    """A hook point that is another one now. `before` and `after` are verdicts, "" where it is no candidate; `owes` and `owed`:
    what has to be done instead only now, or only before; `is_touched`: its own text is changed."""

    question: str
    symbol: str
    before: str
    after: str
    owes: tuple[str, ...]
    owed: tuple[str, ...]
    is_touched: bool
    place: Place | None


@dataclass(frozen=True, slots=True)
class Review:
    """All that a change does to what somebody leans on. `asked`: how many contracts, fields and questions about hooks there are;
    `left_out`: what could not be asked, and why."""

    diff: Diff
    contracts: tuple[ContractTurn, ...]
    fields: tuple[Watched, ...]
    hooks: tuple[HookTurn, ...]
    asked: tuple[int, int, int]
    left_out: tuple[str, ...]
