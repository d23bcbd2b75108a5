"""What does not run in the configuration that was asked for: the sites that would, and the guard that decides for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.program import Confidence, Definition, Pruned, Site
from flowmap.model.view import Line, TreeNode
from flowmap.reports.phrases import GAP, kind_note, note, place_span, symbol_span
from flowmap.store.index import Index
from flowmap.store.sites import callers, pruned_at, sites_pruned


@dataclass(frozen=True, slots=True)
class PrunedRecord:
    """A call that does not run in the configuration that was asked for. `guard` is the place of the test that decides."""

    caller: str
    file: str
    line: int
    expr: str
    target: str
    guard: str
    why: str


def pruned_nodes(index: Index, sites: Sequence[Site], wanted: Collection[int]) -> Iterator[TreeNode]:
    """The sites that run something wanted in another configuration, each with the guard that decides."""
    pruned = pruned_at(index, sites)
    for site in sites:
        (first, *_) = [one for one in pruned[site.id] if one.definition.id in wanted]
        line = (place_span(index, site.place), GAP, symbol_span(site.caller), *kind_note(site), GAP, note("pruned"))
        yield TreeNode(line, (), (why_line(index, first),))


def why_line(index: Index, one: Pruned) -> Line:
    """The guard that decides, with its place."""
    place: Line = (place_span(index, one.place), GAP) if one.place else ()
    return (*place, note(one.why))


def pruned_records(index: Index, sites: Sequence[Site]) -> Iterator[PrunedRecord]:
    """What is pruned at sites."""
    pruned = pruned_at(index, sites)
    for site in sites:
        for one in pruned.get(site.id, ()):
            guard = str(one.place) if one.place else ""
            at = (site.caller.symbol, site.place.file, site.place.line, site.expr)
            yield PrunedRecord(*at, one.definition.symbol, guard, one.why)


def pruned_between(index: Index, starts: Sequence[Definition], ends: Sequence[Definition]) -> tuple[Site, Pruned] | None:
    """On the shortest way from one to the other in any configuration, the first call that is pruned in this one; None where
    there is no such way."""
    onward: dict[int, tuple[int, Site | None]] = {one.id: (one.id, None) for one in ends}
    goal = {one.id for one in starts}
    border = list(onward)
    while border and not goal & onward.keys():
        met = dict(_callers(index, border))
        border = [number for number in met if number not in onward]
        onward |= {number: met[number] for number in border}
    here = next((number for number in goal if number in onward), None)
    while here is not None and onward[here][0] != here:
        here, site = onward[here]
        if site is not None:
            return site, next(one for one in pruned_at(index, (site,))[site.id] if one.definition.id == here)
    return None


def _callers(index: Index, called: Sequence[int]) -> Iterator[tuple[int, tuple[int, Site | None]]]:
    """Who calls one of these, with what it calls; where that is pruned, with the site. What runs comes last, and so counts."""
    gone = sites_pruned(index, index.definitions(called))
    pruned = pruned_at(index, gone)
    for site in gone:
        yield from ((site.caller.id, (one.definition.id, site)) for one in pruned[site.id] if one.definition.id in called)
    for number, calling in callers(index, called, Confidence.INFERRED).items():
        yield from ((one, (number, None)) for one in calling)
