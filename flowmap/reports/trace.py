"""`flowmap trace`: where a function is defined, through which classes it is reached, who runs it, and what it runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from flowmap.model.program import Confidence, Definition, DefinitionKind, Site, Status
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.reports.calls_down import tree_down
from flowmap.reports.calls_up import tree_up
from flowmap.reports.heads import head_lines
from flowmap.reports.overlay import NO_RUN, Overlay
from flowmap.reports.phrases import GAP, LEGEND, Detail, blank, count, heading, note, ordinal, place_span, short_name, symbol_span
from flowmap.reports.pruned import PrunedRecord, pruned_records
from flowmap.reports.reached import Reached, reached_through
from flowmap.reports.records import FunctionRecord, SiteRecord, function_record, site_record, target_record
from flowmap.reports.subjects import find, with_constructors, with_own_constructors
from flowmap.reports.walk import AtBorder, Cut, Limits, Walk, walk_down, walk_up
from flowmap.reports.watched import NOT_WATCHED, Watch, WatchRecord
from flowmap.store.chains import evidence_chain
from flowmap.store.classes import head_of, part_of, whole
from flowmap.store.index import Index
from flowmap.store.modules import entry_reasons
from flowmap.store.sites import sites_pruned

_N_HOSTS = 6
WATCH_LEGEND = "[r field] reads it, w writes, u updates it in place, c carries an object that has it"


class Direction(StrEnum):
    """Which way a trace looks."""

    UP = "up"
    DOWN = "down"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class TraceQuestion:
    """What a trace is asked: a `NAME` or `FILE:LINE`, which way, and how far."""

    name: str
    direction: Direction
    up: Limits
    down: Limits
    detail: Detail
    overlay: Overlay = NO_RUN
    watched: tuple[str, ...] = ()  # FIELD or CLASS.FIELD; what touches them, `watching` lays over


@dataclass(frozen=True, slots=True)
class HostRecord:
    """A class through which a method is reached, or which overrides it (`provides` differs then). `position` counts from 1."""

    symbol: str
    file: str
    line: int
    position: int
    n_classes: int
    provides: str
    shadows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LevelRecord:
    """A call site that a trace met, and how many calls away from what was asked its function is."""

    level: int
    site: SiteRecord


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """A function where the program is entered, and why."""

    symbol: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CutRecord:
    """A function that was met and not opened, and why."""

    symbol: str
    why: Cut


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """A trace as a graph: no site stands twice, so recursion needs no mark."""

    subject: tuple[FunctionRecord, ...]
    reached_through: tuple[HostRecord, ...]
    callers: tuple[LevelRecord, ...]
    callees: tuple[LevelRecord, ...]
    entry_points: tuple[EntryRecord, ...]
    not_opened: tuple[CutRecord, ...]
    watched: tuple[WatchRecord, ...] = ()
    pruned: tuple[PrunedRecord, ...] = ()  # calls of the subject that do not run in this configuration


DEPTH_DOWN = 2
_N_SITES = 40  # more call sites than this are shown only when a depth is asked for
_DEEPEST = 1000
_N_OPENED = {Detail.BRIEF: 24, Detail.FULL: 500}
_N_TARGETS = {Detail.BRIEF: 8, Detail.FULL: 1000}
_N_CALLERS = {Detail.BRIEF: 8, Detail.FULL: 1000}

_HINTS = (
    (Cut.DEPTH, "more with --depth N"),
    (Cut.BUDGET, "ask for one of them, or narrow with --stop-at"),
    (Cut.BORDER, "leave out --stop-at-borders"),
    (Cut.WEAKER, "see what calls it with --up"),
)
_NOWHERE = Walk((), {}, {}, {}, 0)


def trace_limits(
    depth: int | None, stop_at: tuple[str, ...], confidence: Confidence, detail: Detail, at_border: AtBorder = AtBorder.CROSS
) -> tuple[Limits, Limits]:
    """How far a trace goes, up and down. Without a depth: up to the entry points, and down as far as a page or two hold."""
    n_sites = sys.maxsize if depth else _N_SITES
    common = (stop_at, confidence)
    up = Limits(depth or _DEEPEST, _N_OPENED[detail], _N_CALLERS[detail], *common, sys.maxsize, confidence, at_border)
    down = Limits(depth or DEPTH_DOWN, _N_OPENED[detail], _N_TARGETS[detail], *common, n_sites, confidence, at_border)
    return up, down


def trace(index: Index, question: TraceQuestion) -> View:
    """The trace of one function, or of a class's construction.

    Errors: FlowmapError when the name is unknown or ambiguous.
    """
    subject = find(index, question.name)
    main = head_of(subject)
    reached = reached_through(index, main)
    up = _NOWHERE if question.direction is Direction.DOWN else _ways_in(index, with_own_constructors(index, subject), question)
    down = _NOWHERE if question.direction is Direction.UP else walk_down(index, with_constructors(index, subject), question.down)
    overlay = question.overlay
    marks = overlay.watch
    assert not question.watched or marks is not NOT_WATCHED, "what is watched was not looked up: `watching`"
    blocks = [*_header(index, subject), *_touched(marks, subject), *_reached(index, main, reached, question.detail)]
    if up is not _NOWHERE:
        told = tree_up(index, _busy(_told_once(up)), question.detail, overlay)
        blocks += [blank(), heading("Callers", _how_called(index, up)), Tree(told)]
    if down is not _NOWHERE:
        told = tree_down(index, _busy(down), question.detail, overlay)
        blocks += [blank(), heading("Calls, in order", _how_resolved(down)), Tree(told)]
    record = _record(index, subject, reached, (up, down), question.detail)
    record = replace(record, watched=tuple(marks.records(_functions(subject, up, down))))
    legend = (LEGEND, WATCH_LEGEND) if marks is not NOT_WATCHED else (LEGEND,)
    return View(_title(main), tuple(blocks), record, index.source, (*_unfinished(up, down), *legend))


def _touched(marks: Watch, subject: Sequence[Definition]) -> Iterator[Block]:
    """What the traced function itself does to watched fields."""
    for line in filter(None, map(marks.beside, subject)):
        yield Paragraph(line[1:])


def _functions(subject: Sequence[Definition], up: Walk, down: Walk) -> tuple[Definition, ...]:
    """All functions that a trace shows, each once."""
    callers = (site.caller for sites in up.sites.values() for site in sites)
    run = (target.definition for sites in down.sites.values() for site in sites for target in site.targets)
    return tuple({one.id: one for one in (*subject, *callers, *run)}.values())


def _title(subject: Definition) -> Line:
    place: Span = Span(str(subject.place), Role.PLACE, subject.place) if subject.place else note("outside the index")
    return (Span(short_name(subject), Role.SYMBOL, subject.place), GAP, place)


def _header(index: Index, subject: Sequence[Definition]) -> Iterator[Block]:
    main, parts = head_of(subject), whole(subject)
    for one in (main, *(each for each in subject if each.id != main.id)):
        if one.id != main.id:
            said = f"{part_of(one)} at " if part_of(one) and one in parts else "also defined at "
            yield Paragraph((note(said), *_title(one)[2:]))
        yield from map(Paragraph, head_lines(index, one))
        if one.doc:
            yield Paragraph((note(one.doc),))


def _reached(index: Index, method: Definition, reached: Sequence[Reached], detail: Detail) -> Iterator[Block]:
    picked = [each for each in reached if each.winner.id == method.id]
    others = [each for each in reached if each.winner.id != method.id]
    limit = len(reached) if detail is Detail.FULL else _N_HOSTS
    if reached:
        yield blank()
        yield heading("Reached through", count(len(picked), "class", "classes"))
        yield Tree(tuple(_host(index, each) for each in picked[:limit]) + _more(len(picked) - limit, method))
    if others:
        yield blank()
        yield heading("Overridden in", count(len(others), "class", "classes"))
        yield Tree(tuple(_override(index, each) for each in others[:limit]) + _more(len(others) - limit, method))


def _more(rest: int, method: Definition) -> tuple[TreeNode, ...]:
    owner = method.owner.rsplit(".", 1)[-1]
    return (TreeNode((note(f"+ {rest} more: flowmap hosts {owner}"),)),) if rest > 0 else ()


def _host(index: Index, each: Reached) -> TreeNode:
    where = f"{ordinal(each.position)} of {each.n_classes} in its class order" if each.position > 1 else "its own class"
    shadows = ", ".join(short_name(one) for one in each.shadowed)
    tail = f"{where}, shadows {shadows}" if shadows else where
    place: Line = (GAP, place_span(index, each.host.place)) if each.host.place else ()
    return TreeNode((symbol_span(each.host), *place, GAP, note(tail)))


def _override(index: Index, each: Reached) -> TreeNode:
    place: Line = (GAP, place_span(index, each.winner.place)) if each.winner.place else ()
    return TreeNode((symbol_span(each.host), note(" by "), symbol_span(each.winner), *place))


def _told_once(up: Walk) -> Walk:
    """The walk with each site at one root alone: what makes a class stands at the constructor of its own that runs, if any."""
    running = {site.id for root in up.roots if root.kind is not DefinitionKind.CLASS for site in up.sites.get(root.id, ())}
    own = {
        root.id: tuple(site for site in up.sites.get(root.id, ()) if site.id not in running)
        for root in up.roots
        if root.kind is DefinitionKind.CLASS
    }
    return replace(up, sites={**up.sites, **own})


def _busy(walk: Walk) -> Walk:
    """The walk without the roots that have nothing to show, as long as one is left: a class beside its constructor."""
    busy = tuple(root for root in walk.roots if walk.sites.get(root.id))
    return Walk(busy or walk.roots[:1], walk.sites, walk.levels, walk.cut, walk.n_branches)


def _ways_in(index: Index, roots: Sequence[Definition], question: TraceQuestion) -> Walk:
    """What runs the roots. Beside what they run, in brief, ways that are only inferred are followed where no others lead in."""
    if question.direction is Direction.BOTH and question.detail is Detail.BRIEF:
        proven = walk_up(index, roots, replace(question.up, followed=Confidence.PROVEN))
        if _entries(index, proven):
            return proven
    return walk_up(index, roots, question.up)


def _entries(index: Index, up: Walk) -> dict[int, tuple[str, ...]]:
    """The entry points among what a walk up met and followed."""
    callers = {site.caller.id: site.caller for sites in up.sites.values() for site in sites}
    met = [one for one in callers.values() if up.cut.get(one.id) is not Cut.WEAKER]
    return entry_reasons(index, [*up.roots, *met])


def _how_called(index: Index, up: Walk) -> str:
    sites = {site.id: site for root in up.roots for site in up.sites.get(root.id, ())}
    n_entries = len(_entries(index, up))
    n_pruned = len(sites_pruned(index, up.roots))
    gone = f", {n_pruned} pruned" if n_pruned else ""
    return count(len(sites), "call site") + (f", from {count(n_entries, 'entry point')}" if n_entries else "") + gone


def _how_resolved(down: Walk) -> str:
    sites = [site for root in down.roots for site in down.sites.get(root.id, ())]
    resolved = sum(site.status is Status.RESOLVED for site in sites)
    lead = "leads" if resolved == 1 else "lead"
    return f"{resolved} of {count(len(sites), 'call site')} {lead} into the indexed code" if sites else "none"


def _unfinished(*walks: Walk) -> Iterator[str]:
    cut = [why for walk in walks for why in walk.cut.values()]
    for why, hint in _HINTS:
        number = cut.count(why)
        if number:
            yield f"{count(number, 'function')} not opened ({why.value}): {hint}"


def _record(
    index: Index, subject: Sequence[Definition], reached: Sequence[Reached], walks: tuple[Walk, Walk], detail: Detail
) -> TraceRecord:
    up, down = walks
    entries = entry_reasons(index, [site.caller for sites in up.sites.values() for site in sites] + list(subject))
    known = index.known((*entries, *up.cut, *down.cut))
    return TraceRecord(
        subject=tuple(map(function_record, subject)),
        reached_through=tuple(map(_host_record, reached)),
        callers=tuple(_levels(index, up, detail)),
        callees=tuple(_levels(index, down, detail)),
        entry_points=tuple(EntryRecord(known[number].symbol, why) for number, why in sorted(entries.items())),
        pruned=tuple(pruned_records(index, sites_pruned(index, up.roots))),
        not_opened=tuple(CutRecord(known[number].symbol, why) for walk in walks for number, why in walk.cut.items()),
    )


def _host_record(each: Reached) -> HostRecord:
    host = function_record(each.host)
    shadows = tuple(one.symbol for one in each.shadowed)
    return HostRecord(host.symbol, host.file, host.line, each.position, each.n_classes, each.winner.symbol, shadows)


def _levels(index: Index, walk: Walk, detail: Detail) -> Iterator[LevelRecord]:
    seen: set[int] = set()
    for number, sites in walk.sites.items():
        for site in sites:
            if site.id not in seen:
                seen.add(site.id)
                yield LevelRecord(walk.levels[number] + 1, _site_record(index, site, detail))


def _site_record(index: Index, site: Site, detail: Detail) -> SiteRecord:
    if detail is Detail.BRIEF:
        return site_record(site)
    return site_record(site, tuple(target_record(each, evidence_chain(index, each.evidence)) for each in site.targets))
