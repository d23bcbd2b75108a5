"""`flowmap flow`: the ways of a value from one place to another, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flowmap.follow.ends import Named
from flowmap.follow.paths import Paths, onward, paths
from flowmap.follow.world import World
from flowmap.model.flow import Exclusion, FlowPath, FlowStep, What
from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.reports.abridged import abridged
from flowmap.reports.flow_subjects import value
from flowmap.reports.phrases import GAP, Detail, blank, count, heading, note, place_span, short_name
from flowmap.store.index import Index

LONGEST_CODE = 66
LATER = "the next iteration"
AGAIN = "in a later call"
UNSEEN = "how the object came here was not found"
WIDTH = 9  # of the longest usual word for a step


@dataclass(frozen=True, slots=True)
class FlowQuestion:
    """From where, to where ("": to the fields that it reaches first), how many paths, how far the search goes."""

    start: str
    end: str
    limit: int
    most_steps: int
    detail: Detail


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step. `detail`: the field, name or operation; `later`: it is read in the next iteration, `again`: in a
    later call. `unseen`: how the object that holds it came here was not found."""

    file: str
    line: int
    function: str
    what: What
    expr: str
    detail: str
    later: bool
    unseen: bool
    again: bool


@dataclass(frozen=True, slots=True)
class FlowRecord:
    """The paths, the best first. `bounded`: the search stopped before it had seen everything. `ends`: for each path the fields
    that it ends in, none where it ends elsewhere. `exclusions`: for each path the test that its branches contradict."""

    start: str
    end: str
    paths: tuple[tuple[StepRecord, ...], ...]
    bounded: bool
    ends: tuple[tuple[str, ...], ...]
    exclusions: tuple[Exclusion | None, ...]


def flow(index: Index, question: FlowQuestion) -> View:
    """The paths of a value.

    Errors: FlowmapError when a name is unknown or ambiguous, or no path is found.
    """
    world = World(index)
    start, found = answered(world, question)
    blocks = [block for number, path in enumerate(found.paths, start=1) for block in _path(world, number, path, question.detail)]
    record = FlowRecord(
        question.start,
        question.end,
        tuple(tuple(step_record(world, step) for step in path.steps) for path in found.paths),
        found.is_bounded,
        tuple(tuple(field_text(world, one) for one in path.ends) for path in found.paths),
        tuple(path.exclusion for path in found.paths),
    )
    end = question.end or "where it goes"
    title = (Span(start.text, Role.SYMBOL), note(" → "), Span(end, Role.SYMBOL), note(f"  {count(len(found.paths), 'path')}"))
    return View(title, tuple(blocks), record, index.source, tuple(_notes(found, question)))


def answered(world: World, question: FlowQuestion) -> tuple[Named, Paths]:
    """What the question starts from, and its paths.

    Errors: FlowmapError as `flow`.
    """
    start = value(world, question.start)
    if not question.end:
        found = onward(world, start, question.limit, question.most_steps)
    else:
        found = paths(world, start, value(world, question.end), question.limit, question.most_steps)
    if not found.paths:
        raise _no_path(question, found, world.index.configuration)
    return start, found


def _no_path(question: FlowQuestion, found: Paths, configuration: str) -> FlowmapError:
    end = (f"to {question.end}" if question.end else "onward") + (f" under {configuration}" if configuration else "")
    if found.is_bounded:
        what = f"no path {end} was found in {count(found.n_steps, 'step')} of search, where it stopped"
        return FlowmapError(
            Problem(question.start, what, f"--most-steps {question.most_steps * 5} looks further."), code=ExitCode.FINDING
        )
    fix = f'flowmap impact "{question.start}" shows what it reaches.'
    return FlowmapError(Problem(question.start, f"no path leads {end}", fix), code=ExitCode.FINDING)


def _notes(found: Paths, question: FlowQuestion) -> Iterator[str]:
    if found.is_bounded:
        yield f"the search stopped after {count(found.n_steps, 'step')}: --most-steps {question.most_steps * 5} looks further"
    if len(found.paths) == question.limit:
        yield f"the first {question.limit} paths: --limit {question.limit * 2} shows more"


def _path(world: World, number: int, path: FlowPath, detail: Detail) -> Iterator[Block]:
    yield blank()
    yield heading(f"Path {number}", count(len(path.steps), "step"))
    if path.exclusion is not None:
        yield Paragraph((note(_excluded(world, path.exclusion)),))
    steps = zip((None, *path.steps), path.steps, strict=False)
    nodes = [_node(world, step, before, detail) for before, step in steps]
    if path.ends and nodes:
        named = ", ".join(field_text(world, one) for one in path.ends)
        nodes[-1] = nodes[-1]._replace(line=(*nodes[-1].line, note("  → "), Span(named, Role.SYMBOL)))
    yield Tree(tuple(nodes))


def _excluded(world: World, exclusion: Exclusion) -> str:
    """Why the branches that a path goes through exclude each other."""
    holds, fails = (place_span(world.index, Place(*place)).text for place in (exclusion.holds, exclusion.fails))
    return f"only if this changes in between: {exclusion.test} holds at {holds} and not at {fails}"


def field_text(world: World, field: tuple[int, str]) -> str:
    """A field as a person names it."""
    owner, name = field
    return f"{short_name(world.definition(owner))}.{name}"


def _node(world: World, step: FlowStep, before: FlowStep | None, detail: Detail) -> TreeNode:
    """A step, and under it the line of the text, where that is another one than before."""
    role = Role.NOTE if step.what is What.CARRIED else Role.PLAIN
    place = place_span(world.index, Place(step.file, step.line))
    symbol = Span(short_name(world.definition(step.function)), Role.SYMBOL)
    remarks = [text for text, holds in ((LATER, step.later), (AGAIN, step.again), (UNSEEN, step.unseen)) if holds]
    told = (Span(f"{step.what.value:{WIDTH}}", role), GAP, place, GAP, symbol, *operation(step))
    line = (*told, *(note(f"  ({text})") for text in remarks))
    same = before is not None and (before.file, before.line) == (step.file, step.line)
    return TreeNode(line, (), () if same else (code_line(world, step, detail),))


def code_line(world: World, step: FlowStep, detail: Detail) -> Line:
    """The line of the text where a step stands, under it."""
    code = code_of(world, step)
    return (Span(" " * WIDTH), Span(code if detail is Detail.FULL else abridged(code, LONGEST_CODE), Role.CODE))


def operation(step: FlowStep) -> Line:
    """The operation of a step that makes or changes a value; the border of one that crosses it."""
    crosses = step.what is What.PASSED and " " in step.detail  # the words of a border
    return (GAP, note(step.detail)) if (step.what in OPERATING or crosses) and step.detail else ()


OPERATING = (What.DERIVED, What.UPDATED)


def code_of(world: World, step: FlowStep) -> str:
    """The line of the text where a step stands."""
    lines = world.index.text_lines(step.file)
    return lines[step.line - 1].strip() if 0 < step.line <= len(lines) else step.detail


def step_record(world: World, step: FlowStep) -> StepRecord:
    """The record of a step."""
    symbol = world.definition(step.function).symbol
    return StepRecord(
        step.file, step.line, symbol, step.what, code_of(world, step), step.detail, step.later, step.unseen, step.again
    )
