"""`flowmap explain`: why a site may run what it may run, what stopped the engine where it stopped, and what jedi says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flowmap.model.opinion import Opinion, Second, Verdict, nobody
from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence, LetGo, Site, Status, Step, StepKind, Target
from flowmap.model.typed import line_number
from flowmap.model.view import Block, Line, Role, Span, Tree, TreeNode, View
from flowmap.reports.agreement import Compared, Match, compare
from flowmap.reports.phrases import (
    GAP,
    LEGEND,
    Detail,
    blank,
    callee_text,
    count,
    early_exits,
    expression_guards,
    guard_line,
    kind_note,
    mark,
    note,
    place_span,
    symbol_span,
)
from flowmap.reports.records import SiteRecord, StepRecord, site_record, step_record, target_record
from flowmap.reports.steps import step_line, step_lines, step_words
from flowmap.reports.subjects import find_file, with_line
from flowmap.store.chains import evidence_chain, let_go_at, stopped_chain
from flowmap.store.index import Index
from flowmap.store.modules import definition_at
from flowmap.store.sites import sites_covering, sites_running
from flowmap.store.spans import nearest_lines, spans

_PLACE = re.compile(r"^(?P<file>.+\.pyi?):(?P<line>\d+)(?::(?P<col>\d+))?$")
_N_NEAREST = 3
_N_CALLERS = 4


@dataclass(frozen=True, slots=True)
class ExplainQuestion:
    """`FILE:LINE` or `FILE:LINE:COL` (columns count from 1, as in editors), and who else is asked."""

    place: str
    confidence: Confidence
    detail: Detail
    second: Second = nobody


@dataclass(frozen=True, slots=True)
class SecondRecord:
    """What jedi says of a site: how it compares, what flowmap's targets have in common with it, and what it names alone."""

    verdict: Verdict
    matches: tuple[Match, ...]  # one a target
    jedi_only: tuple[str, ...]
    problem: str


@dataclass(frozen=True, slots=True)
class ExplainRecord:
    """One site with all that is known of it. `stopped` is the way back to what is unknown, `let_go` where flow was bounded."""

    site: SiteRecord
    stopped: tuple[StepRecord, ...]
    let_go: tuple[StepRecord, ...]
    second: SecondRecord | None


def explain(index: Index, question: ExplainQuestion) -> View:
    """Every site of a line, or the one at a column, with the whole chain of evidence for each of its targets.

    Errors: FlowmapError when the place is none, or no site stands there (with the nearest lines that have one).
    """
    sites = _asked(index, question)
    opinions = {each.site: each for each in question.second(spans(index, [site.id for site in sites]))}
    bounds = let_go_at(index, sites)
    told = [_Told(index, site, bounds.get(site.id, ()), _compared(index, site, opinions)) for site in sites]
    first = sites[0].place
    title = (Span(f"{first.file}:{first.line}", Role.HEADING), GAP, note(f"{count(len(sites), 'call site')} in "))
    blocks = tuple(block for one in told for block in _blocks(one, question.detail))
    record = tuple(map(_record, told))
    return View((*title, symbol_span(sites[0].caller)), blocks, record, index.source, (LEGEND,))


@dataclass(frozen=True, slots=True)
class _Told:
    """What is told of one site."""

    index: Index
    site: Site
    let_go: tuple[LetGo, ...]
    second: Compared | None


def _compared(index: Index, site: Site, opinions: Mapping[int, Opinion]) -> Compared | None:
    return compare(index, site, opinions[site.id]) if site.id in opinions else None


# ------------------------------------------------------------------ the sites


def _asked(index: Index, question: ExplainQuestion) -> Sequence[Site]:
    match = _PLACE.match(question.place)
    if not match:
        fix = "Name a line as FILE:LINE, or one site of it as FILE:LINE:COL."
        raise FlowmapError(Problem(question.place, "is no place in a file", fix))
    line = line_number(match["line"])
    entry = with_line(find_file(index, match["file"], line), line)
    around = sites_covering(index, Place(entry.path, line), question.confidence)
    sites = [site for site in around if line in (site.place.line, site.name_line)] or around
    if not sites:
        raise _nothing_there(index, Place(entry.path, line))
    return sites if match["col"] is None else _at_column(index, sites, Place(entry.path, line, line_number(match["col"]) - 1))


def _nothing_there(index: Index, place: Place) -> FlowmapError:
    lines = nearest_lines(index, place.file, place.line, _N_NEAREST)
    near = ", ".join(f"{index.short_paths[place.file]}:{line}" for line in lines)
    fix = f"The nearest lines with one: {near}" if near else "The file has no call site at all."
    return FlowmapError(Problem(str(place), "no call site stands on this line", fix), code=ExitCode.FINDING)


