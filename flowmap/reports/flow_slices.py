"""`flowmap impact` and `flowmap depends`: what a value reaches, and what it comes from, by distance."""

from __future__ import annotations

from dataclasses import dataclass

from flowmap.follow.search import Following
from flowmap.follow.slices import Member, slice_of
from flowmap.follow.world import World
from flowmap.model.flow import FlowStep
from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.view import Line, Role, Span, Tree, TreeNode, View
from flowmap.reports.flow import WIDTH, StepRecord, code_line, operation, step_record
from flowmap.reports.flow_subjects import changed, value
from flowmap.reports.phrases import GAP, Detail, blank, count, note, place_span, short_name
from flowmap.store.index import Index


@dataclass(frozen=True, slots=True)
class SliceQuestion:
    """What is asked about, in which direction, how many members are shown, how far the search goes."""

    name: str
    following: Following
    limit: int
    most_steps: int
    detail: Detail


@dataclass(frozen=True, slots=True)
class MemberRecord:
    """A member: its step, how many steps it is away, and the step that brings it in (nothing: what was asked about)."""

    distance: int
    step: StepRecord
    because: tuple[StepRecord, ...]


@dataclass(frozen=True, slots=True)
class SliceRecord:
    """A slice, the nearest members first. `bounded`: there is more."""

    subject: str
    members: tuple[MemberRecord, ...]
    bounded: bool


def flow_slice(index: Index, question: SliceQuestion) -> View:
    """What can be affected if a value changes, or what it depends on.

    Errors: FlowmapError when the name is unknown or ambiguous, or nothing is reached.
    """
    world = World(index)
    subject = (value if question.following is Following.ORIGIN else changed)(world, question.name)
    found = slice_of(world, subject, question.following, question.limit, question.most_steps)
    if not found.members:
        what = "comes from nothing that is known" if question.following is Following.ORIGIN else "reaches nothing"
        raise FlowmapError(Problem(question.name, what), code=ExitCode.FINDING)
    tree = Tree(tuple(_node(world, member, question.detail) for member in found.members))
    record = SliceRecord(question.name, tuple(_record(world, member) for member in found.members), found.is_bounded)
    direction = "depends on" if question.following is Following.ORIGIN else "reaches"
    n_functions = len({member.step.function for member in found.members})
    counted = f"  {direction} {count(len(found.members), 'step')} in {count(n_functions, 'function')}"
    more = f"there is more: --limit {question.limit * 4} shows more, --most-steps {question.most_steps * 5} looks further"
    notes = (more,) if found.is_bounded else ()
    return View((Span(subject.text, Role.SYMBOL), note(counted)), (blank(), tree), record, index.source, notes)


def _node(world: World, member: Member, detail: Detail) -> TreeNode:
    step = member.step
    place = place_span(world.index, Place(step.file, step.line))
    symbol = Span(short_name(world.definition(step.function)), Role.SYMBOL)
    what = Span(f"{step.what.value:{WIDTH}}")
    line = (note(f"{member.distance:3}"), GAP, what, GAP, place, GAP, symbol, *operation(step), *_because(world, member.before))
    return TreeNode(line, (), ((Span(INDENT), *code_line(world, step, detail)),))


INDENT = " " * 5  # as wide as the distance in front of a step


def _because(world: World, before: FlowStep | None) -> Line:
    """The step that brings a member in, where that is not what was asked about."""
    if before is None:
        return ()
    return (note(f"  because of {before.what.value} {world.index.short_paths[before.file]}:{before.line}"),)


def _record(world: World, member: Member) -> MemberRecord:
    because = () if member.before is None else (step_record(world, member.before),)
    return MemberRecord(member.distance, step_record(world, member.step), because)
