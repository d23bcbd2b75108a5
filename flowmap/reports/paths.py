"""`flowmap trace A --to B`: the shortest ways from one function to another, each step with its call site and guards."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence, Definition, Site, SiteKind, Target
from flowmap.model.view import Block, Line, Tree, TreeNode, View
from flowmap.reports.calls_down import evidence_lines
from flowmap.reports.phrases import (
    GAP,
    LEGEND,
    Detail,
    blank,
    count,
    heading,
    kind_note,
    mark,
    note,
    place_span,
    symbol_span,
    way_guards,
)
from flowmap.reports.pruned import pruned_between
from flowmap.reports.records import FunctionRecord, SiteRecord, function_record, site_record
from flowmap.reports.subjects import find, with_constructors, with_own_constructors
from flowmap.reports.walk import AtBorder, stops
from flowmap.store.index import Index
from flowmap.store.sites import callers, sites_of

_N_PATHS = 5
_N_LONGER = 2  # a path this many steps longer than the shortest is still told
_N_TRIED = 20_000
_Graph = Mapping[int, Sequence[int]]


@dataclass(frozen=True, slots=True)
class PathsQuestion:
    """From where to where, along edges of which confidence, past nothing that `stop_at` matches, in at most `depth` calls."""

    start: str
    end: str
    confidence: Confidence
    stop_at: tuple[str, ...]
    depth: int
    detail: Detail
    at_border: AtBorder = AtBorder.CROSS


@dataclass(frozen=True, slots=True)
class PathRecord:
    """One way: its calls in order. Where one function calls the next at several sites, each step lists them all."""

    steps: tuple[tuple[SiteRecord, ...], ...]


@dataclass(frozen=True, slots=True)
class PathsRecord:
    """The ways from one function to another, shortest first."""

    start: tuple[FunctionRecord, ...]
    end: tuple[FunctionRecord, ...]
    paths: tuple[PathRecord, ...]


@dataclass(frozen=True, slots=True)
class Ways:
    """The shortest ways from `start` to `end`, as ids of definitions, and the sites of each of their steps."""

    start: tuple[Definition, ...]
    end: tuple[Definition, ...]
    paths: tuple[tuple[int, ...], ...]
    edges: Mapping[tuple[int, int], tuple[Site, ...]]


def ways(index: Index, question: PathsQuestion) -> Ways:
    """The shortest ways from `start` to `end`, found and not yet told.

    Errors: FlowmapError when a name is unknown or ambiguous, or no way leads there.
    """
    start, end = find(index, question.start), find(index, question.end)
    starts, ends = with_constructors(index, start), _entered(index, end)
    back, levels = _towards(index, ends, starts, question)
    found = _shortest(back, levels, [one.id for one in starts if one.id in levels], {one.id for one in ends})
    if not found:
        raise _no_way(index, question, (starts, ends))
    return Ways(start, end, tuple(found), _edges(index, found, question.confidence))


def paths(index: Index, question: PathsQuestion) -> View:
    """The shortest ways from `start` to `end`.

    Errors: FlowmapError when a name is unknown or ambiguous, or no way leads there.
    """
    found = ways(index, question)
    start, end, edges = found.start, found.end, found.edges
    told = (edges, question.detail)
    blocks = [block for number, path in enumerate(found.paths, start=1) for block in _path(index, number, path, told)]
    steps = tuple(PathRecord(tuple(tuple(map(site_record, edges[step])) for step in pairwise(path))) for path in found.paths)
    record = PathsRecord(tuple(map(function_record, start)), tuple(map(function_record, end)), steps)
    title = (symbol_span(start[0]), note(" → "), symbol_span(end[0]), GAP, note(count(len(found.paths), "path")))
    return View(title, tuple(blocks), record, index.source, ("the shortest paths are shown, without detours", LEGEND))


def _entered(index: Index, end: Sequence[Definition]) -> tuple[Definition, ...]:
    """Where a way into a definition ends: in the constructors that a class's own body has, else at what makes it."""
    return with_own_constructors(index, end)[len(end) :] or tuple(end)


