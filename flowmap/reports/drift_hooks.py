"""Which hook points there are in which of several releases: each followed through renames and moves, with its verdict in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from flowmap.drift.history import Line as Releases
from flowmap.drift.history import followed
from flowmap.model.hooks import Candidate, HookPoints, HookRole, Verdict
from flowmap.model.view import Block, Line, Role, Span, Table
from flowmap.reports.phrases import Detail, blank, count, heading

NOT_LOOKED_FOR, ABSENT, NO_HOOK = "not looked for", "not there", "no hook point"
_COLUMNS = ("hook point", "in the releases")
_PROFILE = "under"
_BEST = tuple(each.value for each in Verdict)


@dataclass(frozen=True, slots=True)
class HooksIn:
    """The hook points of one release, one answer a profile; None where it has no index. `problem`: why there is no answer."""

    release: str
    found: tuple[HookPoints, ...] | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class HookStandingRecord:
    """What a hook point is in one release: its symbol there, "" where it is not, and a verdict; of what serves for something
    else than bypassing the role; else `no hook point`, `not there`, or why nobody looked."""

    release: str
    symbol: str
    standing: str


@dataclass(frozen=True, slots=True)
class HookRecord:
    """A hook point in all releases, under its last symbol. `skips`: in how many of them something can be bypassed there."""

    symbol: str
    profile: str
    skips: int
    releases: tuple[HookStandingRecord, ...]


@dataclass(slots=True)
class _Thread:
    """One function under one profile: its symbol by position, and what it is as a hook."""

    symbols: dict[int, str]
    standings: dict[int, tuple[str, HookRole]] = field(default_factory=dict)


def hook_records(found: Sequence[HooksIn], releases: Releases, labels: Sequence[str]) -> tuple[HookRecord, ...]:
    """For programs; what serves best in the newest release that was looked at comes first."""
    threads: dict[tuple[str, str], _Thread] = {}
    for position, one in enumerate(found):
        for points in one.found or ():
            for candidate in points.candidates:
                thread = _thread(releases, position, candidate, points.profile, threads)
                thread.standings[position] = (_standing(candidate), candidate.role)
    records = [_record(profile, thread, found, labels) for (_, profile), thread in threads.items()]
    return tuple(sorted(records, key=_rank))


def _thread(
    releases: Releases, position: int, candidate: Candidate, profile: str, threads: dict[tuple[str, str], _Thread]
) -> _Thread:
    """What is known of a function so far, whatever it was called before."""
    symbol = candidate.definition.symbol
    seed = releases.ledger.at(releases.releases[position], symbol)
    symbols = {at: one.symbol for at, one in followed(releases, position, seed).at.items()} if seed else {position: symbol}
    return threads.setdefault((symbols[max(symbols)], profile), _Thread(symbols))


def _standing(candidate: Candidate) -> str:
    return candidate.verdict.value if candidate.role is HookRole.SKIP else candidate.role.value


def _record(profile: str, thread: _Thread, found: Sequence[HooksIn], labels: Sequence[str]) -> HookRecord:
    rows = []
    for position, (one, label) in enumerate(zip(found, labels, strict=True)):
        symbol = thread.symbols.get(position, "")
        if position in thread.standings:
            standing = thread.standings[position][0]
        elif one.found is None:
            standing = one.problem or NOT_LOOKED_FOR
        elif all(points.profile != profile for points in one.found):
            standing = one.problem or f"not {_PROFILE} {profile}"
        else:
            standing = NO_HOOK if symbol else ABSENT
        rows.append(HookStandingRecord(label, symbol, standing))
    skips = sum(role is HookRole.SKIP for _, role in thread.standings.values())
    return HookRecord(thread.symbols[max(thread.symbols)], profile, skips, tuple(rows))


def _rank(record: HookRecord) -> tuple[int, int, int, str, str]:
    """By what it is where it was looked at last: the best verdict first, then what serves in most releases."""
    last = next((row.standing for row in reversed(record.releases) if row.standing in _BEST), "")
    ends = next((row.standing for row in reversed(record.releases) if row.standing != NOT_LOOKED_FOR), "")
    place = _BEST.index(ends) if ends in _BEST else len(_BEST) + (_BEST.index(last) if last else len(_BEST))
    return (not record.skips, place, -record.skips, record.symbol, record.profile)


def hook_blocks(records: Sequence[HookRecord], found: Sequence[HooksIn], detail: Detail) -> Iterator[Block]:
    """A row a hook point: what it is in which releases. In brief those where something can be bypassed in some release."""
    if not found:
        return
    shown = [one for one in records if one.skips or detail is Detail.FULL]
    yield blank()
    yield heading("Hook points", count(len(records), "candidate"))
    if shown:
        yield Table(_COLUMNS, tuple((_named(one), _told(one)) for one in shown))


def notes_on_hooks(records: Sequence[HookRecord], found: Sequence[HooksIn], detail: Detail) -> Iterator[str]:
    """Says what was not looked at, and what is not shown."""
    without = sum(one.found is None and not one.problem for one in found)
    if without:
        missing = count(without, "release has", "releases have")
        yield f"hook points are looked for where there is an index of each profile; {missing} none: --check makes it"
    left = sum(not one.skips for one in records)
    if left and detail is Detail.BRIEF:
        yield f"{count(left, 'candidate')} at which nothing is bypassed: -v"
    yield from (f"{one.release}: {one.problem}" for one in found if one.problem)


def _named(record: HookRecord) -> Line:
    last = next(row for row in reversed(record.releases) if row.symbol)
    name = (Span(".".join(last.symbol.split(".")[-2:]), Role.SYMBOL),)
    return (*name, Span(f" {_PROFILE} {record.profile}", Role.NOTE)) if record.profile else name


def _told(record: HookRecord) -> Line:
    runs = [list(run) for _, run in groupby(record.releases, key=lambda row: row.standing)]
    texts = [_run(run) for run in runs if run[0].standing != NOT_LOOKED_FOR]
    good = record.releases[-1].standing in (*_BEST[:2], NOT_LOOKED_FOR)
    return (Span("; ".join(texts), Role.PLAIN if good else Role.WARNING),)


def _run(run: Sequence[HookStandingRecord]) -> str:
    first, last = run[0].release, run[-1].release
    return f"{run[0].standing} in {first}" if first == last else f"{run[0].standing} from {first} to {last}"
