"""Which of the calls that a run made the index knows: found means at that very caller and line, with that very target."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from flowmap.model.observed import ObservedEdge
from flowmap.model.program import Confidence, Definition, Site, Status
from flowmap.store.index import Index
from flowmap.store.sites import at_least, sites_on

_ALL_LINES = range(1, sys.maxsize)


class Way(StrEnum):
    """How a line came to run a function."""

    DIRECT = "direct"  # by calling it, or by code in C that calls it
    STANDARD = "standard library"  # through Python code of the standard library
    OUTSIDE = "other code"  # through other packages, or code that was generated at run time


class Miss(StrEnum):
    """What the index has instead of the target, the nearest to it first."""

    GUESS = "only a weaker guess"
    OTHERS = "other targets only"
    UNRESOLVED = "a call without a target"
    OUTSIDE = "a call that leads outside"
    NO_SITE = "no call on the line"


@dataclass(frozen=True, slots=True)
class Judged:
    """An observed edge, the definition that ran, the sites of its caller on its line, and what they lack; None when found."""

    edge: ObservedEdge
    callee: Definition
    sites: tuple[Site, ...]
    miss: Miss | None

    @property
    def way(self) -> Way:
        """How the line came to run the function."""
        if not self.edge.through:
            return Way.DIRECT
        return Way.STANDARD if set(self.edge.through) <= sys.stdlib_module_names else Way.OUTSIDE

    @property
    def package(self) -> str:
        """The top-level package that the call is made in."""
        return self.edge.file.split("/", 1)[0].removesuffix(".py")

    def running(self) -> tuple[Site, ...]:
        """The sites that have the target, at whatever confidence."""
        return tuple(site for site in self.sites if any(each.definition.id == self.callee.id for each in site.targets))


@dataclass(slots=True)
class _Known:
    """What the index says, read file by file; nothing outside this file sees it."""

    index: Index
    definitions: Mapping[str, Sequence[Definition]]
    sites: dict[str, dict[tuple[str, int], list[Site]]] = field(default_factory=dict)

    def at(self, edge: ObservedEdge) -> tuple[Site, ...]:
        """The sites of the edge's caller that stand, or whose called name stands, on its line."""
        if edge.file not in self.sites:
            found: dict[tuple[str, int], list[Site]] = {}
            self.sites[edge.file] = found
            for site in sites_on(self.index, edge.file, _ALL_LINES, Confidence.POSSIBLE):
                for line in {site.place.line, site.name_line}:
                    found.setdefault((site.caller.symbol, line), []).append(site)
        return tuple(self.sites[edge.file].get((edge.caller, edge.line), ()))

    def callee(self, edge: ObservedEdge) -> Definition | None:
        """The definition that ran: of several with one name, the first at or below its first line."""
        alike = [each for each in self.definitions.get(edge.callee, ()) if each.place and each.place.file == edge.callee_file]
        below = [each for each in alike if each.place and each.place.line >= edge.callee_line]
        return next(iter(below or alike), None)


def judge(index: Index, edges: Iterable[ObservedEdge], confidence: Confidence) -> tuple[Judged, ...]:
    """Every edge whose both ends are in indexed files, judged, in the order given."""
    within = [edge for edge in edges if edge.file in index.file_ids and edge.callee_file in index.file_ids]
    known = _Known(index, _definitions(index, {edge.callee for edge in within}))
    strong = at_least(confidence)
    judged = []
    for edge in within:
        callee = known.callee(edge)
        if callee is not None:
            sites = known.at(edge)
            judged.append(Judged(edge, callee, sites, _miss(sites, callee, strong)))
    return tuple(judged)


def _definitions(index: Index, symbols: Iterable[str]) -> Mapping[str, Sequence[Definition]]:
    wanted = set(symbols)
    rows = index.rows("SELECT id, text FROM symbol WHERE file IS NOT NULL ORDER BY file, line")
    found: dict[str, list[Definition]] = {}
    for one in index.definitions([number for number, text in rows if text in wanted]):
        found.setdefault(one.symbol, []).append(one)
    return found


def _miss(sites: Sequence[Site], callee: Definition, strong: Sequence[Confidence]) -> Miss | None:
    lacks = {_site_lacks(site, callee, strong) for site in sites}
    if None in lacks:
        return None
    return next((miss for miss in Miss if miss in lacks), Miss.NO_SITE)


def _site_lacks(site: Site, callee: Definition, strong: Sequence[Confidence]) -> Miss | None:
    here = [each.confidence for each in site.targets if each.definition.id == callee.id]
    if here:
        return None if any(each in strong for each in here) else Miss.GUESS
    if any(each.confidence in strong for each in site.targets) and site.status is Status.RESOLVED:
        return Miss.OTHERS
    return Miss.OUTSIDE if site.status in (Status.EXTERNAL, Status.BUILTIN) else Miss.UNRESOLVED


def by_package(judged: Iterable[Judged]) -> Iterator[tuple[str, tuple[Judged, ...]]]:
    """The edges of each package that calls are made in, by its name."""
    found: dict[str, list[Judged]] = {}
    for one in judged:
        found.setdefault(one.package, []).append(one)
    return ((package, tuple(found[package])) for package in sorted(found))
