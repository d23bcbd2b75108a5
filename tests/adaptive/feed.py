"""Gives a scheduler the requests of a run, disturbs them while speculation is off, and counts what came of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

from tests.adaptive.releases import run_loop
from tests.adaptive.requests import planned, tokenized

MAX_PASSES = 600


class EndedError(Exception):
    """All requests have ended: leaves the scheduler's endless loop."""


class Course(Protocol):
    """What decides, or looks on."""

    def is_off(self) -> bool:
        """Whether the last step was off and the next one is."""


class Feed:
    """Stands for the queue of requests: asked in each pass of the scheduler's loop."""

    def __init__(self, scheduler: Any, seed: int, course: Course | None) -> None:
        self._scheduler, self._course = scheduler, course
        self._waiting = planned(seed)
        self._first = self._waiting[0].name
        self._pass = -1
        self._aborts = False
        self._retracted: Counter[bool] = Counter()  # requests, by whether speculation was off
        self._add_to_queue = scheduler._add_request_to_queue
        scheduler._add_request_to_queue = self._queued

    @property
    def retracted_off(self) -> int:
        """How many times a request was retracted while off, in this run."""
        return self._retracted[True]

    @property
    def aborted(self) -> str | None:
        """The request that the scheduler was told to abort, while off; None where there was no such time."""
        return self._first if self._aborts else None

    def recv_requests(self) -> list[Any]:
        """What arrives in this pass; raises `EndedError` when nothing is left to do."""
        self._pass += 1
        due = [request for request in self._waiting if request.arrives <= self._pass]
        self._waiting = [request for request in self._waiting if request.arrives > self._pass]
        if self._pass > MAX_PASSES or not (due or self._waiting or is_busy(self._scheduler)):
            raise EndedError
        return [tokenized(request) for request in due] + self._disturb()

    def end(self) -> None:
        """Count no longer."""
        del self._scheduler._add_request_to_queue

    def _is_off(self) -> bool:
        return self._course is not None and self._course.is_off()

    def _queued(self, request: Any, *given: Any, **named: Any) -> None:
        """Queue it as ever; SGLang says of a request that it takes from the running ones that it is retracted."""
        self._retracted[self._is_off()] += bool(named.get("is_retracted"))
        self._add_to_queue(request, *given, **named)

    def _disturb(self) -> list[Any]:
        """Once each, while speculation is off: a request is retracted; the first one is aborted, later."""
        from sglang.srt.managers import scheduler as module
        from sglang.srt.managers.io_struct import AbortReq

        off = self._is_off() and len(self._scheduler.running_batch.reqs) > 1
        module.TEST_RETRACT, module.TEST_RETRACT_INTERVAL = off and not self.retracted_off, 1
        if not (off and self.retracted_off) or self._aborts:
            return []
        self._aborts = True
        return [AbortReq(rid=self._first)]


def is_busy(scheduler: Any) -> bool:
    """Whether a scheduler has something to do, or to tell."""
    return bool(scheduler.waiting_queue or scheduler.result_queue or scheduler.running_batch.reqs or scheduler.last_batch)


def serve(scheduler: Any, requests: Sequence[Any]) -> None:
    """Run requests that arrive together to their end."""
    given = iter([list(requests)])

    def recv_requests() -> list[Any]:
        due = next(given, [])
        if not (due or is_busy(scheduler)):
            raise EndedError
        return due

    scheduler.recv_requests, scheduler.result_queue = recv_requests, ()
    with suppress(EndedError):
        run_loop(scheduler)
