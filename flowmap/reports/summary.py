"""`flowmap index`: what was found in the subject, and what did not parse and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flowmap.model.place import Place
from flowmap.model.problem import Problem
from flowmap.model.program import Confidence, DefinitionKind, Status
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.reports.phrases import GAP, Detail, blank, count, heading, note, place_span
from flowmap.reports.steps import step_words
from flowmap.store.chains import let_go, n_sites_let_go
from flowmap.store.index import Index
from flowmap.store.sites import counts, counts_by_confidence
from flowmap.store.untargeted import Shape, untargeted

N_PROBLEMS = 12
_LINE = re.compile(r"line (?P<line>[1-9]\d*): ")
_KINDS = (DefinitionKind.MODULE, DefinitionKind.CLASS, DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY)


@dataclass(frozen=True, slots=True)
class CountRecord:
    """A number of things."""

    what: str
    number: int


@dataclass(frozen=True, slots=True)
class SummaryRecord:
    """What an index holds. The sites by status add up to all sites; those by confidence to the resolved ones.

    `borders`: calls that hand something of the indexed code over to run elsewhere. `without_target`: by reason.
    """

    files: int
    lines: int
    definitions: tuple[CountRecord, ...]
    sites: int
    sites_by_status: tuple[CountRecord, ...]
    resolved_by_confidence: tuple[CountRecord, ...]
    borders: int
    without_target: tuple[Shape, ...]
    entry_points: int
    let_go: tuple[CountRecord, ...]  # where more came together than is followed: places, and call sites that this concerns
    problems: tuple[Problem, ...]


def summary(index: Index, detail: Detail, n_problems: int = N_PROBLEMS) -> View:
    """What was found, counted, and what could not be read: of that so many problems, and all in full."""
    record = _record(index)
    title: Line = (Span(index.source, Role.HEADING),)
    blocks: tuple[Block, ...] = (
        Table(("", ""), tuple(_rows(record))),
        blank(),
        heading("Call sites", f"{record.sites:,}"),
        Table(("", "", ""), tuple(_sites(record))),
        *_let_go(index, record, detail),
        *_without_target(index, record, detail),
        *_problems(index, record.problems, len(record.problems) if detail is Detail.FULL else n_problems),
    )
    return View(title, blocks, record, index.source)


def _record(index: Index) -> SummaryRecord:
    kinds: Mapping[str, int] = dict(index.rows("SELECT kind, COUNT(*) FROM symbol GROUP BY kind"))
    ((n_borders,),) = index.rows("SELECT COUNT(*) FROM site WHERE kind = 'border'")
    ((n_entries,),) = index.rows("SELECT COUNT(DISTINCT symbol) FROM entry")
    by_status, by_confidence = counts(index), counts_by_confidence(index)
    return SummaryRecord(
        files=len(index.files),
        lines=sum(entry.n_lines for entry in index.files.values()),
        definitions=tuple(CountRecord(kind.value, kinds.get(kind.value, 0)) for kind in _KINDS),
        sites=sum(by_status.values()),
        sites_by_status=tuple(
            CountRecord(status.value, by_status[status]) for status in Status if by_status[status] or status != Status.PRUNED
        ),
        resolved_by_confidence=tuple(CountRecord(each.value, by_confidence[each]) for each in Confidence),
        borders=n_borders,
        without_target=untargeted(index),
        entry_points=n_entries,
        let_go=(CountRecord("places", len(let_go(index))), CountRecord("sites", n_sites_let_go(index))),
        problems=index.problems(),
    )


def _rows(record: SummaryRecord) -> Iterator[tuple[Line, ...]]:
    kinds = {each.what: each.number for each in record.definitions}
    functions = kinds[DefinitionKind.FUNCTION] + kinds[DefinitionKind.METHOD] + kinds[DefinitionKind.PROPERTY]
    for what, number, remark in (
        ("files", record.files, count(record.lines, "line")),
        ("classes", kinds[DefinitionKind.CLASS], ""),
        ("functions", functions, f"{count(kinds[DefinitionKind.METHOD] + kinds[DefinitionKind.PROPERTY], 'method')} among them"),
        ("entry points", record.entry_points, ""),
        ("borders", record.borders, "calls that hand something over to run elsewhere"),
    ):
        yield (Span(what),), (Span(f"{number:>9,}  "), note(remark))


def _sites(record: SummaryRecord) -> Iterator[tuple[Line, ...]]:
    strengths = ", ".join(f"{each.number:,} {each.what}" for each in record.resolved_by_confidence if each.number)
    for each in record.sites_by_status:
        share = f"{100 * each.number / record.sites:5.1f}%" if record.sites else ""
        remark = strengths if each.what == Status.RESOLVED else ""
        yield (Span(each.what),), (Span(f"{each.number:>9,}"),), (Span(f"{share}  "), note(remark))


def _let_go(index: Index, record: SummaryRecord, detail: Detail) -> Iterator[Block]:
    """Where flow was let go, so that what it leads to may be missing."""
    places, sites = (each.number for each in record.let_go)
    if not places and not sites:
        return
    yield blank()
    concerned = f"{count(places, 'place')}, {count(sites, 'call site')} concerned"
    yield heading("Beyond the bound", concerned)
    if detail is Detail.BRIEF:
        yield Paragraph((note("more comes together there than is followed: -v lists the places; explain, trace -v mark sites"),))
        return
    yield Tree(tuple(TreeNode((place_span(index, each.place), GAP, note(step_words(each)))) for each in let_go(index)))


def _without_target(index: Index, record: SummaryRecord, detail: Detail) -> Iterator[Block]:
    """How many sites lead nowhere though the indexed code has such a name; with all reasons in full."""
    n_named = sum(shape.n_named for shape in record.without_target)
    n_all = sum(shape.n_sites for shape in record.without_target)
    if not n_all:
        return
    share = f"{100 * n_named / record.sites:.1f}% of all"
    yield blank()
    yield heading("Without a target", f"{n_all:,}, {n_named:,} of them ({share}) of a name defined here")
    if detail is Detail.FULL:
        yield Table(("called so", "all", "reason"), tuple(_shape(index, each) for each in record.without_target))


def _shape(index: Index, shape: Shape) -> tuple[Line, ...]:
    numbers: tuple[Line, ...] = ((Span(f"{shape.n_named:>9,}"),), (Span(f"{shape.n_sites:>9,}"),))
    return (*numbers, (Span(f"{shape.reason}  "), note("as at "), place_span(index, shape.example)))


def _problems(index: Index, problems: Sequence[Problem], limit: int) -> Iterator[Block]:
    if problems:
        yield blank()
        yield heading("Not as it should be", count(len(problems), "problem"))
        nodes = [_problem(index, each) for each in problems[:limit]]
        rest = len(problems) - limit
        yield Tree((*nodes, *([TreeNode((note(f"+ {rest} more, all with -v"),))] if rest > 0 else [])))


def _problem(index: Index, problem: Problem) -> TreeNode:
    """A problem at its place: the line that it names, else the first; a folder or an archive stands for a file, too."""
    said = _LINE.match(problem.what)
    file, _, line = problem.where.partition(":")
    if file not in index.file_ids or not line.isdecimal():
        file, line = problem.where, said["line"] if said else ""
    where = Span(f"{file}:{line}" if line else file, Role.PLACE, Place(file, int(line or 1)))
    shown = (where, note("  "), Span(problem.what[said.end() :] if said else problem.what, Role.WARNING))
    return TreeNode(shown, (), ((note(f"→ {problem.fix}"),),) if problem.fix else ())
