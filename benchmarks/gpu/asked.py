"""What a server is asked: requests, grouped into stages, and how each stage decides whether its steps speculate."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass
from enum import Enum

VOCABULARY = 32000
FIRST_WORD = 10  # below it stand tokens with a meaning of their own


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request. `n_prompt` and `n_tokens` count tokens; `temperature` 0 is greedy."""

    n_prompt: int
    n_tokens: int
    seed: int
    temperature: float = 0.0

    def words(self) -> list[int]:
        """The tokens of the prompt, the same in every run."""
        chosen = random.Random(self.seed)
        return [chosen.randrange(FIRST_WORD, VOCABULARY) for _ in range(self.n_prompt)]


@dataclass(frozen=True, slots=True)
class Late:
    """A request that arrives once the scheduler's loop has gone round `after` times in its stage."""

    after: int
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Abort:
    """Ends the request of this place in its stage, after so many rounds."""

    after: int
    place: int


class Held(Enum):
    """A stage whose steps all go one way."""

    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Flips:
    """A stage that decides each step by chance, `stay` being the chance that a step goes as the one before."""

    seed: int
    stay: float = 0.5


class Decided(Enum):
    """A stage whose steps the hook's own policy decides."""

    BY_POLICY = "policy"


class Ablated(Enum):
    """A stage of off steps, each with one thing done otherwise, to see what that costs."""

    WAITING = "off-waiting"  # the host waits for the step's end before it prepares the next, as for an on step
    DRAFT_LEFT = "off-draft-left"  # the draft's KV is not kept in step
    WIDE = "off-wide"  # the draft model takes in as many tokens a request as after a verify step, one of which counts
    COPYING = "off-copying"  # as many hidden states as a verify step has are copied to the host


Steering = Held | Flips | Decided | Ablated


@dataclass(frozen=True, slots=True)
class Stage:
    """Requests that are sent together; the next stage begins once they are all answered."""

    name: str
    prompts: tuple[Prompt, ...]
    steering: Steering
    late: tuple[Late, ...] = ()
    aborts: tuple[Abort, ...] = ()
    profiled: bool = False

    @property
    def compared(self) -> bool:
        """Whether every token must be the target's own: no request is sampled."""
        return all(prompt.temperature == 0 for prompt in self.prompts)


def alike(stage: str, number: int, n_prompt: int, n_tokens: int) -> tuple[Prompt, ...]:
    """So many requests of one size, each with words of its own, which no other stage's requests have."""
    first = zlib.crc32(stage.encode()) << 8
    return tuple(Prompt(n_prompt, n_tokens, first + place) for place in range(number))
