"""When requests come: at their own times, or so that a concurrency is held."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from adaptive_disable.simulate.workload import Request


class Arrivals:
    """Requests come at their own times, whatever the server does: an open workload."""

    def __init__(self, requests: Sequence[Request]) -> None:
        self._times = [request.arrival for request in requests]

    def waiting(self, now: float, taken: int, _running: int) -> int:
        """Those that have come and were not taken."""
        return bisect_right(self._times, now, lo=taken) - taken

    def following(self, _now: float, taken: int) -> float | None:
        """The next arrival."""
        return self._times[taken] if taken < len(self._times) else None


@dataclass(frozen=True, slots=True)
class Held:
    """A closed workload: so many requests run at a time; one that ends is followed by the next at once."""

    concurrency: int
    requests: int

    def waiting(self, _now: float, taken: int, running: int) -> int:
        """As many as are wanted more."""
        return min(self.concurrency - running, self.requests - taken)

    def following(self, now: float, taken: int) -> float | None:
        """At once, while there is one."""
        return now if taken < self.requests else None
