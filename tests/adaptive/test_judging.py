"""What a run on the scheduler is judged by, on answers that are made up."""

from __future__ import annotations

from typing import Any

import pytest

from tests.adaptive.judging import acceptance, judged, judged_together, waits_in
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


def pair(apart: str = "script", **changed: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two ranks that did the same, but for what is changed on rank 1."""
    first = answer(trial=f"0:one-token:{apart}", decisions="+-+-", own="+-+-")
    return first, {**first, "own": "++++", **changed}


def test_two_ranks_that_did_the_same_have_nothing_wrong() -> None:
    """Though rank 1 would have done otherwise."""
    assert judged_together(pair(), PLAIN) == []


@pytest.mark.parametrize(
    "changed",
    [{"decisions": "+-++"}, {"out": {}}, {"leak": 1}, {"own": "+-+-"}, {"problems": ["x"]}],
    ids=str,
)
def test_what_two_ranks_did_apart_is_said(changed: dict[str, Any]) -> None:
    """One thing each; that rank 1 would have decided the same makes it no trial."""
    assert len(judged_together(pair(**changed), PLAIN)) == 1


def test_a_rank_that_waits_for_ever_says_where() -> None:
    """The main thread comes last in what `faulthandler` says; a rank that failed otherwise waited nowhere."""
    threads = 'Thread 0x1 (most recent call first):\n  File "a.py", line 1 in run\nThread 0x2 (most recent call first):\n'
    assert waits_in(f'Timeout (0:01:00)!\n{threads}  File "b.py", line 2 in all_reduce\n  File "c.py"') == "all_reduce"
    assert waits_in("RuntimeError: Connection closed by peer [127.0.0.1]") == "a connection that the other rank closed"
    assert waits_in("ImportError: no module") is None


def test_thresholds_need_not_flip_as_often_as_scripts() -> None:
    """And step times may say what they will, on both ranks; a script that flips too little is none."""
    seldom = {"flips": 2, "retracted_off": 0}
    for apart, n_wrong in (("script", 2), ("queue", 0), ("clock", 0)):
        first, other = pair(apart)
        assert len(judged_together(({**first, **seldom}, other), PLAIN)) == n_wrong


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
