"""One of two schedulers that hold half of a model each.

    python -m tests.adaptive.parallel ROOT MODELS PORT RANK ALGORITHM TRIAL…

Both are started with the same arguments, but for RANK, and meet at PORT; rank 0 gets the requests, and SGLang hands them to
rank 1. ALGORITHM is `none` where nothing speculates. A TRIAL is SEED, without the hook, or SEED:VARIANT:APART, where APART is
how rank 1 would decide otherwise (`tests.adaptive.apart`), or SEED:VARIANT:APART:alone, a fault: each rank does what it
decided itself. Prints a JSON line for each trial, as `tests.adaptive.run` does, of this rank. Ends with 1, and says where it
waits, when a pass of the loop takes a minute.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.adaptive.apart import APART, Shared
from tests.adaptive.feed import EndedError, Feed
from tests.adaptive.server import Rank, made_scheduler
from tests.adaptive.watch import Watch

N_RANKS = 2
SECONDS_A_PASS = 60  # of the loop: where the ranks do different things, they wait for each other for ever


@dataclass(frozen=True, slots=True)
class Pass:
    """What rank 0 sends to all along with the requests of a pass of the loop."""

    retracts: bool
    ended: bool = False


class Source:
    """Stands for rank 0's socket: SGLang reads it in each pass, and hands what comes to all ranks."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._left: list[Any] = []
        self._begun = False

    def recv_pyobj(self, _flags: int) -> Any:
        """The next object of this pass. Raises `ZMQError` behind the last one."""
        import zmq

        if not self._begun:
            self._begun, self._left = True, self._passed()
        if self._left:
            return self._left.pop(0)
        self._begun = False
        raise zmq.ZMQError

    def _passed(self) -> list[Any]:
        from sglang.srt.managers import scheduler as module

        try:
            requests = self._feed.recv_requests()
        except EndedError:
            return [Pass(retracts=False, ended=True)]
        return [*requests, Pass(module.TEST_RETRACT)]


def main(root: str, models: str, port: str, rank: str, algorithm: str, *trials: str) -> None:
    """Run them all on one pair of schedulers."""
    os.environ["SGLANG_CPU_OMP_THREADS_BIND"] = "|".join(N_RANKS * "0")  # named: else each rank wants a NUMA node of its own
    here = Rank(int(rank), N_RANKS, int(port))
    scheduler = made_scheduler(Path(root), Path(models), None if algorithm == "none" else algorithm, here)
    for trial in trials:
        seed, variant, apart, fault = (*trial.split(":"), "", "", "")[:4]
        shared = Shared(alone=bool(fault))
        undo = APART[apart](scheduler, int(seed), variant, shared) if apart else lambda: None
        answer = {"trial": trial, "rank": here.number, "seed": int(seed), **_answer(scheduler, int(seed), shared, undo)}
        print(json.dumps(answer), flush=True)


def _answer(scheduler: Any, seed: int, shared: Shared, undo: Callable[[], None]) -> dict[str, Any]:
    watch, feed = Watch(scheduler), Feed(scheduler, seed, shared)
    with _fed(scheduler, feed), _recorded(scheduler) as steps, suppress(EndedError):
        scheduler.event_loop_overlap()
    leak = watch.leak()
    watch.end()
    feed.end()
    undo()
    return {
        "leak": leak,
        "problems": watch.problems,
        "early": watch.ended("stop"),
        "out": {name: list(request.output_ids_through_stop) for name, request in watch.requests.items()},
        "decisions": "".join(steps),
        "flips": sum(before != after for before, after in pairwise(steps)),
        "own": "".join("+" if each else "-" for each in shared.own),
        "aborted_off": feed.aborted in watch.ended("abort"),
        "retracted_off": feed.retracted_off,
        "early_off": watch.stopped_off,
    }


@contextmanager
def _fed(scheduler: Any, feed: Feed) -> Iterator[None]:
    """Rank 0 is given what the feed has, by way of SGLang's own broadcast; retractions are asked for on all ranks."""
    from sglang.srt.managers import scheduler as module

    receive = scheduler.recv_requests
    module.unwrap_shm_features = lambda request: request  # of images: to ask whether there are any needs a server's packages

    def recv_requests() -> list[Any]:
        faulthandler.dump_traceback_later(SECONDS_A_PASS, exit=True)
        requests: list[Any] = receive()
        passed = requests.pop()
        if passed.ended:
            raise EndedError
        module.TEST_RETRACT, module.TEST_RETRACT_INTERVAL = passed.retracts, 1
        return requests

    with _put(scheduler, "recv_from_tokenizer", Source(feed)), _put(scheduler, "recv_requests", recv_requests):
        scheduler.result_queue = ()
        yield
    faulthandler.cancel_dump_traceback_later()


@contextmanager
def _recorded(scheduler: Any) -> Iterator[list[str]]:
    """A sign for each decode step that the worker made: `-` an off step, `+` another one."""
    steps: list[str] = []
    step = scheduler.model_worker.forward_batch_generation

    def forward_batch_generation(batch: Any) -> Any:
        decodes = batch.forward_mode.is_decode()
        result = step(batch)
        if decodes:
            steps.append("-" if getattr(result, "off_step", None) is not None else "+")
        return result

    with _put(scheduler.model_worker, "forward_batch_generation", forward_batch_generation):
        yield steps


@contextmanager
def _put(owner: Any, name: str, value: Any) -> Iterator[None]:
    from adaptive_disable.hook import put

    with ExitStack() as undo:
        put(undo, owner, name, value)
        yield


if __name__ == "__main__":
    main(*sys.argv[1:])
