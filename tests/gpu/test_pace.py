"""How fast a stage went, and the ramps made of stages."""

from __future__ import annotations

import pytest

from benchmarks.gpu.asked import Prompt
from benchmarks.gpu.pace import SETTLING, Pace, full_round_ms, paces
from benchmarks.gpu.ramps import ramp_rows
from benchmarks.gpu.seen import Accepted, Answer, Round, Step, Timing


def test_rounds_count_while_all_requests_run() -> None:
    """The first and the last few are left out, and those in which a request is missing."""
    running = [1, *(2 for _ in range(2 * SETTLING + 3)), 1]
    rounds = [Round(at=0.001 * place * place, n_running=number) for place, number in enumerate(running)]
    times = full_round_ms(rounds, 2)
    assert times == pytest.approx([1.0 * (2 * place + 1) for place in (SETTLING + 1, SETTLING + 2)])
    assert full_round_ms(rounds, 3) == []


def stage(name: str, sent: float, steps: list[bool]) -> Pace:
    """The pace of one stage of two requests and 30 tokens in 3 seconds."""
    answers = [Answer(Prompt(4, 15, place), name, tokens=[7] * 15) for place in range(2)]
    decided = [Step(name, sent, 2, speculate) for speculate in steps]
    accepted = [Accepted(name, 2, 5), Accepted("another stage", 2, 2)]
    timing = Timing(name, sent, first_round=0, answered=sent + 3)
    return paces([timing], [Round(sent, 0)], answers, decided, accepted)[0]


def test_a_stage_has_its_tokens_by_its_seconds() -> None:
    """Decisions and accepted lengths of other stages are not its own."""
    pace = stage("policy-0-00-2", 10.0, [True, True, False, True])
    assert (pace.tokens_per_second, pace.n_steps_off, pace.n_flips, pace.accept_length) == (10.0, 1, 2, 2.5)
    assert (pace.began_off, pace.ended_off) == (False, False)
    assert pace.step_ms is None


def row(name: str, n_tokens: int, seconds: float, *, off: bool = False) -> dict[str, object]:
    """A pace as JSON has it."""
    steps = {"n_steps": 4, "n_steps_off": 4 * off, "n_flips": 0, "began_off": off, "ended_off": off}
    return {"name": name, "n_tokens": n_tokens, "seconds": seconds, **steps}


def test_a_ramp_is_compared_stage_by_stage_and_as_a_whole() -> None:
    """Turns of one place are put together; warm-up stages are none of it; flips between stages count for the whole, whose share
    is of all turns together.
    """
    told = [
        row("warm-on-4", 1, 9),
        *(row("on-0-00-1", 100, 1), row("off-0-00-1", 40, 1), row("policy-0-00-1", 96, 1)),
        *(row("on-1-00-1", 100, 3), row("off-1-00-1", 40, 1), row("policy-1-00-1", 96, 3)),
        *(row("on-0-01-128", 100, 4), row("off-0-01-128", 100, 1), row("policy-0-01-128", 100, 1, off=True)),
    ]
    first, top, whole = ramp_rows(told)
    assert (first.stage, first.on, first.off, first.policy) == ("1 at place 0", 50.0, 40.0, 48.0)
    assert (top.of_better, top.share_off) == (1.0, 1.0)
    assert (whole.on, whole.off, whole.policy, whole.n_flips) == (37.5, 60.0, 58.4, 1)
    assert whole.of_better == pytest.approx(58.4 / 60)


def test_the_share_of_a_stage_is_that_of_turns_side_by_side() -> None:
    """A turn in which the host was slow for all ways tells nothing against one of them, nor does one slow moment of one way."""
    seconds = {"on": (1.0, 1.1, 1.0), "policy": (1.0, 1.1, 1.5)}
    stage, whole = ramp_rows([row(f"{way}-{turn}-00-1", 100, each[turn]) for way, each in seconds.items() for turn in range(3)])
    assert stage.of_better == 1.0
    assert whole.of_better == pytest.approx(3.1 / 3.6)


def test_a_way_that_was_not_run_is_no_rival() -> None:
    """Where on always wins, off is not run."""
    first, _whole = ramp_rows([row("on-0-00-1", 100, 1), row("policy-0-00-1", 99, 1)])
    assert (first.off, first.of_off, first.of_better) == (None, None, 0.99)
