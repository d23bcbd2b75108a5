"""What the answer of a run with the hook must be like, beside the one of the run without speculation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

N_FLIPS, N_REQUESTS = 10, 8  # at least
LARGEST_GAP = 0.15  # between two tokens where outputs differ: a near tie

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`wrong`: what does not hold, in words. `differing`: requests whose tokens are others than without speculation."""

    wrong: tuple[str, ...]
    differing: tuple[str, ...]


def judged(answer: Answer, baseline: Answer) -> Verdict:
    """Whether a run kept what must be kept, and whether it was a trial of it at all."""
    differing = tuple(name for name in baseline["out"] if not _agree(answer["out"].get(name), baseline["out"][name], name))
    trial = {
        f"{answer['flips']} flips": answer["flips"] >= N_FLIPS,
        f"{len(answer['out'])} requests": len(answer["out"]) >= N_REQUESTS,
        "no request ended early": bool(answer["early"]),
        "no request was aborted while off": answer["aborted_off"],
        "no request was retracted while off": answer["retracted_off"],
    }
    too_little = [said for said, holds in trial.items() if not holds]
    missing = sorted(baseline["out"].keys() - answer["out"].keys())
    wrong = [*answer["problems"], *too_little, *(f"{name} is missing" for name in missing)]
    if answer["leak"]:
        wrong.append(f"{answer['leak']} KV slots leaked")
    return Verdict(tuple(wrong), differing)


def _agree(found: Sequence[int] | None, wanted: Sequence[int], name: str) -> bool:
    """Whether the tokens are the same; the first request was aborted, so what there is of it."""
    if found is None:
        return False
    return list(found) == list(wanted[: len(found)]) if name.endswith("r0") else list(found) == list(wanted)


def acceptance(answers: Iterable[Answer]) -> tuple[float, float]:
    """Mean tokens a request and on step: (of all on steps, of those right after an off one)."""
    every: list[int] = []
    resumed: list[int] = []
    for answer in answers:
        steps = iter(answer["accepted"])
        for before, decision in zip("+" + answer["decisions"], answer["decisions"], strict=False):
            lengths: list[int] = next(steps, []) if decision == "+" else []
            every += lengths
            resumed += lengths if before == "-" else []
    return round(fmean(every or [0]), 3), round(fmean(resumed or [0]), 3)
