"""Who decides in a simulation: the policies of this package, and what they are compared with."""

from __future__ import annotations

from typing import Protocol

from adaptive_disable.acceptance import NOTHING, Observed
from adaptive_disable.costs import CostTable
from adaptive_disable.policy import Policy, Reason, Signals, State


class Contender(Protocol):
    """Decides before each step, and is told what came of it later."""

    foresees: bool
    """Whether it wants to be told what the draft would have got right in steps without speculation."""
    probe_steps: int
    probes: int

    def decide(self, batch_size: int, queue_length: int, expected: float) -> bool:
        """Whether to speculate. `expected`: what the batch's requests would yield on average; nobody really knows."""
        ...

    def told(self, observed: Observed) -> None:
        """What a step yielded, once its results were processed."""
        ...


class Held:
    """Always the same."""

    foresees = False
    probe_steps = 0
    probes = 0

    def __init__(self, speculate: bool) -> None:
        self._speculate = speculate

    def decide(self, _batch_size: int, _queue_length: int, _expected: float) -> bool:
        """The same as ever."""
        return self._speculate

    def told(self, observed: Observed) -> None:
        """Of no interest."""


class Myopic:
    """Knows the true costs and the true probability of each request, and does what yields most in the step at hand.

    A reference that cannot be built; no upper bound either, as it looks ahead no further than a step and pays for
    flips.
    """

    foresees = False
    probe_steps = 0
    probes = 0

    def __init__(self, costs: CostTable) -> None:
        self._costs = costs

    def decide(self, batch_size: int, _queue_length: int, expected: float) -> bool:
        """On where the expected yield pays."""
        return expected > self._costs.break_even(batch_size)

    def told(self, observed: Observed) -> None:
        """It knows."""


class Deciding:
    """A policy of this package; what it is told, it sees at its next decision."""

    def __init__(self, policy: Policy, foresees: bool) -> None:
        self._policy = policy
        self.foresees = foresees
        self._step = 0
        self._observed = NOTHING
        self.probe_steps = 0
        self.probes = 0

    def decide(self, batch_size: int, queue_length: int, _expected: float) -> bool:
        """As the policy decides."""
        signals = Signals(self._step, batch_size, queue_length, self._observed)
        self._policy, decision = self._policy.decide(signals)
        self._step += 1
        self._observed = NOTHING
        self.probe_steps += decision.state is State.PROBE
        self.probes += decision.reason is Reason.PROBE_DUE
        return decision.speculate

    def told(self, observed: Observed) -> None:
        """Kept for the next decision."""
        self._observed = observed