def _at_column(index: Index, sites: Sequence[Site], at: Place) -> Sequence[Site]:
    """The innermost site around a column."""
    here = (at.line, at.col)
    around = [
        (span.end_line - span.start.line, span.end_col - span.start.col, span.site)
        for span in spans(index, [site.id for site in sites])
        if (span.start.line, span.start.col) <= here < (span.end_line, span.end_col)
    ]
    if not around:
        columns = ", ".join(f"{at.line}:{site.place.col + 1} {callee_text(site.expr)}" for site in sites)
        where = f"{at.file}:{at.line}:{at.col + 1}"
        raise FlowmapError(Problem(where, "no call site covers this column", f"On this line: {columns}"), code=ExitCode.FINDING)
    smallest = min(around)[2]
    return [site for site in sites if site.id == smallest]


# ------------------------------------------------------------------- the page


def _blocks(one: _Told, detail: Detail) -> Iterator[Block]:
    site = one.site
    place = Span(f"{one.index.short_paths[site.place.file]}:{site.place.line}:{site.place.col + 1}", Role.PLACE, site.place)
    callee: Line = (place, GAP, Span(callee_text(site.expr), Role.CODE), *kind_note(site), GAP, note(_status(site)))
    yield blank()
    yield Tree((TreeNode(callee, (*_targets(one), *_stop(one), *_second(one)), (*_guards(site, detail), *_bounds(one))),))


def _status(site: Site) -> str:
    return f"{site.status.value}: {site.reason}" if site.reason else site.status.value


def _guards(site: Site, detail: Detail) -> Iterator[Line]:
    if site.guards:
        yield (note("under "), *guard_line(site.guards, detail))
    for line in (expression_guards(site.expr_guards, detail), early_exits(site.early_exit_guards, detail)):
        if line:
            yield line


def _bounds(one: _Told) -> Iterator[Line]:
    for each in one.let_go:
        place = place_span(one.index, each.place)
        yield (Span(f"beyond the bound, targets may be missing: {step_words(each)}", Role.WARNING), GAP, place)


def _targets(one: _Told) -> Iterator[TreeNode]:
    for number, target in enumerate(one.site.targets):
        place = target.definition.place
        where: Line = (GAP, place_span(one.index, place)) if place else (GAP, note("outside the index"))
        line = (*mark(target.confidence), symbol_span(target.definition), *where, *_agreement(one.second, number))
        yield TreeNode(line, (), tuple(_because(one, target)))


def _because(one: _Told, target: Target) -> Iterator[Line]:
    yield from step_lines(one.index, evidence_chain(one.index, target.evidence))


def _agreement(second: Compared | None, number: int) -> Line:
    if second is None or second.problem:
        return ()
    match = second.matches[number]
    text = f"both, by {match.value}" if match else "only flowmap"
    return (GAP, Span(f"[{text}]", Role.NOTE if match else Role.WARNING))


def _stop(one: _Told) -> Iterator[TreeNode]:
    """What stopped the engine, and where that came from."""
    steps = stopped_chain(one.index, one.site)
    if steps:
        lines = [step_line(one.index, step) for step in steps]
        hint = _callers(one.index, steps[-1])
        said = "where it comes from:" if one.site.status is Status.EXTERNAL else "stopped, since this is unknown:"
        yield TreeNode((note(said),), (), (*lines, *((hint,) if hint else ())))


def _callers(index: Index, last: Step) -> Line:
    """Who could feed a parameter to which nothing known is passed."""
    if last.kind is not StepKind.UNFED or last.place is None:
        return ()
    function = definition_at(index, last.place)
    sites = [] if function is None else sites_running(index, [function], Confidence.INFERRED)
    if not sites:
        return (note("no caller in the indexed code feeds it"),)
    shown = [span for site in sites[:_N_CALLERS] for span in (note(", "), place_span(index, site.place))][1:]
    rest = f" and {len(sites) - _N_CALLERS} more" if len(sites) > _N_CALLERS else ""
    return (note("nothing known is passed by "), *shown, note(rest))


def _second(one: _Told) -> Iterator[TreeNode]:
    second = one.second
    if second is None:
        return
    if second.problem:
        yield TreeNode((note(f"jedi was not asked: {second.problem}"),))
        return
    for said in second.jedi_only:
        where: Line = (GAP, place_span(one.index, said.place)) if said.place else ()
        yield TreeNode((Span(said.symbol, Role.SYMBOL), *where, GAP, Span("[only jedi]", Role.WARNING)))
    yield TreeNode((note("second opinion: "), Span(second.verdict.value, Role.CONFIDENCE)))


# ----------------------------------------------------------------- the record


def _record(one: _Told) -> ExplainRecord:
    index, site = one.index, one.site
    targets = tuple(target_record(each, evidence_chain(index, each.evidence)) for each in site.targets)
    bounds = (Step(each.place, each.kind, each.name, Confidence.INFERRED) for each in one.let_go)
    return ExplainRecord(
        site=site_record(site, targets),
        stopped=tuple(map(step_record, stopped_chain(index, site))),
        let_go=tuple(map(step_record, bounds)),
        second=_second_record(one.second),
    )


def _second_record(second: Compared | None) -> SecondRecord | None:
    if second is None:
        return None
    return SecondRecord(second.verdict, second.matches, tuple(said.symbol for said in second.jedi_only), second.problem)
