"""How long a probe is and how rare."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProbeRule:
    """Bounds a probe in results, in steps and in the share of time that it may cost."""

    results: int
    """A probe ends when the results of this many requests are in …"""
    steps: int
    """… and after this many steps in any case."""
    budget: float
    """The share of time that probes cost at most while the wait between them is the first one."""
    backoff: int
    """How many times the first wait the wait may grow to; it doubles with every probe that fails."""

    def length(self, batch_size: int) -> int:
        """Decode steps that a probe takes: one more than needed, as results come a step late."""
        return min(self.steps, math.ceil(self.results / batch_size) + 1)

    def wait(self, batch_size: int, break_even: float, failures: int) -> int:
        """Decode steps without speculation before a probe.

        So many that a probe in which nothing is accepted costs no more than the budget, halved for each failure before.
        """
        times = min(self.backoff, 1 << failures)
        return math.ceil(times * self.length(batch_size) * max(0.0, break_even - 1) / self.budget)
