"""A concurrency that rises from 1 to 128 and falls again, each stage held for some time: as it is measured on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from math import inf

from adaptive_disable.simulate.contenders import Contender
from adaptive_disable.simulate.curves import as_measured
from adaptive_disable.simulate.engine import Engine
from adaptive_disable.simulate.experiment import in_processes
from adaptive_disable.simulate.feeds import Held
from adaptive_disable.simulate.figures import Estimate, estimate
from adaptive_disable.simulate.scenarios import Change, Server, Who, contender, unchanged
from adaptive_disable.simulate.workload import ALL, DRIFTING, STEADY, Acceptance, Request, queued

CONCURRENCIES = (1, 8, 32, 64, 96, 128, 96, 64, 32, 8, 1)
"""Stage after stage."""
WAVES = 4
"""Requests of a stage, for each that runs at a time."""
LENGTH = 160
"""Tokens of each, as they were measured."""


@dataclass(frozen=True, slots=True)
class Climb:
    """A server and the acceptance of its requests."""

    server: Server
    acceptance: Acceptance

    @property
    def name(self) -> str:
        """Curve and acceptance."""
        return f"{self.server.curve.name} {self.acceptance.name}"


def _time(rates: Sequence[float]) -> float:
    """The time of a whole ramp, in arbitrary units: each stage has as many tokens as its concurrency says."""
    return sum(concurrency / rate for concurrency, rate in zip(CONCURRENCIES, rates, strict=True))


@dataclass(frozen=True, slots=True)
class Climbed:
    """What became of it: for each contender and seed the tokens a second of each stage."""

    climb: Climb
    rates: dict[Who, list[tuple[float, ...]]]

    def stage(self, who: Who, number: int) -> Estimate:
        """Tokens a second of a contender in a stage."""
        return estimate([rates[number] for rates in self.rates[who]])

    def share_of_better(self, who: Who, number: int) -> Estimate:
        """What a contender made of a stage, as a share of the static that was better in it, seed by seed."""
        return estimate([mine[number] / max(on[number], off[number]) for mine, on, off in self._triples(who)])

    def whole_of_better(self, who: Who) -> Estimate:
        """What it made of the whole, as a share of the static that was better over the whole."""
        return estimate([_time(min(on, off, key=_time)) / _time(mine) for mine, on, off in self._triples(who)])

    def _triples(self, who: Who) -> list[tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]]:
        return list(zip(self.rates[who], self.rates[Who.ON], self.rates[Who.OFF], strict=True))


def climbs(change: Change = unchanged) -> tuple[Climb, ...]:
    """The ramps of the default run."""
    eagle, standalone = change(Server(as_measured("eagle"))), change(Server(as_measured("standalone")))
    return (Climb(eagle, ALL), Climb(eagle, STEADY), Climb(eagle, DRIFTING), Climb(standalone, ALL))


def climb_all(climbs: Sequence[Climb], seeds: Sequence[int], who: Sequence[Who], workers: int) -> list[Climbed]:
    """What became of all ramps."""
    tasks = [(climb, seed) for climb in climbs for seed in seeds]
    rows = in_processes(partial(_one, who=tuple(who)), tasks, workers)
    return [
        Climbed(climb, {one: [row[at] for row in rows[begin : begin + len(seeds)]] for at, one in enumerate(who)})
        for climb, begin in zip(climbs, range(0, len(rows), len(seeds)), strict=True)
    ]


def _one(task: tuple[Climb, int], who: tuple[Who, ...]) -> list[tuple[float, ...]]:
    """One ramp under one seed: every contender meets the same requests in each stage."""
    climb, seed = task
    curve, count = climb.server.curve, WAVES * sum(CONCURRENCIES)
    drawn = queued(count, climb.acceptance, curve.longest, f"ramp {climb.name} {seed}", LENGTH)
    ends = [WAVES * end for end in accumulate(CONCURRENCIES, initial=0)]
    stages = [drawn[begin:end] for begin, end in pairwise(ends)]
    return [_climb(climb.server, contender(one, climb.server, climb.acceptance, seed), stages) for one in who]


def _climb(server: Server, deciding: Contender, stages: Sequence[tuple[Request, ...]]) -> tuple[float, ...]:
    """Tokens a second of each stage, from its first prefill to its last token."""
    rates = []
    for concurrency, requests in zip(CONCURRENCIES, stages, strict=True):
        engine = Engine(server.curve, requests, deciding, server.flip_ms)
        last = engine.serve(Held(concurrency, len(requests)), inf).steps[-1]
        rates.append(1000 * sum(request.length for request in requests) / (last.begun + last.took))
    return tuple(rates)
