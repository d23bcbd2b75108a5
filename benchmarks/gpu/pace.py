"""How fast a stage went, of the times at which its steps were decided and its requests sent and answered."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.gpu.seen import Accepted, Answer, Round, Step, Timing
from benchmarks.gpu.steering import n_flips

SETTLING = 4  # rounds after all requests run, and before they end, that are left out
TENTHS = 10


@dataclass(frozen=True, slots=True)
class Pace:
    """One stage. Times in milliseconds are of rounds of the loop in which all its requests ran; None where there were none."""

    name: str
    n_requests: int
    n_tokens: int
    seconds: float
    tokens_per_second: float
    step_ms: float | None
    step_ms_p10: float | None
    step_ms_p90: float | None
    n_full_rounds: int
    n_steps: int
    n_steps_off: int
    n_flips: int
    began_off: bool
    ended_off: bool
    accept_length: float | None


def paces(
    timings: Sequence[Timing],
    rounds: Sequence[Round],
    answers: Iterable[Answer],
    steps: Sequence[Step],
    accepted: Sequence[Accepted],
) -> list[Pace]:
    """One pace a stage, in order."""
    answered = list(answers)
    ends = [timing.first_round for timing in timings[1:]] + [len(rounds)]
    return [
        _pace(
            timing,
            rounds[timing.first_round : end],
            [answer for answer in answered if answer.stage == timing.name],
            [step for step in steps if step.stage == timing.name],
            [each for each in accepted if each.stage == timing.name],
        )
        for timing, end in zip(timings, ends, strict=True)
    ]


def _pace(
    timing: Timing, rounds: Sequence[Round], answers: Sequence[Answer], steps: Sequence[Step], accepted: Sequence[Accepted]
) -> Pace:
    full = sorted(full_round_ms(rounds, len(answers)))
    n_tokens = sum(len(answer.tokens) for answer in answers)
    seconds = timing.answered - timing.sent
    n_results = sum(each.n_requests for each in accepted)
    return Pace(
        name=timing.name,
        n_requests=len(answers),
        n_tokens=n_tokens,
        seconds=seconds,
        tokens_per_second=n_tokens / seconds,
        step_ms=statistics.median(full) if full else None,
        step_ms_p10=full[len(full) // TENTHS] if full else None,
        step_ms_p90=full[len(full) * (TENTHS - 1) // TENTHS] if full else None,
        n_full_rounds=len(full),
        n_steps=len(steps),
        n_steps_off=sum(not step.speculate for step in steps),
        n_flips=n_flips(steps),
        began_off=bool(steps) and not steps[0].speculate,
        ended_off=bool(steps) and not steps[-1].speculate,
        accept_length=sum(each.n_tokens for each in accepted) / n_results if n_results else None,
    )


def full_round_ms(rounds: Sequence[Round], n_requests: int) -> list[float]:
    """Milliseconds of the rounds between which all requests of a stage ran, the first and the last few left out."""
    pairs = pairwise(rounds)
    times = [1e3 * (after.at - before.at) for before, after in pairs if before.n_running == after.n_running == n_requests]
    return times[SETTLING:-SETTLING]
