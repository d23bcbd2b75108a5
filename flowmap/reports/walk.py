"""Walks the call graph breadth first from some functions, level by level: each function is opened once, where it is nearest.

A whole level is one question to the index. What is not opened is written down with the reason, so that nothing is dropped.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from flowmap.model.program import Confidence, Definition, DefinitionKind, Site, SiteKind, Status
from flowmap.store.index import Index
from flowmap.store.sites import at_least, sites_of, sites_running

_CALLABLE = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY, DefinitionKind.LAMBDA)


class Cut(StrEnum):
    """Why a function that was met is not opened."""

    DEPTH = "depth"
    STOP = "stop-at"
    BORDER = "behind a border"  # runs in another process, thread or task
    WEAKER = "only inferred"  # nothing stronger leads there, and stronger ways were enough
    BUDGET = "too many functions"


class AtBorder(StrEnum):
    """What a walk does where something runs in another process, thread or task."""

    CROSS = "cross"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a walk goes: levels, functions opened, targets followed of one site (callers of one function, going up),
    patterns of symbols not to open, and the weakest confidence that counts.

    `n_sites`: a level with which there would be more resolved sites than this stays closed, the first one excepted.
    `followed`: what is met by weaker sites than this is named and not opened.
    """

    depth: int
    n_opened: int
    n_branches: int
    stop_at: tuple[str, ...]
    confidence: Confidence
    n_sites: int
    followed: Confidence
    at_border: AtBorder = AtBorder.CROSS


@dataclass(frozen=True, slots=True)
class Walk:
    """The part of the graph that was seen. `sites`: of each opened function, by id; `levels`: how far away each one is.

    Of one site no more than `n_branches` targets were followed (going up, of one function so many callers).
    """

    roots: tuple[Definition, ...]
    sites: Mapping[int, tuple[Site, ...]]
    levels: Mapping[int, int]
    cut: Mapping[int, Cut]
    n_branches: int


class _Met(NamedTuple):
    """A function at the other end of a site, and why the walk does not go on from there, if it does not."""

    definition: Definition
    cut: Cut | None


@dataclass(slots=True)
class _Progress:
    """A walk while it is under way; nothing outside this file sees it."""

    limits: Limits
    sites: dict[int, tuple[Site, ...]] = field(default_factory=dict)
    levels: dict[int, int] = field(default_factory=dict)
    cut: dict[int, Cut] = field(default_factory=dict)
    n_resolved: int = 0

    def admit(self, met: Iterable[Definition], level: int) -> list[Definition]:
        """Of the functions met, those to open now; each is admitted once."""
        admitted: list[Definition] = []
        for one in met:
            if one.id in self.levels:
                continue
            self.levels[one.id] = level
            why = self._cut(one, level, len(admitted))
            if why:
                self.cut[one.id] = why
            else:
                admitted.append(one)
        return admitted

    def _cut(self, one: Definition, level: int, n_admitted: int) -> Cut | None:
        if level and stops(one, self.limits.stop_at):
            return Cut.STOP
        if level >= self.limits.depth:
            return Cut.DEPTH
        return Cut.BUDGET if len(self.sites) + n_admitted >= self.limits.n_opened else None


def walk_down(index: Index, roots: Sequence[Definition], limits: Limits) -> Walk:
    """What the roots run, and what that runs, down to the limits."""
    return _walk(roots, limits, lambda opened: _by_caller(index, opened, limits.confidence), _targets)


def walk_up(index: Index, roots: Sequence[Definition], limits: Limits) -> Walk:
    """What runs the roots, and what runs that, up to where nothing in the index calls it."""
    return _walk(roots, limits, lambda opened: _by_target(index, opened, limits.confidence), _callers)


def stops(definition: Definition, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns (`*` and `?` as in file names) matches the symbol or the end of it after a dot."""
    matches, symbol = fnmatch.fnmatchcase, definition.symbol
    return any(matches(symbol, pattern) or matches(symbol, f"*.{pattern}") for pattern in patterns)


def _walk(
    roots: Sequence[Definition],
    limits: Limits,
    open_all: Callable[[Sequence[Definition]], Mapping[int, tuple[Site, ...]]],
    next_of: Callable[[int, Sequence[Site], Limits], Iterable[_Met]],
) -> Walk:
    progress = _Progress(limits)
    level = 0
    opened = progress.admit(roots, level)
    named: dict[int, tuple[int, Cut]] = {}
    while opened:
        found = open_all(opened)
        if level and progress.n_resolved + _n_resolved(found) > limits.n_sites:
            progress.cut.update((one.id, Cut.DEPTH) for one in opened)
            break
        progress.n_resolved += _n_resolved(found)
        progress.sites.update({one.id: found.get(one.id, ()) for one in opened})
        level += 1
        met = [each for one in opened for each in next_of(one.id, progress.sites[one.id], limits)]
        named.update((each.definition.id, (level, each.cut)) for each in met if each.cut)
        opened = progress.admit((each.definition for each in met if not each.cut), level)
    for number in named.keys() - progress.levels.keys():
        progress.levels[number], progress.cut[number] = named[number]
    return Walk(tuple(roots), progress.sites, progress.levels, progress.cut, limits.n_branches)


def _n_resolved(found: Mapping[int, Sequence[Site]]) -> int:
    return sum(site.status is Status.RESOLVED for sites in found.values() for site in sites)


def _by_caller(index: Index, callers: Sequence[Definition], confidence: Confidence) -> dict[int, tuple[Site, ...]]:
    grouped: dict[int, list[Site]] = {}
    for site in sites_of(index, callers, confidence):
        grouped.setdefault(site.caller.id, []).append(site)
    return {number: tuple(sites) for number, sites in grouped.items()}


def _by_target(index: Index, targets: Sequence[Definition], confidence: Confidence) -> dict[int, tuple[Site, ...]]:
    wanted = {target.id for target in targets}
    grouped: dict[int, list[Site]] = {}
    for site in sites_running(index, targets, confidence):
        for number in dict.fromkeys(target.definition.id for target in (*site.targets, *site.makes)):
            if number in wanted:
                grouped.setdefault(number, []).append(site)
    return {number: tuple(sites) for number, sites in grouped.items()}


def _targets(_: int, sites: Sequence[Site], limits: Limits) -> Iterable[_Met]:
    for site in sites:
        for target in site.targets[: limits.n_branches]:
            if target.definition.kind in _CALLABLE:
                yield _Met(target.definition, _why_closed((site,), {target.confidence}, limits))


def _callers(called: int, sites: Sequence[Site], limits: Limits) -> Iterable[_Met]:
    callers: dict[int, list[Site]] = {}
    for site in sites:
        callers.setdefault(site.caller.id, []).append(site)
    for found in list(callers.values())[: limits.n_branches]:
        strengths = {each.confidence for site in found for each in (*site.targets, *site.makes) if each.definition.id == called}
        if found[0].caller.kind in _CALLABLE:
            yield _Met(found[0].caller, _why_closed(found, strengths, limits))


def _why_closed(sites: Sequence[Site], strengths: set[Confidence], limits: Limits) -> Cut | None:
    """Why a walk does not go on along these sites, all of which lead to one function."""
    if limits.at_border is AtBorder.STOP and all(site.kind is SiteKind.BORDER for site in sites):
        return Cut.BORDER
    return None if strengths & set(at_least(limits.followed)) else Cut.WEAKER
