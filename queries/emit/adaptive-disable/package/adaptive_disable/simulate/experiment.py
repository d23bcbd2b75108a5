"""Runs every contender over every scenario, seed by seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import inf
from multiprocessing import get_context
from typing import TypeVar

from adaptive_disable.simulate.engine import Engine
from adaptive_disable.simulate.feeds import Arrivals
from adaptive_disable.simulate.figures import Estimate, Run, regret, run_figures
from adaptive_disable.simulate.scenarios import Scenario, Who, contender
from adaptive_disable.simulate.workload import MEAN_LENGTH, arriving

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a scenario: for each contender one run a seed, in the order of the seeds."""

    scenario: Scenario
    runs: Mapping[Who, tuple[Run, ...]]

    def latencies(self, who: Who) -> list[float]:
        """Mean latency, seed by seed."""
        return [run.latency for run in self.runs[who]]

    def better(self) -> list[float]:
        """Mean latency of the better one of always on and always off, chosen for each seed in hindsight."""
        return [min(on, off) for on, off in zip(self.latencies(Who.ON), self.latencies(Who.OFF), strict=True)]

    def against_better(self, who: Who) -> Estimate:
        """Regret of mean latency against the better static in hindsight: below 0 is a gain."""
        return regret(self.latencies(who), self.better())

    def against(self, who: Who, other: Who) -> Estimate:
        """Regret of mean latency against another contender."""
        return regret(self.latencies(who), self.latencies(other))


def run_all(scenarios: Sequence[Scenario], seeds: Sequence[int], who: Sequence[Who], workers: int) -> list[Result]:
    """All results, in the order of the scenarios: the same whatever the number of processes."""
    tasks = [(scenario, seed) for scenario in scenarios for seed in seeds]
    rows = in_processes(partial(_one, who=tuple(who)), tasks, workers)
    return [
        Result(
            scenario, {one: tuple(row[at] for row in rows[begin : begin + len(seeds)]) for at, one in enumerate(who)}
        )
        for scenario, begin in zip(scenarios, range(0, len(rows), len(seeds)), strict=True)
    ]


def in_processes(work: Callable[[Task], Outcome], tasks: Sequence[Task], workers: int) -> list[Outcome]:
    """The outcomes of all tasks, in order; in this process where one worker is wanted."""
    if workers == 1:
        return [work(task) for task in tasks]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return list(pool.map(work, tasks, chunksize=4))


def _one(task: tuple[Scenario, int], who: tuple[Who, ...]) -> list[Run]:
    """One scenario under one seed: every contender meets the same requests."""
    scenario, seed = task
    curve = scenario.server.curve
    # The name of the curve is in the seed, what is believed of it and what a flip costs is not.
    requests = arriving(
        scenario.load, scenario.acceptance, curve.longest, curve.capacity(MEAN_LENGTH), f"{scenario.name} {seed}"
    )
    runs = []
    for one in who:
        deciding = contender(one, scenario.server, scenario.acceptance, seed)
        served = Engine(curve, requests, deciding, scenario.server.flip_ms).serve(Arrivals(requests), inf)
        runs.append(run_figures(requests, served))
    return runs
