"""What must hold of the outcomes, and that it can fail."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.gpu.judging import throughput_checks, token_checks
from benchmarks.gpu.ramps import RampRow
from benchmarks.gpu.reference import agree
from benchmarks.gpu.scenarios import SCENARIOS, Kind

FLIPPING, TIGHT, FAULTY = "eagle-one-token-flips", "eagle-one-token-tight", "fault-packed"


def outcome(name: str, **other: Any) -> dict[str, Any]:
    """An outcome in which all is well."""
    watched = {"n_released": 9, "n_wrong_lengths": 0, "n_retractions": 2, "n_retractions_off": 1, "n_aborts_off": 1}
    flips = [{"name": stage.name, "n_flips": 12} for stage in SCENARIOS[name].stages]
    return {"scenario": name, "n_leaked": 0, "watched": watched, "paces": flips, **other}


def reference(name: str, n_far: int = 0) -> dict[str, Any]:
    """A row of the reference's."""
    return {"scenario": name, "n_tokens": 100, "n_best": 99, "n_far": n_far, "largest_gap": 0.04 + n_far}


def missed(outcomes: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[str]:
    """What does not hold, but for scenarios that were not run."""
    checks = token_checks({each["scenario"]: each for each in outcomes}, rows)
    return [check.what for check in checks[1:] if not check.holds]


def test_nothing_is_missed_where_all_is_well() -> None:
    """Right tokens, no leaks, right lengths, flips enough, something taken out while off; and a fault that shows."""
    outcomes = [outcome(name) for name in (FLIPPING, TIGHT, FAULTY)]
    assert missed(outcomes, [reference(FLIPPING), reference(TIGHT), reference(FAULTY, n_far=50)]) == []


@pytest.mark.parametrize(
    ("name", "other", "n_far", "what"),
    [
        (FLIPPING, {}, 1, "no token is further than 0.15 from the reference's"),
        (FLIPPING, {"n_leaked": 2}, 0, "no slot leaks"),
        (FLIPPING, {"watched": {"n_released": 9, "n_wrong_lengths": 1}}, 0, "committed slots are those of the tokens"),
        (FLIPPING, {"paces": [{"name": "mixed-0", "n_flips": 9}]}, 0, "each schedule flips 10 times or more"),
        (FAULTY, {}, 0, "the fault is found"),
    ],
)
def test_each_thing_can_be_missed(name: str, other: dict[str, Any], n_far: int, what: str) -> None:
    """One thing that is wrong is one check that does not hold, of its scenario."""
    assert missed([outcome(name, **other)], [reference(name, n_far)]) == [f"{name}: {what}"]


def test_a_tight_pool_that_takes_nothing_out_proves_nothing() -> None:
    """Nothing was taken out while off."""
    watched = {"n_released": 9, "n_wrong_lengths": 0, "n_retractions": 3, "n_retractions_off": 0}
    assert missed([outcome(TIGHT, watched=watched)], [reference(TIGHT)]) == [f"{TIGHT}: requests are taken out while off"]


def test_scenarios_that_did_not_end_are_missed() -> None:
    """All scenarios of tokens are wanted."""
    first = token_checks({FLIPPING: outcome(FLIPPING)}, [reference(FLIPPING)])[0]
    assert not first.holds
    assert first.found == f"1 of {sum(each.kind is Kind.TOKENS for each in SCENARIOS.values())}"


def ramp(policy: float, *, off: float | None = 80.0) -> list[RampRow]:
    """A ramp of one stage."""
    of_off = policy / off if off else None
    return [RampRow(stage, 100.0, off, policy, policy / 100, of_off, 0.5, 2) for stage in ("1 at place 0", "the whole ramp")]


@pytest.mark.parametrize(("policy", "held"), [(94.0, [False, False]), (96.0, [True, False]), (101.0, [True, True])])
def test_the_policy_is_near_the_better_at_each_stage_and_better_over_all(policy: float, held: list[bool]) -> None:
    """95 % of the better static at a stage, and more than both over the whole ramp."""
    assert [check.holds for check in throughput_checks({"ramp": ramp(policy)})] == held


@pytest.mark.parametrize(("policy", "holds"), [(97.0, False), (98.5, True)])
def test_where_on_always_wins_the_policy_stays_on(policy: float, holds: bool) -> None:
    """98 % of on, at each stage and over all."""
    assert [check.holds for check in throughput_checks({"ramp": ramp(policy, off=None)})] == [holds, holds]


def test_answers_are_alike_as_far_as_both_go() -> None:
    """A last draft may go beyond the end."""
    assert agree([1, 2, 3], [1, 2])
    assert not agree([1, 2, 3], [1, 5])
