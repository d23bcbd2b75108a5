"""What is seen of a run: answers, times, decisions."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.gpu.asked import Prompt


@dataclass(slots=True)
class Answer:
    """A request and its tokens. `n_retracted` counts how often the scheduler took it out; `ended` is empty until it is over."""

    prompt: Prompt
    stage: str
    tokens: list[int] = field(default_factory=list)
    ended: str = ""
    n_retracted: int = 0
    verify_steps: int = 0


@dataclass(slots=True)
class Timing:
    """A stage on the clock: when its requests were sent and the last was answered, and the round of the loop it began in."""

    name: str
    sent: float
    first_round: int
    answered: float = 0.0


@dataclass(frozen=True, slots=True)
class Round:
    """One round of the scheduler's loop: when it began, and how many requests were running."""

    at: float
    n_running: int


@dataclass(frozen=True, slots=True)
class Step:
    """One decode step: its stage, when it was decided, how many requests ran, and whether it speculates."""

    stage: str
    at: float
    n_requests: int
    speculate: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """What an on step gave: tokens of all its requests together, bonus included."""

    stage: str
    n_requests: int
    n_tokens: int