def _towards(
    index: Index, ends: Sequence[Definition], starts: Sequence[Definition], question: PathsQuestion
) -> tuple[dict[int, tuple[int, ...]], dict[int, int]]:
    """From `ends` backwards: who calls each function that was met, and how many calls each is away. Ends soon after `starts`."""
    levels = dict.fromkeys((one.id for one in ends), 0)
    back: dict[int, tuple[int, ...]] = {}
    border, level, last = list(levels), 0, question.depth
    goal = {one.id for one in starts}
    while border and level < last:
        level += 1
        left_out = (SiteKind.BORDER,) if question.at_border is AtBorder.STOP else ()
        found = callers(index, border, question.confidence, left_out)
        back.update(found)
        met = dict.fromkeys(each for number in border for each in found.get(number, ()) if each not in levels)
        levels.update(dict.fromkeys(met, level))
        if goal & levels.keys():
            last = min(last, level + _N_LONGER)
        known = index.known(met) if question.stop_at else {}
        border = [each for each in met if not question.stop_at or each in goal or not stops(known[each], question.stop_at)]
    return back, levels


def _shortest(back: _Graph, levels: Mapping[int, int], starts: Sequence[int], ends: set[int]) -> list[tuple[int, ...]]:
    """Up to `_N_PATHS` simple paths, shortest first: best-first search along the known distances."""
    forward: dict[int, list[int]] = {}
    for called, calling in back.items():
        for each in calling:
            forward.setdefault(each, []).append(called)
    waiting: list[tuple[int, tuple[int, ...]]] = [(levels[start], (start,)) for start in starts]
    heapq.heapify(waiting)
    found: list[tuple[int, ...]] = []
    for _ in range(_N_TRIED):
        if not waiting or len(found) == _N_PATHS:
            break
        length, path = heapq.heappop(waiting)
        if path[-1] in ends and len(path) > 1:
            found.append(path)
            continue
        for each in forward.get(path[-1], ()):
            if each not in path or (each == path[0] and each in ends):
                heapq.heappush(waiting, (len(path) + levels[each], (*path, each)))
        if found and length > len(found[0]) - 1 + _N_LONGER:
            break
    return found


def _edges(index: Index, found: Sequence[Sequence[int]], confidence: Confidence) -> dict[tuple[int, int], tuple[Site, ...]]:
    """For each step of the paths, caller and called, the sites that make it."""
    steps = {step for path in found for step in pairwise(path)}
    edges: dict[tuple[int, int], tuple[Site, ...]] = {}
    for site in sites_of(index, index.definitions({caller for caller, _ in steps}), confidence):
        for number in dict.fromkeys(target.definition.id for target in (*site.targets, *site.makes)):
            step = (site.caller.id, number)
            if step in steps:
                edges[step] = (*edges.get(step, ()), site)
    return edges


def _path(
    index: Index, number: int, path: Sequence[int], told: tuple[Mapping[tuple[int, int], tuple[Site, ...]], Detail]
) -> Iterator[Block]:
    edges, detail = told
    yield blank()
    yield heading(f"Path {number}", count(len(path) - 1, "call"))
    (first,) = index.definitions(path[:1])
    steps = tuple(_step(index, edges[step], step[1], detail) for step in pairwise(path))
    yield Tree((TreeNode((symbol_span(first), *_defined(index, first))), *steps))


def _step(index: Index, sites: Sequence[Site], called: int, detail: Detail) -> TreeNode:
    first, others = sites[0], sites[1:]
    target = _target(first, called)
    line = (
        note("→ "),
        *mark(target.confidence),
        symbol_span(target.definition),
        GAP,
        place_span(index, first.place),
        *kind_note(first),
    )
    below = [*way_guards(first, detail)]
    if detail is Detail.FULL:
        below += evidence_lines(index, target)
    for site in others:
        below.append((note("also "), place_span(index, site.place), *kind_note(site)))
        below += way_guards(site, detail)
    return TreeNode(line, (), tuple(below))


def _target(site: Site, called: int) -> Target:
    return next(target for target in (*site.targets, *site.makes) if target.definition.id == called)


def _defined(index: Index, one: Definition) -> Line:
    return (GAP, place_span(index, one.place)) if one.place else ()


def _no_way(index: Index, question: PathsQuestion, sides: tuple[Sequence[Definition], Sequence[Definition]]) -> FlowmapError:
    """Says that no way leads there, and whether one leads back."""
    starts, ends = sides
    _, levels = _towards(index, starts, ends, question)
    back = question.start != question.end and any(one.id in levels for one in ends)
    weaker = f"flowmap trace {question.end} --up shows what does lead there; a larger --depth looks further."
    fix = f"The other way round there is one: flowmap trace {question.end} --to {question.start}" if back else weaker
    under = f" under {index.configuration}" if index.configuration else ""
    cut = pruned_between(index, starts, ends) if under else None
    if cut:
        site, one = cut
        fix = f"One is pruned at {site.place}: {one.place}: {one.why}"
    return FlowmapError(Problem(question.start, f"no path leads to {question.end}{under}", fix), code=ExitCode.FINDING)
