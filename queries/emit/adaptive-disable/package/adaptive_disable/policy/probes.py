"""How long a probe is and how rare."""

from __future__ import annotations

import math
from dataclasses import dataclass

LEAST = 0.1
"""What a step of a probe is taken to lose at least, as a share of a step: flips have a price, too."""


@dataclass(frozen=True, slots=True)
class ProbeRule:
    """Bounds a probe in results, in steps and in the share of time that it may cost."""

    results: int
    """A probe ends when the results of this many requests are in …"""
    steps: int
    """… and after this many steps in any case."""
    budget: float
    """The share of time that probes cost, if they find what was seen last, while the wait between them is the first
    one.
    """
    backoff: int
    """How many times the first wait the wait may grow to; it doubles with every probe that fails."""

    def length(self, batch_size: int) -> int:
        """Decode steps that a probe takes: one more than needed, as results come a step late."""
        return min(self.steps, math.ceil(self.results / batch_size) + 1)

    def wait(self, batch_size: int, break_even: float, last: float, failures: int) -> int:
        """Decode steps without speculation before a probe.

        So many that a probe that finds the acceptance seen last costs no more than the budget, halved for each failure
        before: where speculation nearly pays, trying it is cheap. A probe costs `LEAST` of break-even in any case.
        """
        times = min(self.backoff, 1 << failures)
        lost = max(break_even - last, LEAST * break_even)
        return math.ceil(times * self.length(batch_size) * lost / self.budget)
