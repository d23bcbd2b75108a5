"""Figures: of one run, and of several under the same seeds, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles, stdev

from adaptive_disable.simulate.engine import Served
from adaptive_disable.simulate.workload import Request

STUDENT = (0.0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
STUDENT_MANY = ((15, 2.131), (20, 2.086), (30, 2.042), (60, 2.0))
"""Student's t at 97.5 %: by degrees of freedom up to ten, then from so many on; the larger value in between."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run came to. Milliseconds; throughput in tokens a second."""

    throughput: float
    """Tokens of finished requests over the time until the last one."""
    latency: float
    """From arrival to the last token, mean …"""
    latency_p95: float
    """… and 95th percentile."""
    ttft: float
    """From arrival to the first token, mean."""
    tpot_p50: float
    """From the first token to the last, for each token after the first: median of requests …"""
    tpot_p95: float
    on: float
    """The share of steps that speculated."""
    flips: int
    probes: int
    probe_steps: int


def run_figures(requests: Sequence[Request], served: Served) -> Run:
    """The figures of an open workload that was served to the end. Raises `ValueError` where a request was not."""
    latencies, firsts, per_token = [], [], []
    for request, first, finished in zip(requests, served.first, served.finished, strict=True):
        if first is None or finished is None:
            raise ValueError("a request was not served to the end")
        latencies.append(finished - request.arrival)
        firsts.append(first - request.arrival)
        per_token.append((finished - first) / (request.length - 1))
    last = served.steps[-1]
    tokens = sum(request.length for request in requests)
    return Run(
        throughput=1000 * tokens / (last.begun + last.took),
        latency=fmean(latencies),
        latency_p95=quantiles(latencies, n=20)[-1],
        ttft=fmean(firsts),
        tpot_p50=quantiles(per_token, n=20)[9],
        tpot_p95=quantiles(per_token, n=20)[-1],
        on=fmean(step.speculated for step in served.steps),
        flips=served.flips,
        probes=served.probes,
        probe_steps=served.probe_steps,
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over seeds and the half width of its 95 % interval."""

    mean: float
    half: float

    @property
    def low(self) -> float:
        """The lower end."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """The upper end."""
        return self.mean + self.half


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of independent values, two at least, and its interval by Student's t."""
    return Estimate(fmean(values), _student(len(values) - 1) * stdev(values) / math.sqrt(len(values)))


def regret(values: Sequence[float], others: Sequence[float]) -> Estimate:
    """By what share the values exceed the others, pair by pair: each pair has one seed and so the same requests."""
    return estimate([value / other - 1 for value, other in zip(values, others, strict=True)])


def _student(freedom: int) -> float:
    if freedom < len(STUDENT):
        return STUDENT[freedom]
    return next((value for least, value in reversed(STUDENT_MANY) if freedom >= least), STUDENT[-1])
