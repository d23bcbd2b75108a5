"""The histories of things, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flowmap.model.drift import History, Stay
from flowmap.model.problem import Problem
from flowmap.reports.drift_contracts import ContractRecord
from flowmap.reports.drift_hooks import HookRecord
from flowmap.reports.drift_phrases import has_new_signature, likeness_of


@dataclass(frozen=True, slots=True)
class StayRecord:
    """One thing in one release. `was`: its symbol in the release before, where that is another; `perhaps`: what it may be now.

    `likeness`: from 0 to 1, which is where its symbol is the same. `came` and `left` are members of a class.
    """

    release: str
    fate: str
    symbol: str
    file: str
    line: int
    signature: str
    was: str
    likeness: float
    has_new_signature: bool
    has_new_body: bool
    perhaps: tuple[str, ...]
    came: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThingRecord:
    """One thing in all releases. `asked`: the name that led to it."""

    asked: str
    symbol: str
    kind: str
    releases: tuple[StayRecord, ...]


@dataclass(frozen=True, slots=True)
class DriftRecord:
    """All that was followed; `absent`: what no release has; `missing`: the releases that could not be had, and why.
    `contracts`: of a file of contracts, how each fares; `hooks`: of a question about hooks, where each could be used."""

    releases: tuple[str, ...]
    things: tuple[ThingRecord, ...]
    absent: tuple[str, ...]
    missing: tuple[Problem, ...]
    contracts: tuple[ContractRecord, ...]
    hooks: tuple[HookRecord, ...] = ()


def thing_record(asked: str, thing: History, labels: Sequence[str]) -> ThingRecord:
    """The same for programs."""
    rows = tuple(stay_record(stay, label) for stay, label in zip(thing.stays, labels, strict=True))
    return ThingRecord(asked, thing.last.symbol, thing.last.kind, rows)


def stay_record(stay: Stay, label: str) -> StayRecord:
    """One release for programs."""
    at, before = stay.at, stay.before
    return StayRecord(
        release=label,
        fate=stay.fate.value,
        symbol=at.symbol if at else "",
        file=at.file if at else "",
        line=at.line if at else 0,
        signature=at.signature if at else "",
        was=before.symbol if at and before and before.symbol != at.symbol else "",
        likeness=likeness_of(stay.changes) if at else 0.0,
        has_new_signature=has_new_signature(stay),
        has_new_body=at is not None and before is not None and before.digest != at.digest,
        perhaps=tuple(change.became for change in stay.changes) if at is None else (),
        came=stay.came,
        left=stay.left,
    )
