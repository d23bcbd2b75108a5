"""What the policy `cost-table` remembers from step to step."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adaptive_disable.acceptance import BLIND, UNSEEN, Acceptance, Foresight, Observed
from adaptive_disable.policy.course import START, Course
from adaptive_disable.policy.vocabulary import State


@dataclass(frozen=True, slots=True)
class Memory:
    """Where the policy stands and what it has seen."""

    course: Course = START
    acceptance: Acceptance = UNSEEN
    """As seen in the steps on, or in the last probe."""
    foresight: Foresight = BLIND
    """As seen in the steps since speculation was given up."""
    shelved: Acceptance = UNSEEN
    """While probing: what was seen before."""
    failures: int = 0
    """Probes that failed in a row."""
    given_up_at: int = 0
    """The batch size at which speculation was given up last."""

    @property
    def state(self) -> State:
        """Where the policy stands."""
        return self.course.state

    def seeing(self, observed: Observed, window: int) -> Memory:
        """The memory once results came in, smoothed over `window` results of a request."""
        if observed.requests or observed.plain:
            seen, foreseen = self.acceptance.after(observed, window), self.foresight.after(observed, window)
            # In every step of the server: `replace` would take twice as long.
            return Memory(self.course, seen, foreseen, self.shelved, self.failures, self.given_up_at)
        return self

    def eased(self, batch_size: int) -> Memory:
        """The memory at this batch size: at half the size or less, speculation is worth a new look soon."""
        if self.course.state is State.OFF and 2 * batch_size <= self.given_up_at:
            return replace(self, failures=0, given_up_at=batch_size)
        return self

    def at(self, step: int, state: State) -> Memory:
        """The memory once a step was decided. Raises `StepError` when the step is not later than the last one."""
        course = self.course.at(step, state)
        return Memory(course, self.acceptance, self.foresight, self.shelved, self.failures, self.given_up_at)

    def given_up(self, step: int, batch_size: int) -> Memory:
        """The memory once speculation was given up in a step with so many requests."""
        return replace(self, course=self.course.at(step, State.OFF), foresight=BLIND, given_up_at=batch_size)
