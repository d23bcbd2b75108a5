"""What every policy remembers: where it stands since when, and the rule that a step is decided once."""

from __future__ import annotations

from dataclasses import dataclass

from adaptive_disable.policy.vocabulary import State, StepError

LONG_AGO = -(10**9)


@dataclass(frozen=True, slots=True)
class Course:
    """The state, the step of its last change, and the last step that was decided."""

    state: State = State.ON
    since: int = LONG_AGO
    last: int = LONG_AGO

    def at(self, step: int, state: State) -> Course:
        """The course after deciding a step. Raises `StepError` when the step is not later than the last one."""
        if step <= self.last:
            raise StepError(f"step {step} was asked for after step {self.last}: each step is decided once, in order")
        return Course(state, self.since if state is self.state else step, step)

    def settled(self, step: int, dwell: int) -> bool:
        """Whether the state has held for `dwell` steps."""
        return step - self.since >= dwell


START = Course()
"""On, as speculation is what the server was started with."""
