"""What the answer of a run with the hook must be like, beside the one of the run without speculation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from tests.adaptive.requests import Planned, planned

N_FLIPS, N_REQUESTS = 10, 8  # at least
MOST_A_STEP = 4  # tokens a request
LARGEST_GAP = 0.15  # between two tokens where outputs differ: a near tie

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`wrong`: what does not hold, in words. `differing`: requests whose tokens are others than without speculation.

    `late`: requests that went on behind a stop token, within the step that reached their greatest length: SGLang's
    `Req.check_finished` looks at the length first, and a step of several tokens can have both. No others are added.
    """

    wrong: tuple[str, ...]
    differing: tuple[str, ...]
    late: tuple[str, ...]


def judged(answer: Answer, baseline: Answer) -> Verdict:
    """Whether a run kept what must be kept, and whether it was a trial of it at all."""
    asked = {request.name: request for request in planned(answer["seed"])}
    unlike = [name for name in baseline["out"] if not _agree(answer["out"].get(name), baseline["out"][name], name)]
    late = tuple(name for name in unlike if _is_late(answer["out"].get(name, ()), baseline["out"][name], asked[name]))
    trial = {
        f"{answer['flips']} flips": answer["flips"] >= N_FLIPS,
        f"{len(answer['out'])} requests": len(answer["out"]) >= N_REQUESTS,
        "no request ended early": bool(answer["early"]),
        "no request was aborted while off": answer["aborted_off"],
        "no request was retracted while off": answer["retracted_off"],
    }
    too_little = _unmet(trial)
    missing = sorted(baseline["out"].keys() - answer["out"].keys())
    wrong = [*answer["problems"], *too_little, *(f"{name} is missing" for name in missing)]
    if answer["leak"]:
        wrong.append(f"{answer['leak']} KV slots leaked")
    return Verdict(tuple(wrong), tuple(name for name in unlike if name not in late), late)


def judged_together(pair: Sequence[Answer], baseline: Answer) -> list[str]:
    """What does not hold of two ranks that ran one trial, rank 0 first.

    Rank 0's answer is judged as any is; rank 1 must have done the same, though its own decisions were others. Thresholds and
    step times flip when they do: only scripts must flip often, and only scripts have off steps to disturb.
    """
    first, other = pair
    apart = first["trial"].split(":")[2]
    measured = apart in ("clock", "table")
    tried = first if apart == "script" else {**first, "flips": N_FLIPS, "retracted_off": 1, "aborted_off": True}
    verdict = judged(tried, baseline)
    same = {
        "the ranks did not decide the same": first["decisions"] == other["decisions"],
        "the ranks gave other tokens": first["out"] == other["out"],
        f"{other['leak']} KV slots leaked on rank 1": not other["leak"],
        "rank 1 would have decided the same": measured or other["own"] != other["decisions"],
        "rank 0 did not do what it decided": first["own"] == first["decisions"],
        "no step was off": measured or "-" in first["decisions"],
    }
    differing = [f"{name} has other tokens than without speculation" for name in verdict.differing]
    return [*verdict.wrong, *differing, *(f"rank 1: {each}" for each in other["problems"]), *_unmet(same)]


def waits_in(said: str) -> str | None:
    """The function in which a rank waited for the other for too long, as `faulthandler` says it; None where none did."""
    if "Timeout (" not in said:
        return "a connection that the other rank closed" if "Connection closed by peer" in said else None
    main_thread = said[said.rindex("Thread 0x") :].splitlines()
    return main_thread[1].rpartition(" in ")[2]


def _unmet(wanted: Mapping[str, bool]) -> list[str]:
    return [said for said, holds in wanted.items() if not holds]


def _agree(found: Sequence[int] | None, wanted: Sequence[int], name: str) -> bool:
    """Whether the tokens are the same; the first request was aborted, so what there is of it."""
    if found is None:
        return False
    return list(found) == list(wanted[: len(found)]) if name.endswith("r0") else list(found) == list(wanted)


def _is_late(found: Sequence[int], wanted: Sequence[int], asked: Planned) -> bool:
    """Whether an output has the wanted tokens and, behind a stop token, less than a step more, up to its greatest length."""
    stopped = bool(wanted) and wanted[-1] in asked.stop_tokens and list(found[: len(wanted)]) == list(wanted)
    return stopped and len(found) == asked.n_tokens and len(found) - len(wanted) < MOST_A_STEP


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
