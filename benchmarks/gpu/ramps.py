"""The ramps of a throughput scenario, stage by stage: what the policy gave beside what it would have been held on, and off."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from benchmarks.gpu.asked import Decided, Held

WAYS = (Held.ON.value, Held.OFF.value, Decided.BY_POLICY.value)


@dataclass(frozen=True, slots=True)
class RampRow:
    """One stage, or the whole ramp: tokens a second, of all its turns together. `off` is None where off was not run.

    `of_on` and `of_off` are the policy's share of each. Of a stage it is the median of the shares of its turns, in which the ways
    run one right after the other: a host that is slow for a few seconds is slow for all ways of a turn.
    """

    stage: str
    on: float
    off: float | None
    policy: float
    of_on: float
    of_off: float | None
    share_off: float
    n_flips: int

    @property
    def of_better(self) -> float:
        """The policy's share of the better static."""
        return self.of_on if self.of_off is None else min(self.of_on, self.of_off)

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
    return [*rows, _whole(ramps)]


def _stage(pace: Mapping[str, Any]) -> tuple[int, int]:
    """(place in the ramp, requests at once) of a stage's name, such as policy-0-03-8."""
    _way, _number, place, number = pace["name"].split("-")
    return int(place), int(number)


def _turn(pace: Mapping[str, Any]) -> str:
    """The turn of a stage's name, with its place: the ways of one turn have it in common."""
    return str(pace["name"]).partition("-")[2]


def _row(stage: str, paces: Iterable[Mapping[str, Any]]) -> RampRow:
    by_way = {way: [pace for pace in paces if pace["name"].startswith(f"{way}-")] for way in WAYS}
    on, off, policy = (by_way[way] for way in WAYS)
    return RampRow(
        stage,
        _rate(on),
        _rate(off) if off else None,
        _rate(policy),
        _share(policy, on),
        _share(policy, off) if off else None,
        sum(pace["n_steps_off"] for pace in policy) / max(1, sum(pace["n_steps"] for pace in policy)),
        sum(pace["n_flips"] for pace in policy),
    )


def _share(paces: Sequence[Mapping[str, Any]], held: Sequence[Mapping[str, Any]]) -> float:
    """The median share of the same turns, held."""
    by_turn = {_turn(pace): _rate([pace]) for pace in held}
    return statistics.median(_rate([pace]) / by_turn[_turn(pace)] for pace in paces)


def _whole(ramps: Sequence[Mapping[str, Any]]) -> RampRow:
    row = _row("the whole ramp", ramps)
    of_off = row.policy / row.off if row.off else None
    return replace(row, of_on=row.policy / row.on, of_off=of_off, n_flips=_flips_of_ramps(ramps))


def _flips_of_ramps(paces: Iterable[Mapping[str, Any]]) -> int:
    """Flips of the policy within its stages, and from one stage to the next where it ended on the other side."""
    decided = [pace for pace in paces if pace["name"].startswith(f"{Decided.BY_POLICY.value}-")]
    between = sum(left["ended_off"] is not right["began_off"] for left, right in pairwise(decided))
    return between + sum(int(pace["n_flips"]) for pace in decided)


def _rate(paces: Sequence[Mapping[str, Any]]) -> float:
    """Tokens a second of some stages together."""
    n_tokens, seconds = (sum(float(pace[name]) for pace in paces) for name in ("n_tokens", "seconds"))
    return n_tokens / seconds
