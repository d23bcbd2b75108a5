"""On while the acceptance that is seen pays for the steps' longer time at this batch size."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from adaptive_disable.acceptance import BLIND, UNSEEN, Acceptance, Foresight
from adaptive_disable.costs import CostTable
from adaptive_disable.policy.course import START, Course
from adaptive_disable.policy.vocabulary import Decision, Reason, Signals, State


@dataclass(frozen=True, slots=True)
class ProbeRule:
    """How long a probe is and how rare: bounded in results, in steps and in the share of time that it may cost."""

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

    def wait(self, batch_size: int, break_even: float, times: int) -> int:
        """Decode steps without speculation before a probe, so that one in which nothing is accepted costs `budget /
        times`.
        """
        return math.ceil(times * self.length(batch_size) * max(0.0, break_even - 1) / self.budget)


@dataclass(frozen=True, slots=True)
class CostTablePolicy:
    """Compares the acceptance with break-even: the step time on, divided by the step time off, at this batch size.

    Off when the acceptance is below break-even by more than `margin` and `confidence` standard errors; on again when it
    is above by as much, which a smaller batch can bring about at once. Where what was seen last speaks against
    speculation, a probe looks again, unless not even the longest acceptance would pay, or the draft's foresight says
    that it will not. Never seen: taken for the longest, as that is soon tried.
    """

    table: CostTable
    longest: int
    """Tokens a request that a speculating step yields at most, bonus included."""
    dwell: int
    margin: float
    confidence: float
    window: int
    probe: ProbeRule

    course: Course = START
    acceptance: Acceptance = UNSEEN
    """As seen in the steps on, and in the last probe."""
    foresight: Foresight = BLIND
    """As seen in the steps since it was switched off."""
    shelved: Acceptance = UNSEEN
    """While probing: what was seen before."""
    failures: int = 0
    """Probes that failed in a row."""
    tried_at: int = 0
    """The batch size at which speculation was given up last."""

    @property
    def state(self) -> State:
        """Where it stands."""
        return self.course.state

    def decide(self, signals: Signals) -> tuple[CostTablePolicy, Decision]:
        """The decision for one step and the policy for the next. Raises `StepError` for a step that was decided
        already.
        """
        self.course.at(signals.step, self.state)
        seen = self._seeing(signals)
        after, reason = seen._next(signals)
        decision = Decision(
            signals.step,
            after.state,
            after.state is not State.OFF,
            reason,
            flipped=(after.state is State.OFF) is not (self.state is State.OFF),
            accept_length=after.acceptance.mean(self.longest) if after.acceptance.weight else None,
            break_even=self.table.break_even(signals.batch_size),
        )
        return after, decision

    def _seeing(self, signals: Signals) -> CostTablePolicy:
        """The policy that knows what the results told, and that a load of half the size is worth a new look."""
        eased = self.state is State.OFF and 2 * signals.batch_size <= self.tried_at
        return replace(
            self,
            acceptance=self.acceptance.after(signals.observed, self.window),
            foresight=self.foresight.after(signals.observed, self.window),
            failures=0 if eased else self.failures,
            tried_at=signals.batch_size if eased else self.tried_at,
        )

    def _next(self, signals: Signals) -> tuple[CostTablePolicy, Reason]:
        match self.state:
            case State.ON:
                return self._from_on(signals)
            case State.OFF:
                return self._from_off(signals)
            case State.PROBE:
                return self._from_probe(signals)

    def _from_on(self, signals: Signals) -> tuple[CostTablePolicy, Reason]:
        if self._most() >= self.table.break_even(signals.batch_size) * (1 - self.margin):
            return self._in(State.ON, signals), Reason.STAYS
        if not self.course.settled(signals.step, self.dwell):
            return self._in(State.ON, signals), Reason.DWELL
        return self._given_up(signals), Reason.BELOW_BREAK_EVEN

    def _from_off(self, signals: Signals) -> tuple[CostTablePolicy, Reason]:
        wanted = self.table.break_even(signals.batch_size) * (1 + self.margin)
        if self._hope() <= wanted:
            return self._in(State.OFF, signals), Reason.STAYS
        if not self.course.settled(signals.step, self.dwell):
            return self._in(State.OFF, signals), Reason.DWELL
        if self._least() > wanted:
            # What was seen long ago gives way to what comes in now.
            known = self.acceptance.faded(self.probe.results)
            return replace(self._in(State.ON, signals), acceptance=known), Reason.ABOVE_BREAK_EVEN
        if signals.step - self.course.since < self._wait(signals.batch_size):
            return self._in(State.OFF, signals), Reason.STAYS
        return replace(self._in(State.PROBE, signals), shelved=self.acceptance, acceptance=UNSEEN), Reason.PROBE_DUE

    def _from_probe(self, signals: Signals) -> tuple[CostTablePolicy, Reason]:
        break_even = self.table.break_even(signals.batch_size)
        if self.longest < break_even:
            seen = self.acceptance if self.acceptance.weight >= self.probe.results else self.shelved
            return replace(self._given_up(signals), acceptance=seen), Reason.PROBE_HOPELESS
        if self.acceptance.weight < self.probe.results and not self.course.settled(signals.step, self.probe.steps):
            return self._in(State.PROBE, signals), Reason.PROBING
        if self.acceptance.mean(self.longest) < break_even:
            return replace(self._given_up(signals), failures=self.failures + 1), Reason.PROBE_FAILED
        return replace(self._in(State.ON, signals), failures=0), Reason.PROBE_PAID

    def _in(self, state: State, signals: Signals) -> CostTablePolicy:
        return replace(self, course=self.course.at(signals.step, state))

    def _given_up(self, signals: Signals) -> CostTablePolicy:
        return replace(self._in(State.OFF, signals), foresight=BLIND, tried_at=signals.batch_size)

    def _most(self) -> float:
        """The acceptance, were it as high as it may well be."""
        mean = self.acceptance.mean(self.longest) + self.confidence * self.acceptance.error(self.longest)
        return min(float(self.longest), mean)

    def _least(self) -> float:
        """The acceptance, were it as low as it may well be; the longest while none was seen."""
        return self.acceptance.mean(self.longest) - self.confidence * self.acceptance.error(self.longest)

    def _foresees(self) -> bool:
        return self.foresight.weight >= self.probe.results

    def _hope(self) -> float:
        """The acceptance that a probe may find."""
        if self._foresees():
            return self.foresight.most(self.acceptance, self.longest, self.confidence)
        return float(self.longest)

    def _wait(self, batch_size: int) -> int:
        """Steps off before a probe. The first one need not wait where the draft's foresight has spoken for it."""
        if self._foresees() and not self.failures:
            return self.dwell
        times = min(self.probe.backoff, 2**self.failures)
        return max(self.dwell, self.probe.wait(batch_size, self.table.break_even(batch_size), times))
