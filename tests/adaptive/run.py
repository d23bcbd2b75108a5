"""Runs schedules on one scheduler and prints a JSON line for each: `python -m tests.adaptive.run ROOT MODELS RUN SEED…`.

ROOT holds the unpacked wheel's `sglang/`, MODELS the tiny models. RUN is `baseline` or
ALGORITHM:VARIANT or ALGORITHM:VARIANT:FAULT, such as `EAGLE:one-token`. The settings of `tests.sglang.run_all` must stand in
the environment.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.adaptive.faults import Fault, commit
from tests.adaptive.requests import planned, tokenized
from tests.adaptive.script import Script, random_script
from tests.adaptive.server import made_scheduler
from tests.adaptive.watch import Watch

MAX_PASSES = 600


class EndedError(Exception):
    """All requests have ended: leaves the scheduler's endless loop."""


class Feed:
    """Stands for the queue of requests: asked in each pass of the scheduler's loop."""

    def __init__(self, scheduler: Any, seed: int, script: Script | None) -> None:
        self._scheduler, self._script = scheduler, script
        self._waiting = planned(seed)
        self._first = self._waiting[0].name
        self._pass = -1
        self.aborted_off = self.retracted_off = False

    def recv_requests(self) -> list[Any]:
        """What arrives in this pass; raises `EndedError` when nothing is left to do."""
        self._pass += 1
        due = [request for request in self._waiting if request.arrives <= self._pass]
        self._waiting = [request for request in self._waiting if request.arrives > self._pass]
        if self._pass > MAX_PASSES or not (due or self._waiting or self._is_busy()):
            raise EndedError
        return [tokenized(request) for request in due] + self._disturb()

    def _is_busy(self) -> bool:
        scheduler = self._scheduler
        return bool(scheduler.waiting_queue or scheduler.result_queue or scheduler.running_batch.reqs or scheduler.last_batch)

    def _disturb(self) -> list[Any]:
        """Once each, while speculation is off: a request is retracted; the first one is aborted, later."""
        from sglang.srt.managers import scheduler as module
        from sglang.srt.managers.io_struct import AbortReq

        self.retracted_off |= self._scheduler.num_retracted_reqs > 0
        off = self._script is not None and self._script.is_off() and len(self._scheduler.running_batch.reqs) > 1
        module.TEST_RETRACT, module.TEST_RETRACT_INTERVAL = off and not self.retracted_off, 1
        if not (off and self.retracted_off) or self.aborted_off:
            return []
        self.aborted_off = True
        return [AbortReq(rid=self._first)]


def main(root: str, models: str, run: str, *seeds: str) -> None:
    """Run them all."""
    algorithm, variant, fault = (*run.split(":"), "", "")[:3] if run != "baseline" else (None, "", "")
    scheduler = made_scheduler(Path(root), Path(models), algorithm)
    if fault:
        commit(Fault(fault))
    for seed in map(int, seeds):
        print(json.dumps({"run": run, "seed": seed, **_answer(scheduler, seed, variant)}), flush=True)


def _answer(scheduler: Any, seed: int, variant: str) -> dict[str, Any]:
    started = time.monotonic()
    script = random_script(seed) if variant else None
    undo = _installed(scheduler, script, variant) if script else _nothing
    watch, feed = Watch(scheduler), Feed(scheduler, seed, script)
    scheduler.recv_requests = feed.recv_requests
    scheduler.result_queue = ()
    with suppress(EndedError):
        scheduler.event_loop_overlap()
    leak = watch.leak()
    watch.end()
    undo()
    return {
        "seconds": round(time.monotonic() - started, 1),
        "leak": leak,
        "problems": watch.problems,
        "early": watch.ended_early(),
        "out": {name: list(request.output_ids_through_stop) for name, request in watch.requests.items()},
        **_of_script(script, feed),
    }


def _nothing() -> None:
    """Nothing was installed."""


def _installed(scheduler: Any, script: Script, variant: str) -> Callable[[], None]:
    from adaptive_disable.config import Variant
    from adaptive_disable.hook import install

    undo: Callable[[], None] = install(scheduler, script, Variant(variant))
    return undo


def _of_script(script: Script | None, feed: Feed) -> dict[str, Any]:
    if script is None:
        return {}
    return {
        "decisions": "".join("+" if each else "-" for each in script.taken),
        "flips": script.n_flips(),
        "accepted": script.accepted,
        "aborted_off": feed.aborted_off,
        "retracted_off": feed.retracted_off,
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
