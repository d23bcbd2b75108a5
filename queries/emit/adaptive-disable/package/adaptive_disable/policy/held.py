"""The policy that never changes its mind: for measurements."""

from __future__ import annotations

from dataclasses import dataclass

from adaptive_disable.policy.course import START, Course
from adaptive_disable.policy.vocabulary import Decision, Reason, Signals, State


@dataclass(frozen=True, slots=True)
class HeldPolicy:
    """Always on, or always off: as its course began."""

    course: Course = START

    @property
    def state(self) -> State:
        """Where it stands."""
        return self.course.state

    def decide(self, signals: Signals) -> tuple[HeldPolicy, Decision]:
        """The same as in the step before. Raises `StepError` for a step that was decided already."""
        course = self.course.at(signals.step, self.state)
        return HeldPolicy(course), Decision(
            signals.step, self.state, self.state is State.ON, Reason.HELD, flipped=False
        )
