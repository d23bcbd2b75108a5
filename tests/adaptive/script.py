"""A controller that decides at random, always the same for one seed, and takes down what it is told."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

N_PLANNED = 400  # decisions, more than any run takes
LONGEST = 3  # decode steps between two flips


@dataclass(frozen=True, slots=True)
class Scripted:
    """A decision."""

    speculate: bool


@dataclass
class Script:
    """Decides as `plan` says; after its end, on."""

    plan: Sequence[bool]
    taken: list[bool] = field(default_factory=list)
    accepted: list[list[int]] = field(default_factory=list)  # of on steps, in the order of their results
    n_plain: list[int] = field(default_factory=list)  # requests of off steps

    def decide(self, batch_size: int, queue_length: int, context: int) -> Scripted:
        """The next of the plan."""
        assert batch_size > 0 <= queue_length
        assert context > 0
        decision = self._planned(len(self.taken))
        self.taken.append(decision)
        return Scripted(decision)

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        """Take it down."""
        self.accepted.append(list(accepted))

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        """Take it down."""
        assert foreseen is None or foreseen <= n_requests
        self.n_plain.append(n_requests)

    def is_off(self) -> bool:
        """Whether the last step was off and the next one is."""
        return bool(self.taken) and not self.taken[-1] and not self._planned(len(self.taken))

    def n_flips(self) -> int:
        """How often a decision was another than the one before."""
        return sum(before != after for before, after in zip(self.taken, self.taken[1:], strict=False))

    def _planned(self, step: int) -> bool:
        return self.plan[step] if step < len(self.plan) else True


def random_script(seed: int) -> Script:
    """Stretches of one to four steps, on and off in turn."""
    chance = random.Random(seed)
    plan: list[bool] = []
    state = chance.random() < 1 / 2
    while len(plan) < N_PLANNED:
        plan += [state] * chance.randint(1, LONGEST)
        state = not state
    return Script(plan)
