"""On while the acceptance that is seen pays for the longer time of a speculating step, at this batch size."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adaptive_disable.acceptance import UNSEEN
from adaptive_disable.costs import CostTable
from adaptive_disable.policy.memory import Memory
from adaptive_disable.policy.probes import ProbeRule
from adaptive_disable.policy.vocabulary import Decision, Reason, Signals, State

FRESH = Memory()
"""Nothing seen: on, as speculation is what the server was started with."""


@dataclass(frozen=True, slots=True)
class BreakEvenRule:
    """What the policy compares and how sure it wants to be. See `HookConfig` for each."""

    table: CostTable
    longest: int
    """Tokens a request that a speculating step yields at most, bonus included."""
    dwell: int
    margin: float
    confidence: float
    window: int
    probe: ProbeRule

    def most(self, memory: Memory) -> float:
        """The acceptance, were it as high as it may well be."""
        acceptance = memory.acceptance
        highest = acceptance.mean(self.longest) + self.confidence * acceptance.error(self.longest)
        return min(float(self.longest), highest)

    def least(self, memory: Memory) -> float:
        """The acceptance, were it as low as it may well be; the longest while none was seen."""
        return memory.acceptance.mean(self.longest) - self.confidence * memory.acceptance.error(self.longest)

    def foresees(self, memory: Memory) -> bool:
        """Whether it is known how well the draft foresees tokens while it is off."""
        return memory.foresight.weight >= self.probe.results

    def hope(self, memory: Memory) -> float:
        """The acceptance that a probe may find."""
        if self.foresees(memory):
            return memory.foresight.most(memory.acceptance, self.longest, self.confidence)
        return float(self.longest)

    def wait(self, memory: Memory, batch_size: int, break_even: float) -> int:
        """Steps off before a probe. The first one need not wait where the draft's foresight has spoken for it."""
        if self.foresees(memory) and not memory.failures:
            return self.dwell
        return max(
            self.dwell, self.probe.wait(batch_size, break_even, memory.acceptance.mean(self.longest), memory.failures)
        )


@dataclass(frozen=True, slots=True)
class CostTablePolicy:
    """Compares the acceptance with break-even: the step time on, divided by the step time off, at this batch size and
    context.

    Off when the acceptance is below break-even by more than the margin and its error; on again when it is above by as
    much, which a smaller batch can bring about at once. Where what was seen last speaks against speculation, a probe
    looks again, unless not even the longest acceptance would pay or the draft's foresight says that it will not. Never
    seen, the acceptance is taken for the longest: that is soon tried.
    """

    rule: BreakEvenRule
    memory: Memory = FRESH

    @property
    def state(self) -> State:
        """Where it stands."""
        return self.memory.course.state

    def decide(self, signals: Signals) -> tuple[CostTablePolicy, Decision]:
        """The decision for one step and the policy for the next. Raises `StepError` for a step decided already."""
        break_even = self.rule.table.break_even(signals.batch_size, signals.context)
        seen = self.memory.seeing(signals.observed, self.rule.window).eased(signals.batch_size)
        after, reason = self._next(seen, signals.step, signals.batch_size, break_even)
        speculate = after.course.state is not State.OFF
        decision = Decision(
            signals.step,
            after.course.state,
            speculate,
            reason,
            flipped=speculate is (self.memory.course.state is State.OFF),
            accept_length=after.acceptance.mean(self.rule.longest) if after.acceptance.weight else None,
            break_even=break_even,
        )
        return CostTablePolicy(self.rule, after), decision

    def _next(self, seen: Memory, step: int, batch_size: int, break_even: float) -> tuple[Memory, Reason]:
        match seen.course.state:
            case State.ON:
                return self._from_on(seen, step, batch_size, break_even)
            case State.OFF:
                return self._from_off(seen, step, batch_size, break_even)
            case State.PROBE:
                return self._from_probe(seen, step, batch_size, break_even)

    def _from_on(self, seen: Memory, step: int, batch_size: int, break_even: float) -> tuple[Memory, Reason]:
        if self.rule.most(seen) >= break_even * (1 - self.rule.margin):
            return seen.at(step, State.ON), Reason.STAYS
        if not seen.course.settled(step, self.rule.dwell):
            return seen.at(step, State.ON), Reason.DWELL
        return seen.given_up(step, batch_size), Reason.BELOW_BREAK_EVEN

    def _from_off(self, seen: Memory, step: int, batch_size: int, break_even: float) -> tuple[Memory, Reason]:
        rule, wanted = self.rule, break_even * (1 + self.rule.margin)
        if rule.hope(seen) <= wanted:
            return seen.at(step, State.OFF), Reason.STAYS
        if not seen.course.settled(step, rule.dwell):
            return seen.at(step, State.OFF), Reason.DWELL
        if rule.least(seen) > wanted:
            # What was seen before it was off gives way to what comes in now.
            known = seen.acceptance.faded(rule.probe.results)
            return replace(seen.at(step, State.ON), acceptance=known), Reason.ABOVE_BREAK_EVEN
        if not seen.course.settled(step, rule.wait(seen, batch_size, break_even)):
            return seen.at(step, State.OFF), Reason.STAYS
        return replace(seen.at(step, State.PROBE), shelved=seen.acceptance, acceptance=UNSEEN), Reason.PROBE_DUE

    def _from_probe(self, seen: Memory, step: int, batch_size: int, break_even: float) -> tuple[Memory, Reason]:
        rule, known = self.rule, seen.acceptance.weight >= self.rule.probe.results
        if rule.longest < break_even:
            told = seen.acceptance if known else seen.shelved
            return replace(seen.given_up(step, batch_size), acceptance=told), Reason.PROBE_HOPELESS
        if not known and not seen.course.settled(step, rule.probe.steps):
            return seen.at(step, State.PROBE), Reason.PROBING
        if seen.acceptance.mean(rule.longest) < break_even:
            return replace(seen.given_up(step, batch_size), failures=seen.failures + 1), Reason.PROBE_FAILED
        return replace(seen.at(step, State.ON), failures=0), Reason.PROBE_PAID
