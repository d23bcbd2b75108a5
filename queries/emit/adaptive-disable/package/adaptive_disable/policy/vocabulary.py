"""The words of a decision: what goes in, what comes out, why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from adaptive_disable.acceptance import NOTHING, Observed


class State(Enum):
    """Where a policy stands."""

    ON = "on"
    OFF = "off"
    PROBE = "probe"
    """On for a few steps, to see what speculation would yield; then on or off."""


class Reason(Enum):
    """Why a step speculates or does not. The first group keeps a state, the second changes it, the third overrules."""

    HELD = "held"
    STAYS = "stays"
    DWELL = "dwell"
    PROBING = "probing"

    BATCH_LARGE = "batch-large"
    BATCH_SMALL = "batch-small"
    BELOW_BREAK_EVEN = "below-break-even"
    ABOVE_BREAK_EVEN = "above-break-even"
    PROBE_DUE = "probe-due"
    PROBE_PAID = "probe-paid"
    PROBE_FAILED = "probe-failed"
    PROBE_HOPELESS = "probe-hopeless"
    """The batch grew while probing: not even the longest acceptance would pay."""

    DRY_RUN = "dry-run"
    KILLED = "killed"
    RANK_ZERO = "rank-zero"
    """Another rank decides, and it decided otherwise."""


class StepError(ValueError):
    """A decision was asked for a step that was decided already, or for an earlier one."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What a policy sees before a decode step."""

    step: int
    """The number of this decode step: rises from decision to decision."""
    batch_size: int
    """Running requests."""
    queue_length: int = 0
    """Waiting requests."""
    observed: Observed = NOTHING
    """What the results that came in since the decision before told; they are of earlier steps."""
    context: int = 0
    """Tokens of a running request on average, prompt and answer so far; 0 where it is not known."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do in one decode step."""

    step: int
    state: State
    speculate: bool
    reason: Reason
    flipped: bool
    """Whether the step before did otherwise."""
    accept_length: float | None = None
    """Tokens a request in a speculating step, bonus included, smoothed; None where it plays no part or was never seen.
    """
    break_even: float | None = None
    """The length at which speculation pays at this batch size; None where it plays no part."""


class Policy(Protocol):
    """A frozen value: its parameters and what it remembers."""

    @property
    def state(self) -> State:
        """Where it stands."""
        ...

    def decide(self, signals: Signals) -> tuple[Policy, Decision]:
        """The decision for one step, and the policy to be asked for the next one. Pure.

        Raises `StepError` when the step is not later than the one decided last.
        """
        ...
