"""Off at a large batch, on again at a small one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adaptive_disable.policy.course import START, Course
from adaptive_disable.policy.vocabulary import Decision, Reason, Signals, State


@dataclass(frozen=True, slots=True)
class ThresholdPolicy:
    """Off when the load reaches `off_batch`, on again when it is down to `on_batch`, and never within `dwell` steps of
    a flip.

    The load is the running requests and `queue_weight` times the waiting ones. From the same state a larger load never
    speculates where a smaller one does not.
    """

    off_batch: int
    on_batch: int
    dwell: int
    queue_weight: float = 0.0
    course: Course = START

    @property
    def state(self) -> State:
        """Where it stands: on or off."""
        return self.course.state

    def decide(self, signals: Signals) -> tuple[ThresholdPolicy, Decision]:
        """The decision for one step and the policy for the next. Raises `StepError` for a step that was decided
        already.
        """
        state, reason = self._next(signals)
        decision = Decision(signals.step, state, state is State.ON, reason, flipped=state is not self.state)
        return replace(self, course=self.course.at(signals.step, state)), decision

    def _next(self, signals: Signals) -> tuple[State, Reason]:
        load = signals.batch_size + self.queue_weight * signals.queue_length
        wanted, reason = self.state, Reason.STAYS
        if self.state is State.ON and load >= self.off_batch:
            wanted, reason = State.OFF, Reason.BATCH_LARGE
        elif self.state is State.OFF and load <= self.on_batch:
            wanted, reason = State.ON, Reason.BATCH_SMALL
        if wanted is not self.state and not self.course.settled(signals.step, self.dwell):
            return self.state, Reason.DWELL
        return wanted, reason
