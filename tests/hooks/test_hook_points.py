"""What a report about hooks says of a small loop: who is a candidate, in which role, with what obligations and which verdict."""

from __future__ import annotations

import pytest

from flowmap.hooks.answer import hook_points
from flowmap.hooks.read import question_of, read_question
from flowmap.model.hooks import (
    Candidate,
    CriterionName,
    HookPoints,
    HookRole,
    Obligation,
    ObligationKind,
    Standing,
    Verdict,
)
from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.query.files import QueryFile
from flowmap.store.index import Index
from tests.hooks.programs import LOOP, PROGRAM, QUESTION
from tests.programs import index_of


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of the loop."""
    return index_of(tmp_path_factory.mktemp("loop"), PROGRAM)


@pytest.fixture(scope="module")
def points(index: Index, tmp_path_factory: pytest.TempPathFactory) -> HookPoints:
    """The hook points of the loop."""
    file = tmp_path_factory.mktemp("question") / "question.toml"
    file.write_text(QUESTION, encoding="utf-8")
    return hook_points(index, index, read_question(QueryFile(file, "question.toml")))


def named(points: HookPoints, name: str) -> Candidate:
    """The candidate of a name."""
    found = [one for one in points.candidates if one.definition.short == name]
    assert found, f"{name} is among {[one.definition.short for one in points.candidates]}"
    return found[0]


def owed(points: HookPoints, name: str, kind: ObligationKind) -> dict[str, Obligation]:
    """The obligations of a kind that a candidate has, by name."""
    return {one.name: one for one in named(points, name).obligations if one.kind is kind}


def line(text: str, nth: int = 1) -> Place:
    """The place of the n-th line of the loop that holds a text."""
    found = [number for number, each in enumerate(LOOP.splitlines(), start=1) if text in each]
    return Place("loop.py", found[nth - 1])


def criteria(points: HookPoints, name: str) -> dict[CriterionName, int]:
    """The points that each criterion gives a candidate."""
    return {one.name: one.points for one in named(points, name).criteria}


# ------------------------------------------------------------------ candidates


@pytest.mark.parametrize(
    ("name", "standing", "role"),
    [
        ("Worker.step", Standing.ABOVE, HookRole.SKIP),
        ("Worker.draft", Standing.OPERATION, HookRole.SKIP),
        ("Worker.verify", Standing.OPERATION, HookRole.SKIP),
        ("Worker.draft_forward", Standing.BELOW, HookRole.SKIP),
        ("Worker.prepare", Standing.BELOW, HookRole.SKIP),
        ("Worker.sample", Standing.BELOW, HookRole.ORACLE),
        ("Worker.extend", Standing.AFTER, HookRole.SKIP),
        ("Loop.fill", Standing.BEFORE, HookRole.RESERVE),
        ("Loop.finish", Standing.AFTER, HookRole.OBSERVE),
        ("Batch.is_live", Standing.BESIDE, HookRole.SELECT),
    ],
)
def test_each_function_has_its_standing_and_role(points: HookPoints, name: str, standing: Standing, role: HookRole) -> None:
    """Found from the calls, their order and the fields they share; the question names the operations alone."""
    candidate = named(points, name)
    assert (candidate.standing, candidate.role) == (standing, role)


@pytest.mark.parametrize("name", ["Loop.run", "Model.forward", "Graph.replay", "Loop.next_batch", "table", "Loop.__init__"])
def test_what_can_be_no_hook_is_no_candidate(points: HookPoints, name: str) -> None:
    """The loop itself, the work, what shares nothing with the operations, what does not run in a step."""
    assert name not in [one.definition.short for one in points.candidates]


# ------------------------------------------------------------------ obligations


def test_results_are_owed_with_who_reads_them(points: HookPoints) -> None:
    """What the region makes and hands out: written where it is made, read where it is taken up."""
    found = owed(points, "Worker.step", ObligationKind.RESULT)
    assert {"Result.tokens", "Result.accepted", "Result.state", "State.rest"} <= set(found)
    assert line("Result(tokens=") in found["Result.accepted"].writes
    assert found["Result.accepted"].reads == (line("result.accepted.sum()"),)


def test_what_nobody_reads_afterwards_is_not_owed(points: HookPoints) -> None:
    """`State.first` is written in the region and read nowhere else."""
    assert "State.first" not in owed(points, "Worker.step", ObligationKind.RESULT)


def test_what_only_the_region_reads_is_not_owed(points: HookPoints) -> None:
    """`Model.n_passes` is of the model, which is not looked into; the width of the worker is read in the region alone."""
    names = {one.name for one in named(points, "Worker.step").obligations}
    assert not names & {"Model.n_passes", "Worker.width"}


def test_fields_of_an_object_that_was_handed_in_are_owed(points: HookPoints) -> None:
    """What a region writes into what others have, too, and read."""
    assert owed(points, "Loop.fill", ObligationKind.FIELD)["Batch.slots"].reads == (line("+ batch.slots"),)
    assert "Batch.slots" not in {one.name for one in named(points, "Worker.step").obligations}


def test_resources_are_owed_where_they_are_acquired(points: HookPoints) -> None:
    """And nowhere else."""
    assert owed(points, "Loop.fill", ObligationKind.RESOURCE)["take_slots"].writes == (line("take_slots(batch)", 2),)
    assert not owed(points, "Worker.step", ObligationKind.RESOURCE)


def test_sizes_elsewhere_follow_from_the_same_constants(points: HookPoints) -> None:
    """`torch.empty(settings.width)` stands in another file; `torch.empty(len(…))` follows from something else."""
    (shape,) = owed(points, "Worker.step", ObligationKind.SHAPE).values()
    assert shape.reads == (Place("settings.py", 11),)
    assert shape.writes == (line("torch.zeros(self.width)"),)


def test_a_result_that_waits_in_a_queue_is_taken_up_later(points: HookPoints) -> None:
    """Where it is put away, and where it is taken out."""
    later = owed(points, "Worker.step", ObligationKind.TIMING)
    assert line("self.results.append") in later["Result.accepted"].reads
    assert line("self.results.popleft") in later["Result.accepted"].reads


def test_collectives_are_told(points: HookPoints) -> None:
    """What all ranks do together below the region: they have to go the same way."""
    (ranks,) = owed(points, "Worker.step", ObligationKind.RANKS).values()
    assert line("logits = self.model.forward(batch)") in ranks.writes
    assert not owed(points, "Worker.sample", ObligationKind.RANKS)


# ------------------------------------------------------------------ verdicts


def test_the_place_that_bypasses_everything_is_the_best(points: HookPoints) -> None:
    """One call site, both operations, nothing of what lives on."""
    assert points.candidates[0].definition.short == "Worker.step"
    assert points.candidates[0].verdict is Verdict.CLEAN
    assert points.candidates[0].share == 1.0


def test_what_leaves_one_operation_is_worse(points: HookPoints) -> None:
    """Drafting alone saves half; verifying alone comes when drafting is paid for."""
    assert CriterionName.LEAVES in criteria(points, "Worker.draft")
    assert CriterionName.PAID not in criteria(points, "Worker.draft")
    assert CriterionName.PAID in criteria(points, "Worker.verify")
    assert named(points, "Worker.verify").points < named(points, "Worker.draft").points


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Worker.draft_forward", CriterionName.FROZEN),
        ("Worker.extend", CriterionName.COMPLETES),
        ("Worker.prepare", CriterionName.FIXED_SIZE),
    ],
)
def test_what_cannot_be_bypassed_says_why(points: HookPoints, name: str, reason: CriterionName) -> None:
    """Recorded and replayed; needed to complete the result; a size that something else has fixed."""
    assert named(points, name).verdict is Verdict.INFEASIBLE
    assert [one.name for one in named(points, name).criteria if one.bars] == [reason]


def test_only_these_are_barred(points: HookPoints) -> None:
    """No other candidate has a criterion that bars it."""
    barred = {one.definition.short for one in points.candidates if any(each.bars for each in one.criteria)}
    assert barred == {"Worker.draft_forward", "Worker.extend", "Worker.prepare"}


def test_every_point_names_its_places(points: HookPoints) -> None:
    """A criterion without a place to look at says only that there is none."""
    without = {each.name for one in points.candidates for each in one.criteria if not each.sites}
    assert without <= {CriterionName.NOTHING_SAVED}


def test_the_verdict_is_the_sum_of_the_points(points: HookPoints) -> None:
    """Nothing counts that is not told."""
    for one in points.candidates:
        assert one.points == sum(each.points for each in one.criteria)


def test_signals_are_in_sight(points: HookPoints) -> None:
    """Read there, or on an object that is at hand there."""
    assert {one.signal for one in named(points, "Loop.finish").sees} == {"batch size", "acceptance"}
    assert not named(points, "Worker.sample").sees


# ------------------------------------------------------------------ without a file, and bad input


def test_a_bypass_alone_is_enough(index: Index) -> None:
    """The entry points are then what leads to it and is run by nothing."""
    found = hook_points(index, index, question_of(["Worker.verify"], []))
    assert [one.short for one in found.entries] == ["loop"]
    names = [one.definition.short for one in found.candidates if one.role is HookRole.SKIP]
    assert "Worker.step" in names
    assert "main" not in names, "nothing but the entry point would be left"


def test_an_unknown_name_is_said_with_the_nearest(index: Index) -> None:
    """A bypass that names nothing."""
    with pytest.raises(FlowmapError) as caught:
        hook_points(index, index, question_of(["Worker.verfy"], []))
    assert "Worker.verify" in str(caught.value)


def test_an_entry_that_does_not_reach_says_how_far_it_gets(index: Index) -> None:
    """And from where the operation is run."""
    with pytest.raises(FlowmapError) as caught:
        hook_points(index, index, question_of(["Worker.verify"], ["Loop.take"]))
    assert caught.value.code is ExitCode.FINDING
    assert "Loop.take: does not reach Worker.verify: it runs 2 functions" in str(caught.value)
    assert "begins at loop" in str(caught.value)


def test_what_is_not_reached_is_left_out_and_said(index: Index) -> None:
    """One of several operations may belong to another configuration."""
    found = hook_points(index, index, question_of(["Worker.verify", "table"], ["Loop.run"]))
    assert found.notes == ("table is not reached: left out",)
    assert [one.short for one in found.operations] == ["Worker.verify"]
