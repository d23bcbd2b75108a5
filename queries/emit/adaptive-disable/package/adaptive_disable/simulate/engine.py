"""Serves requests: continuous batching, one decode step after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Protocol

from adaptive_disable.acceptance import NOTHING, Observed
from adaptive_disable.simulate.contenders import Contender
from adaptive_disable.simulate.curves import Curve
from adaptive_disable.simulate.workload import Request

FULL = 128
"""Requests that decode together at most; the others wait."""
ENDLESS = 10**9
LATE = 2
"""Decisions until a step's results are known: with overlapped scheduling, the next step is decided without them."""


class Feed(Protocol):
    """When requests come."""

    def waiting(self, now: float, taken: int, running: int) -> int:
        """How many requests wait, when so many were taken and so many run."""
        ...

    def following(self, now: float, taken: int) -> float | None:
        """When the next one comes, in milliseconds; None when there is none left."""
        ...


@dataclass(frozen=True, slots=True)
class Trace:
    """What a step did. Times in milliseconds."""

    begun: float
    took: float
    batch_size: int
    tokens: int
    speculated: bool


@dataclass(frozen=True, slots=True)
class Served:
    """What became of a workload. `first` and `finished` belong to the requests by index; None: not served."""

    first: tuple[float | None, ...]
    finished: tuple[float | None, ...]
    steps: tuple[Trace, ...]
    flips: int
    probes: int
    probe_steps: int


class Engine:
    """One server serving one workload under one contender. `flip_ms`: what a step costs more that does otherwise than
    the one before.
    """

    def __init__(self, curve: Curve, requests: Sequence[Request], contender: Contender, flip_ms: float) -> None:
        self._curve = curve
        self._requests = requests
        self._contender = contender
        self._flip_ms = flip_ms
        self._on_ms = [curve.costs.on(size) for size in range(FULL + 1)]
        self._off_ms = [curve.costs.off(size) for size in range(FULL + 1)]
        self._now = 0.0
        self._taken = 0
        self._first: list[float | None] = [None] * len(requests)
        self._finished: list[float | None] = [None] * len(requests)
        self._trace: list[Trace] = []
        self._flips = 0
        self._speculated = True
        self._coming = deque([NOTHING] * (LATE - 1))
        # Of the running requests, in parallel: index, yields, decode tokens so far less `_shift`, decode tokens wanted.
        self._indexes: list[int] = []
        self._yields: list[bytes] = []
        self._done: list[int] = []
        self._wanted: list[int] = []
        self._shift = 0
        self._slack = ENDLESS
        self._expected = 0.0

    def serve(self, feed: Feed, until: float) -> Served:
        """Serve what the feed brings, up to this time in milliseconds, or to the end."""
        while self._now < until:
            waiting = min(feed.waiting(self._now, self._taken, len(self._indexes)), len(self._requests) - self._taken)
            self._admit(min(waiting, FULL - len(self._indexes)))
            if self._indexes:
                self._step(feed.waiting(self._now, self._taken, len(self._indexes)))
                continue
            following = feed.following(self._now, self._taken)
            if following is None:
                break
            self._now = max(self._now, following)
        contender = self._contender
        first, finished = tuple(self._first), tuple(self._finished)
        return Served(first, finished, tuple(self._trace), self._flips, contender.probes, contender.probe_steps)

    def _admit(self, count: int) -> None:
        """Prefill so many requests at once: no decode step runs meanwhile, and each has its first token after it."""
        if count <= 0:
            return
        self._now += count * self._curve.prefill_ms
        for index in range(self._taken, self._taken + count):
            request = self._requests[index]
            self._first[index] = self._now
            self._indexes.append(index)
            self._yields.append(request.yields)
            self._done.append(-self._shift)
            self._wanted.append(request.length - 1)
            self._expected += request.expected
            self._slack = min(self._slack, request.length - 1)
        self._taken += count

    def _step(self, queue_length: int) -> None:
        """Decide and make one decode step."""
        size = len(self._indexes)
        speculate = self._contender.decide(size, queue_length, self._expected / size)
        begun = self._now
        if speculate is not self._speculated:
            self._flips += 1
            self._now += self._flip_ms
        self._speculated = speculate
        if speculate:
            tokens = self._speculate(size)
            self._now += self._on_ms[size]
            self._slack -= self._curve.longest
        else:
            tokens = self._advance(size)
            self._now += self._off_ms[size]
            self._slack -= 1
        self._contender.told(self._coming.popleft())
        if self._slack <= 0:
            tokens -= self._finish()
        self._trace.append(Trace(begun, self._now - begun, size, tokens, speculate))

    def _speculate(self, size: int) -> int:
        """Each request advances by what a speculating step yields at its position."""
        shift = self._shift
        gained = [yields[done + shift] for yields, done in zip(self._yields, self._done, strict=True)]
        self._done = [done + more for done, more in zip(self._done, gained, strict=True)]
        tokens = sum(gained)
        squares = sum(map(mul, gained, gained))
        self._coming.append(Observed(size, tokens, squares, size - gained.count(1)))
        return tokens

    def _advance(self, size: int) -> int:
        """Each request advances by a token; the draft's guess would have been right where a step yields more."""
        shift, seen = self._shift, NOTHING
        if self._contender.foresees:
            hits = [yields[done + shift] for yields, done in zip(self._yields, self._done, strict=True)]
            seen = Observed(plain=size, foreseen=size - hits.count(1))
        self._shift += 1
        self._coming.append(seen)
        return size

    def _finish(self) -> int:
        """Take out what is finished, see how soon the next one can be, and say how many tokens too many they had."""
        staying, surplus = [], 0
        for at, index in enumerate(self._indexes):
            if self._done[at] + self._shift >= self._wanted[at]:
                self._finished[index] = self._now
                self._expected -= self._requests[index].expected
                surplus += self._done[at] + self._shift - self._wanted[at]
            else:
                staying.append(at)
        self._indexes = [self._indexes[at] for at in staying]
        self._yields = [self._yields[at] for at in staying]
        self._done = [self._done[at] for at in staying]
        self._wanted = [self._wanted[at] for at in staying]
        left = (wanted - done for wanted, done in zip(self._wanted, self._done, strict=True))
        self._slack = min(left, default=ENDLESS) - self._shift
        return surplus
