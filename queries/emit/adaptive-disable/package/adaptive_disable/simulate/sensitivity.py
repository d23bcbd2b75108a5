"""How much worse a policy gets when its table is wrong, flips cost something, or its settings are others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adaptive_disable.simulate.curves import as_measured, as_tuned
from adaptive_disable.simulate.experiment import Result, run_all
from adaptive_disable.simulate.figures import Estimate
from adaptive_disable.simulate.scenarios import Scenario, Server, Who
from adaptive_disable.simulate.workload import DRIFTING, LOW, RAMP, STEADY


@dataclass(frozen=True, slots=True)
class Point:
    """The regret of mean latency against the better static in hindsight, under one change."""

    who: Who
    of: str
    value: float
    scenario: str
    regret: Estimate


def _error(server: Server, value: float) -> Server:
    return replace(server, table_error=value)


def _bias(server: Server, value: float) -> Server:
    return replace(server, table_error=0.0, table_bias=value)


def _flip(server: Server, value: float) -> Server:
    return replace(server, flip_ms=value)


SWEEPS = (
    ("table error", _error, (0.0, 0.05, 0.1)),
    ("table bias", _bias, (-0.05, 0.05)),
    ("flip cost", _flip, (0.0, 5.0, 20.0)),
)
"""What is changed: the standard deviation of each time's error; the error of all times on, the same way; milliseconds.
"""
SHAKEN = (Who.COST_TABLE, Who.FORESIGHT)


def sensitivity(seeds: Sequence[int], workers: int) -> list[Point]:
    """The regret of the policies under each change, where there is something to gain and something to lose."""
    eagle, tuned = Server(as_measured("eagle")), Server(as_tuned())
    bases = (Scenario(eagle, RAMP, STEADY), Scenario(eagle, RAMP, DRIFTING), Scenario(tuned, LOW, STEADY))
    asked = [
        (name, value, replace(base, server=change(base.server, value)))
        for name, change, values in SWEEPS
        for value in values
        for base in bases
    ]
    static = {base.name: result for base, result in zip(bases, run_all(bases, seeds, _STATIC, workers), strict=True)}
    changed = run_all([scenario for _, _, scenario in asked], seeds, SHAKEN, workers)
    return [
        Point(who, name, value, scenario.name, _joined(static[scenario.name], result).against_better(who))
        for who in SHAKEN
        for (name, value, scenario), result in zip(asked, changed, strict=True)
    ]


_STATIC = (Who.ON, Who.OFF)


def _joined(static: Result, changed: Result) -> Result:
    """A static server knows no table and flips at most once: what is changed does not touch it."""
    return Result(changed.scenario, {**static.runs, **changed.runs})
