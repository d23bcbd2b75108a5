"""The ramps of a throughput scenario, stage by stage: what the policy gave beside what it would have been held on, and off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from benchmarks.gpu.asked import Decided, Held

WAYS = (Held.ON.value, Held.OFF.value, Decided.BY_POLICY.value)


@dataclass(frozen=True, slots=True)
class RampRow:
    """One stage, or the whole ramp: tokens a second, of all its turns together; None for a way that was not run."""

    stage: str
    on: float | None
    off: float | None
    policy: float | None
    share_off: float
    n_flips: int

    @property
    def better_static(self) -> float:
        """Tokens a second of the better of on and off."""
        return max(each for each in (self.on, self.off) if each is not None)

    @property
    def of_better(self) -> float:
        """The policy's share of it."""
        return (self.policy or 0.0) / self.better_static

    def as_json(self) -> dict[str, Any]:
        """The row with what follows from it."""
        return asdict(self) | {"of_better": self.of_better}


def ramp_rows(paces: Sequence[Mapping[str, Any]]) -> list[RampRow]:
    """A row a stage of the ramp, in order, and one for the whole."""
    ramps = [pace for pace in paces if pace["name"].split("-")[0] in WAYS]
    stages = sorted({_stage(pace) for pace in ramps})
    rows = [
        _row(f"{number} at place {place}", [each for each in ramps if _stage(each) == (place, number)])
        for place, number in stages
    ]
    return [*rows, replace(_row("the whole ramp", ramps), n_flips=_flips_of_ramps(ramps))]


def _stage(pace: Mapping[str, Any]) -> tuple[int, int]:
    """(place in the ramp, requests at once) of a stage's name, such as policy-0-03-8."""
    _way, _turn, place, number = pace["name"].split("-")
    return int(place), int(number)


def _row(stage: str, paces: Iterable[Mapping[str, Any]]) -> RampRow:
    by_way = {way: [pace for pace in paces if pace["name"].startswith(f"{way}-")] for way in WAYS}
    decided = by_way[Decided.BY_POLICY.value]
    return RampRow(
        stage,
        _rate(by_way[Held.ON.value]),
        _rate(by_way[Held.OFF.value]),
        _rate(decided),
        sum(pace["n_steps_off"] for pace in decided) / max(1, sum(pace["n_steps"] for pace in decided)),
        sum(pace["n_flips"] for pace in decided),
    )


def _flips_of_ramps(paces: Iterable[Mapping[str, Any]]) -> int:
    """Flips of the policy within its stages, and from one stage to the next where it ended on the other side."""
    decided = [pace for pace in paces if pace["name"].startswith(f"{Decided.BY_POLICY.value}-")]
    between = sum(left["ended_off"] is not right["began_off"] for left, right in pairwise(decided))
    return between + sum(int(pace["n_flips"]) for pace in decided)


def _rate(paces: Sequence[Mapping[str, Any]]) -> float | None:
    """Tokens a second of some stages together."""
    seconds = sum(pace["seconds"] for pace in paces)
    return sum(pace["n_tokens"] for pace in paces) / seconds if seconds else None
