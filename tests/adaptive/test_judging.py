"""What a run on the scheduler is judged by, on answers that are made up."""

from __future__ import annotations

from typing import Any

import pytest

from tests.adaptive.judging import acceptance, judged
from tests.adaptive.requests import N_REQUESTS, planned
from tests.adaptive.script import random_script

PLAIN = {"out": {f"s0r{number}": [number, number + 1, number + 2] for number in range(9)}}


def answer(**changed: Any) -> dict[str, Any]:
    """One that is right, but for what is changed."""
    right = {"flips": 10, "early": ["s0r1"], "leak": 0, "problems": [], "aborted_off": True, "retracted_off": 1, "seed": 0}
    return {**right, "out": dict(PLAIN["out"]), **changed}


def test_a_right_answer_has_nothing_wrong() -> None:
    """And no request that differs, though the aborted one ended before."""
    verdict = judged(answer(out={**PLAIN["out"], "s0r0": [0]}), PLAIN)
    assert verdict.wrong == ()
    assert verdict.differing == ()


@pytest.mark.parametrize(
    "changed",
    [{"flips": 9}, {"early": []}, {"leak": 2}, {"problems": ["x"]}, {"aborted_off": False}, {"retracted_off": 0}],
    ids=str,
)
def test_what_does_not_hold_is_said(changed: dict[str, Any]) -> None:
    """One thing each."""
    assert len(judged(answer(**changed), PLAIN).wrong) == 1


@pytest.mark.parametrize("out", [[1, 2], [1, 2, 3, 4], [1, 2, 4]], ids=str)
def test_other_tokens_are_found(out: list[int]) -> None:
    """Fewer, more, or others."""
    assert judged(answer(out={**PLAIN["out"], "s0r1": out}), PLAIN).differing == ("s0r1",)


def test_a_stop_token_may_be_passed_by_in_the_last_step() -> None:
    """SGLang looks at the length before it looks for a stop token: in one step of several tokens, the length wins."""
    asked = planned(0)[1]
    stop = min(asked.stop_tokens)
    plain = [7] * (asked.n_tokens - 3) + [stop]
    baseline = {"out": {**PLAIN["out"], "s0r1": plain}}
    late, longer = (
        judged(answer(out={**baseline["out"], "s0r1": [*plain, 7, 7]}), baseline),
        answer(out={**PLAIN["out"], "s0r1": [*plain, 7]}),
    )
    assert (late.late, late.differing) == (("s0r1",), ())
    assert judged(longer, baseline).differing == ("s0r1",)


def test_a_request_that_is_missing_is_found() -> None:
    """Whether or not it would have been aborted."""
    out = {name: tokens for name, tokens in PLAIN["out"].items() if name != "s0r0"}
    assert judged(answer(out=out), PLAIN).wrong == ("s0r0 is missing",)


def test_acceptance_after_an_off_step_counts_apart() -> None:
    """Steps of results that no request took tokens of come last."""
    assert acceptance([{"decisions": "+-++-+", "accepted": [[4, 4], [1, 1], [4, 4]]}]) == (3.0, 1.0)


def test_a_seed_gives_the_same_run_again() -> None:
    """Requests and flips; another seed gives others."""
    assert planned(3) == planned(3) != planned(4)
    assert random_script(3).plan == random_script(3).plan != random_script(4).plan


def test_requests_come_while_others_run_and_some_may_stop() -> None:
    """In every run."""
    for seed in range(12):
        requests = planned(seed)
        assert len(requests) == N_REQUESTS
        assert {request.arrives > 0 for request in requests} == {True, False}
        assert sum(bool(request.stop_tokens) for request in requests) == 3
