"""How the ranks of one server would decide apart: each puts the hook on the scheduler of one rank, and differs on rank 1."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.adaptive.script import random_script

OFF_BATCH = 6


@dataclass
class Shared:
    """What each decision of this rank was, and what became of it. `alone`: a fault, each rank keeps its own."""

    alone: bool = False
    own: list[bool] = field(default_factory=list)
    done: list[bool] = field(default_factory=list)
    plan: list[bool] = field(default_factory=list)

    def over(self, scheduler: Any) -> Callable[[bool], bool]:
        """The sharing of the emitted package, seen."""
        from adaptive_disable.ranks import share_over

        share = (lambda speculate: speculate) if self.alone else share_over(scheduler)

        def seen(speculate: bool) -> bool:
            self.own.append(speculate)
            self.done.append(share(speculate))
            return self.done[-1]

        return seen

    def begin(self) -> None:
        """Forget what was shared before the first step: whether there is a file of step times."""
        self.own.clear()
        self.done.clear()

    def is_off(self) -> bool:
        """Whether the last step was off and, where that is planned, the next one is."""
        following = self.plan[len(self.done)] if len(self.done) < len(self.plan) else False
        return bool(self.done) and not self.done[-1] and not following


Attached = Callable[[Any, int, str, Shared], Callable[[], None]]


def by_script(scheduler: Any, seed: int, variant: str, shared: Shared) -> Callable[[], None]:
    """Random flips; each rank has a script of its own, and a queue and batches that are looked at by nobody."""
    from adaptive_disable.config import HookConfig, Variant
    from adaptive_disable.controller import Controller
    from adaptive_disable.hook import install
    from adaptive_disable.policy import Decision, Reason, Signals, State

    plan = random_script(seed + 1000 * scheduler.tp_rank).plan
    shared.plan = list(plan)

    class Scripted:
        state = State.ON

        def decide(self, signals: Signals) -> tuple[Any, Decision]:
            speculate = plan[signals.step]
            return self, Decision(signals.step, self.state, speculate, Reason.HELD, flipped=False)

    controller = Controller(HookConfig(enabled=True), Scripted(), share=shared.over(scheduler))
    undo: Callable[[], None] = install(scheduler, controller, Variant(variant))
    return undo


def by_queue(scheduler: Any, _seed: int, variant: str, shared: Shared) -> Callable[[], None]:
    """Thresholds of batch and queue, and rank 1 sees a queue that is longer than rank 0's."""
    undo = _attached(scheduler, shared, variant, mode="threshold", off_batch=OFF_BATCH, on_batch=OFF_BATCH - 1, queue_weight=1.0)
    if scheduler.tp_rank:
        controller = scheduler.model_worker.forward_batch_generation.__self__._controller
        decide = controller.decide
        controller.decide = lambda batch, queue, context: decide(batch, queue + OFF_BATCH, context)
    return undo


def by_signal(scheduler: Any, _seed: int, variant: str, shared: Shared) -> Callable[[], None]:
    """The same thresholds, and rank 1 alone was told to switch the hook off for good."""
    undo = _attached(scheduler, shared, variant, mode="threshold", off_batch=OFF_BATCH, on_batch=OFF_BATCH - 1)
    if scheduler.tp_rank:
        os.kill(os.getpid(), signal.SIGUSR2)
    return undo


def by_clock(scheduler: Any, _seed: int, variant: str, shared: Shared, **named: Any) -> Callable[[], None]:
    """Step times that each rank measures by a clock of its own, in the same steps."""
    from adaptive_disable import calibration

    calibration.N_SETTLING, calibration.N_TIMED, calibration.LONG_PROMPT = 1, 2, 32
    return _attached(scheduler, shared, variant, mode="cost-table", **named)


def by_table(scheduler: Any, _seed: int, variant: str, shared: Shared) -> Callable[[], None]:
    """The same, and rank 1 alone has a file of step times, as on another machine: it must measure with rank 0 all the same."""
    from adaptive_disable.costs import CostTable

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.json")
        if scheduler.tp_rank:
            CostTable((1,), (4.0,), (1.0,)).write(file)
        return by_clock(scheduler, _seed, variant, shared, table=file)


def _attached(scheduler: Any, shared: Shared, variant: str, **named: Any) -> Callable[[], None]:
    from adaptive_disable import attach
    from adaptive_disable.config import HookConfig, Mode, Variant

    attach.share_over = shared.over
    config = HookConfig(enabled=True, variant=Variant(variant), **{"dwell": 1, **named, "mode": Mode(named["mode"])})
    undo: Callable[[], None] = attach.attach(scheduler, config)
    shared.begin()
    return undo


APART: dict[str, Attached] = {
    "script": by_script,
    "queue": by_queue,
    "signal": by_signal,
    "clock": by_clock,
    "table": by_table,
}
