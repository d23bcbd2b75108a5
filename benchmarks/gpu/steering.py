"""Decides the steps of a stage as the stage says: held on, held off, by chance, or by the hook's own controller."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

from benchmarks.gpu.asked import Ablated, Flips, Held, Stage, Steering
from benchmarks.gpu.seen import Accepted, Step

Way = Callable[[int, int, int], bool]  # running requests, waiting ones, tokens of a running one → whether to speculate


class Own(Protocol):
    """The hook's own controller, as far as it is used here."""

    def decide(self, batch_size: int, queue_length: int, context: int) -> Any:
        """What to do in the next step."""

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        """What an on step gave each request."""

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        """An off step was processed; of so many requests the draft had foreseen the token."""


@dataclass(frozen=True, slots=True)
class Said:
    """A decision, as the hook reads it."""

    speculate: bool


class Steered:
    """A controller for the hook that does as the stage at hand says. `own` makes the hook's own one, where a stage wants it."""

    def __init__(self, own: Callable[[], Own]) -> None:
        self._make_own = own
        self._own: Own | None = None
        self._deciding: Own | None = None
        self._stage = ""
        self._next: Way = lambda _batch, _queue, _context: True
        self.steps: list[Step] = []
        self.accepted: list[Accepted] = []

    def begin(self, stage: Stage) -> None:
        """The steps from now on belong to this stage. The hook's own controller goes on from where it was: of stages that it
        does not decide it hears nothing.
        """
        self._stage = stage.name
        self._deciding = None
        self._next = self._way(stage.steering)

    def decide(self, batch_size: int, queue_length: int, context: int) -> Said:
        """Decide one step."""
        speculate = self._next(batch_size, queue_length, context)
        self.steps.append(Step(self._stage, time.perf_counter(), batch_size, speculate))
        return Said(speculate)

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        """What an on step gave."""
        self.accepted.append(Accepted(self._stage, len(accepted), sum(accepted)))
        if self._deciding is not None:
            self._deciding.observe_speculated(accepted)

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        """An off step was processed; of so many requests the draft had foreseen the token."""
        if self._deciding is not None:
            self._deciding.observe_plain(n_requests, foreseen)

    @property
    def off(self) -> bool:
        """Whether the last step that was decided is off."""
        return bool(self.steps) and not self.steps[-1].speculate

    def _way(self, steering: Steering) -> Way:
        match steering:
            case Held():
                return lambda _batch, _queue, _context: steering is Held.ON
            case Flips():
                return by_chance(steering)
            case Ablated():
                return lambda _batch, _queue, _context: False
        if self._own is None:
            self._own = self._make_own()
        self._deciding = own = self._own
        return lambda batch, queue, context: bool(own.decide(batch, queue, context).speculate)


def by_chance(flips: Flips) -> Way:
    """Decides each step as the one before, or the other way, by chance; the first is on."""
    chance = random.Random(flips.seed)
    last = True

    def decide(_batch_size: int, _queue_length: int, _context: int) -> bool:
        nonlocal last
        if chance.random() >= flips.stay:
            last = not last
        return last

    return decide


def n_flips(steps: Iterable[Step]) -> int:
    """How often a step goes otherwise than the one before."""
    ways = [step.speculate for step in steps]
    return sum(left != right for left, right in pairwise(ways))
