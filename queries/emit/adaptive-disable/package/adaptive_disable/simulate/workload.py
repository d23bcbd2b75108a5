"""Requests: when they come, how long they are, what a draft would get right of them. Nothing here knows a policy."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import fmean

MEAN_LENGTH = 200
"""Tokens of an answer; log-normal (sigma 0.6), 16 to 1024."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `yields[p]`: tokens that a speculating step gets which begins at decode position p, bonus included:
    the same for every policy, whichever way it comes to that position.
    """

    arrival: float
    """Milliseconds."""
    length: int
    yields: bytes
    expected: float
    """Tokens that a speculating step gets on average."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """How likely a drafted token is right, given those before it: per request, around a mean that may drift."""

    name: str
    mean: Callable[[float], float]
    """The mean probability at a share of the time, 0 to 1: of requests that arrive then."""
    spread: float
    """The standard deviation among requests."""

    def draw(self, share: float, rng: random.Random) -> float:
        """The probability for one request, between 0 and 1."""
        mean = self.mean(share)
        return min(1.0, max(0.0, rng.gauss(mean, self.spread))) if self.spread else mean


def _level(_time: float, level: float) -> float:
    return level


def _waves(time: float) -> float:
    return 0.55 + 0.4 * math.cos(4 * math.pi * time)


ALL = Acceptance("all", partial(_level, level=1.0), 0.0)
STEADY = Acceptance("steady", partial(_level, level=0.62), 0.1)
"""About 2 tokens a request with 2 draft steps, 2.4 with 4."""
DRIFTING = Acceptance("drifting", _waves, 0.08)
"""Between 0.15 and 0.95, two times over."""


@dataclass(frozen=True, slots=True)
class Load:
    """How much is asked for over time: `share(t)` of the capacity of a full batch without speculation, t from 0 to 1.

    The time is as long as it takes until `requests` have come, on average.
    """

    name: str
    share: Callable[[float], float]
    requests: int

    def samples(self) -> tuple[float, ...]:
        """The share at a thousand moments, evenly."""
        return tuple(self.share((part + 0.5) / 1000) for part in range(1000))


BURSTS, BURST_LASTS = 6, 0.25


def _burst(time: float) -> float:
    return 1.3 if (BURSTS * time) % 1 < BURST_LASTS else 0.15


def _ramp(time: float) -> float:
    return 0.03 + 0.97 * (1 - abs(2 * time - 1)) ** 2


LOW = Load("low", partial(_level, level=0.03), 60)
RAMP = Load("ramp", _ramp, 240)
BURST = Load("burst", _burst, 240)
BUSY = Load("busy", partial(_level, level=0.85), 300)


def expected(right: float, longest: int) -> float:
    """Tokens that a speculating step gets on average when each drafted token is right with this probability."""
    return sum(right**drafted for drafted in range(longest))


def draw_length(rng: random.Random) -> int:
    """Tokens of a request."""
    return min(1024, max(16, round(rng.lognormvariate(math.log(MEAN_LENGTH) - 0.6**2 / 2, 0.6))))


def draw_yields(length: int, right: float, longest: int, rng: random.Random) -> bytes:
    """What a speculating step yields at each position, where each drafted token is right with this probability."""
    draw, run, yields = rng.random, 0, bytearray(length)
    for position in range(length - 1, -1, -1):
        run = run + 1 if draw() < right else 0
        yields[position] = min(run + 1, longest)
    return bytes(yields)


def arriving(load: Load, acceptance: Acceptance, longest: int, capacity: float, seed: str) -> tuple[Request, ...]:
    """The requests of one open workload, for a server of this capacity (tokens a second): Poisson arrivals, thinned to
    what the load says.
    """
    rng, shares = random.Random(seed), load.samples()
    full = capacity / MEAN_LENGTH / 1000  # requests a millisecond
    highest, duration = full * max(shares), load.requests / (full * fmean(shares))
    requests, now = [], rng.expovariate(highest)
    while now < duration:
        share = now / duration
        if rng.random() * max(shares) < load.share(share):
            right, length = acceptance.draw(share, rng), draw_length(rng)
            requests.append(Request(now, length, draw_yields(length, right, longest, rng), expected(right, longest)))
        now += rng.expovariate(highest)
    return tuple(requests)


def queued(count: int, acceptance: Acceptance, longest: int, seed: str, length: int) -> tuple[Request, ...]:
    """Requests of one length that are all there at once: for workloads that hold a concurrency. Acceptance drifts by
    their order.
    """
    rng = random.Random(seed)
    rights = [acceptance.draw(index / count, rng) for index in range(count)]
    return tuple(
        Request(0.0, length, draw_yields(length, right, longest, rng), expected(right, longest)) for right in rights
    )
