"""Runs schedules on one scheduler and prints a JSON line for each: `python -m tests.adaptive.run ROOT MODELS RUN SEED…`.

ROOT holds the unpacked wheel's `sglang/`, MODELS the tiny models. RUN is `baseline` or
ALGORITHM:VARIANT or ALGORITHM:VARIANT:FAULT, such as `EAGLE:one-token`. The settings of `tests.sglang.run_all` must stand in
the environment. Where the emitted package is a plugin, SGLang's own registry puts the hook on; else `install` of the hook does.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from tests.adaptive.faults import Fault, commit
from tests.adaptive.feed import EndedError, Feed
from tests.adaptive.plugged import Relay, expect_hooked, is_plugin, plug_in
from tests.adaptive.releases import run_loop
from tests.adaptive.script import Script, random_script
from tests.adaptive.server import made_scheduler, open_release
from tests.adaptive.watch import Watch

PutOn = Callable[[Script], Callable[[], None]]  # has a script decide; what it returns ends that


def main(root: str, models: str, run: str, *seeds: str) -> None:
    """Run them all."""
    algorithm, variant, fault = (*run.split(":"), "", "")[:3] if run != "baseline" else (None, "", "")
    open_release(Path(root))
    if fault:
        commit(Fault(fault))
    relay = plug_in(variant) if variant and is_plugin() else None
    scheduler = made_scheduler(Path(root), Path(models), algorithm)
    put_on = _put_on(scheduler, variant, relay)
    for seed in map(int, seeds):
        print(json.dumps({"run": run, "seed": seed, **_answer(scheduler, seed, put_on)}), flush=True)


def _put_on(scheduler: Any, variant: str, relay: Relay | None) -> PutOn | None:
    """What has a script decide on the scheduler; None where the hook is not on it."""
    if relay is not None:
        expect_hooked(scheduler)
        return relay.put_on
    if variant:
        return partial(_installed, scheduler, variant)
    return None


def _answer(scheduler: Any, seed: int, put_on: PutOn | None) -> dict[str, Any]:
    started = time.monotonic()
    script = random_script(seed) if put_on else None
    undo = put_on(script) if put_on and script else _nothing
    watch, feed = Watch(scheduler), Feed(scheduler, seed, script)
    scheduler.recv_requests = feed.recv_requests
    scheduler.result_queue = ()
    with suppress(EndedError):
        run_loop(scheduler)
    leak = watch.leak()
    watch.end()
    feed.end()
    undo()
    return {
        "seconds": round(time.monotonic() - started, 1),
        "leak": leak,
        "problems": watch.problems,
        "early": watch.ended("stop"),
        "out": {name: list(request.output_ids_through_stop) for name, request in watch.requests.items()},
        **(_of_script(script, feed, watch) if script else {}),
    }


def _nothing() -> None:
    """Nothing was installed."""


def _installed(scheduler: Any, variant: str, script: Script) -> Callable[[], None]:
    from adaptive_disable.config import Variant
    from adaptive_disable.hook import install

    undo: Callable[[], None] = install(scheduler, script, Variant(variant))
    return undo


def _of_script(script: Script, feed: Feed, watch: Watch) -> dict[str, Any]:
    return {
        "decisions": "".join("+" if each else "-" for each in script.taken),
        "flips": script.n_flips(),
        "accepted": script.accepted,
        "aborted_off": feed.aborted in watch.ended("abort"),
        "retracted_off": feed.retracted_off,
        "early_off": watch.stopped_off,
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
