"""Follows a name from release to release, through what was moved and renamed, in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from flowmap.drift.ledger import Ledger
from flowmap.model.drift import FIELD, Change, Fate, History, Stay, Whereabouts
from flowmap.model.program import DefinitionKind

_FOLLOWED = (Fate.MOVED, Fate.RENAMED, Fate.MOVED_AND_RENAMED)
Key = tuple[int, str]  # a position in the line, and a symbol


@dataclass(frozen=True, slots=True)
class Line:
    """The releases that are asked about, in their order: their numbers in the ledger, and those of the neighbours compared.

    Two releases of the same content have one number.
    """

    ledger: Ledger
    releases: tuple[int, ...]
    pairs: tuple[int, ...]  # one less


@dataclass(slots=True)
class _Thread:
    """What was followed, by position."""

    at: dict[int, Whereabouts] = field(default_factory=dict)
    changes: dict[int, tuple[Change, ...]] = field(default_factory=dict)  # on the way to a position


def histories(line: Line, name: str) -> tuple[History, ...]:
    """All that ever bore a name in the line, each followed forth and back. Several that are one thing are told once."""
    threads: list[_Thread] = []
    met: set[Key] = set()
    seeds = line.ledger.named(name, sorted(set(line.releases)))
    for position, release in enumerate(line.releases):
        for seed in seeds:
            if seed.release == release and (position, seed.symbol) not in met:
                thread = followed(line, position, seed)
                met |= {(at, one.symbol) for at, one in thread.at.items()}
                threads.append(thread)
    return tuple(told(line, thread) for thread in returned(threads))


def followed(line: Line, start: int, seed: Whereabouts) -> _Thread:
    """What a definition or field at a position was in earlier releases, and became in later ones."""
    thread = _Thread({start: seed})
    for position in range(start, len(line.releases) - 1):
        found, changes = onward(line, position, thread.at[position])
        thread.changes[position + 1] = changes
        if found is None:
            break
        thread.at[position + 1] = found
    for position in range(start, 0, -1):
        found, changes = backward(line, position, thread.at[position])
        if found is None:
            break
        thread.changes[position] = changes
        thread.at[position - 1] = found
    return thread


def onward(line: Line, position: int, one: Whereabouts) -> tuple[Whereabouts | None, tuple[Change, ...]]:
    """The same thing one release later, and what is known of the way."""
    later = line.releases[position + 1]
    known = line.ledger.onward(line.pairs[position], one.symbol)
    symbol = next((change.became for change in known if change.fate in _FOLLOWED), one.symbol)
    found = line.ledger.at(later, symbol)
    if found is None and one.kind == FIELD:
        symbol, known = with_owner(line.ledger.onward(line.pairs[position], one.owner), one, known)
        found = line.ledger.at(later, symbol)
    return (found if found and is_alike(found, one) else None), tuple(known)


def backward(line: Line, position: int, one: Whereabouts) -> tuple[Whereabouts | None, tuple[Change, ...]]:
    """The same thing one release earlier, and what is known of the way."""
    pair = line.pairs[position - 1]
    known = [change for change in line.ledger.backward(pair, one.symbol) if change.fate in _FOLLOWED]
    symbol = known[0].was if known else one.symbol
    found = line.ledger.at(line.releases[position - 1], symbol)
    if found is None and one.kind == FIELD:
        owners = [change for change in line.ledger.backward(pair, one.owner) if change.fate in _FOLLOWED]
        symbol = f"{owners[0].was}.{one.name}" if owners else symbol
        known = [Change(symbol, one.symbol, Fate.MOVED, owners[0].likeness)] if owners else []
        found = line.ledger.at(line.releases[position - 1], symbol)
    return (found if found and is_alike(found, one) else None), tuple(known)


def with_owner(owners: Sequence[Change], one: Whereabouts, known: list[Change]) -> tuple[str, list[Change]]:
    """A field's symbol in the class that its class became, and that it moved with it."""
    for change in owners:
        if change.fate in _FOLLOWED:
            symbol = f"{change.became}.{one.name}"
            return symbol, [Change(one.symbol, symbol, Fate.MOVED, change.likeness)]
    return one.symbol, known


def is_alike(one: Whereabouts, other: Whereabouts) -> bool:
    """Whether two things are of one sort: both classes, or both none."""
    return (one.kind == DefinitionKind.CLASS) == (other.kind == DefinitionKind.CLASS)


def returned(threads: list[_Thread]) -> list[_Thread]:
    """The threads, those joined that end with a symbol and begin again with it later: it was gone and is back."""
    joined: list[_Thread] = []
    for thread in sorted(threads, key=lambda one: min(one.at)):
        first = thread.at[min(thread.at)]
        for earlier in joined:
            end = max(earlier.at)
            if end < min(thread.at) and earlier.at[end].symbol == first.symbol:
                earlier.at |= thread.at
                earlier.changes |= {at: changes for at, changes in thread.changes.items() if at > min(thread.at)}
                break
        else:
            joined.append(thread)
    return joined


def told(line: Line, thread: _Thread) -> History:
    """A thread as what is told, release by release."""
    return History(tuple(with_members(line, stay) for stay in stays(line, thread)))


def stays(line: Line, thread: _Thread) -> Iterator[Stay]:
    """The thing in each release of the line."""
    before: Whereabouts | None = None
    for position, release in enumerate(line.releases):
        now, changes = thread.at.get(position), thread.changes.get(position, ())
        was_there = position - 1 in thread.at
        yield Stay(
            release, fate(now, before, was_there, changes) if position or now is None else Fate.FIRST, now, changes, before
        )
        before = now or before


def fate(now: Whereabouts | None, before: Whereabouts | None, was_there: object, changes: Sequence[Change]) -> Fate:
    """What happened on the way to a release."""
    if now is None:
        told_of = next((change.fate for change in changes if change.fate in (Fate.SPLIT, Fate.DOUBT)), Fate.GONE)
        return told_of if was_there else Fate.ABSENT
    if not was_there:
        return Fate.BACK if before else Fate.NEW
    return next((change.fate for change in changes if change.fate in _FOLLOWED), Fate.SAME)


def with_members(line: Line, stay: Stay) -> Stay:
    """Of a class that is there now and was before: which members came and left."""
    if stay.at is None or stay.before is None or stay.at.kind != DefinitionKind.CLASS:
        return stay
    mine = {one.name for one in line.ledger.members(stay.before.release, stay.before.symbol)}
    theirs = {one.name for one in line.ledger.members(stay.at.release, stay.at.symbol)}
    return replace(stay, came=tuple(sorted(theirs - mine)), left=tuple(sorted(mine - theirs)))
