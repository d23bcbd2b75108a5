"""Takes the place of the scheduler's sockets: hands it the requests of the stages and takes in what it answers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

import zmq
from sglang.srt.managers.io_struct import AbortReq, TokenizedGenerateReqInput
from sglang.srt.sampling.sampling_params import SamplingParams

from benchmarks.gpu.asked import Abort, Late, Prompt, Stage
from benchmarks.gpu.seen import Answer, Round, Timing

QUIET_ROUNDS = 3  # of the loop between two stages: the scheduler checks its memory in them


class AllAnsweredError(BaseException):
    """Ends the scheduler's loop: it has no other end. No error of the scheduler's own handlers."""


class Watcher(Protocol):
    """Is told how far the stages are."""

    def begin(self, stage: Stage) -> None:
        """A stage begins: its requests are about to be sent."""

    def round(self, n_running: int) -> None:
        """A round of the scheduler's loop begins."""


class Feed:
    """The requests of some stages, in order."""

    def __init__(self, stages: Sequence[Stage], scheduler: Any, watchers: Sequence[Watcher]) -> None:
        self.stages = deque(stages)
        self.scheduler = scheduler
        self.watchers = watchers
        self.stage: Stage | None = None
        self.waiting: deque[Any] = deque()
        self.due: list[Late | Abort] = []
        self.open: set[str] = set()
        self.answers: dict[str, Answer] = {}
        self.timings: list[Timing] = []
        self.rounds: list[Round] = []
        self.n_quiet = 0
        self.n_sent = 0

    def receive(self) -> Any:
        """The next request. Raises zmq.ZMQError where there is none in this round, AllAnsweredError after the last."""
        if not self.waiting:
            self._next_round()
        if not self.waiting:
            raise zmq.ZMQError(zmq.EAGAIN)
        return self.waiting.popleft()

    def _next_round(self) -> None:
        self.rounds.append(Round(time.perf_counter(), len(self.scheduler.running_batch.reqs)))
        for watcher in self.watchers:
            watcher.round(self.rounds[-1].n_running)
        for event in [event for event in self.due if event.after <= len(self.rounds) - self.timings[-1].first_round]:
            self.due.remove(event)
            self._happen(event)
        busy = self.open or self.waiting or self.due
        self.n_quiet = 0 if busy else self.n_quiet + 1
        if self.n_quiet > QUIET_ROUNDS:
            self._next_stage()

    def _next_stage(self) -> None:
        if not self.stages:
            raise AllAnsweredError
        self.n_quiet = self.n_sent = 0
        self.stage = self.stages.popleft()
        for watcher in self.watchers:
            watcher.begin(self.stage)
        self.timings.append(Timing(self.stage.name, time.perf_counter(), len(self.rounds)))
        self.due = [*self.stage.late, *self.stage.aborts]
        for prompt in self.stage.prompts:
            self._send(prompt)

    def _happen(self, event: Late | Abort) -> None:
        match event:
            case Late(prompt=prompt):
                self._send(prompt)
            case Abort(place=place):
                self.waiting.append(AbortReq(rid=f"{self.timings[-1].name}/{place}"))

    def _send(self, prompt: Prompt) -> None:
        name = self.timings[-1].name
        identity = f"{name}/{self.n_sent}"
        self.n_sent += 1
        self.answers[identity] = Answer(prompt, name)
        self.open.add(identity)
        self.waiting.append(_request(identity, prompt))

    def take(self, output: Any) -> None:
        """Keep what the scheduler sends: tokens of a batch, or that a request was aborted."""
        kind = type(output).__name__
        if kind == "AbortReq":
            self._end(output.rid, "aborted")
        elif kind.startswith("BatchTokenID"):
            for place, identity in enumerate(output.rids):
                self._take_tokens(output, place, self.answers[identity], identity)

    def _take_tokens(self, output: Any, place: int, answer: Answer, identity: str) -> None:
        answer.tokens.extend((output.output_ids or [[]] * len(output.rids))[place])
        reason = output.finished_reasons[place]
        if reason is None:
            return
        answer.n_retracted = _of_row(output, "retraction_counts", place)
        answer.verify_steps = _of_row(output, "spec_verify_ct", place)
        self._end(identity, str(reason["type"] if isinstance(reason, dict) else reason))

    def _end(self, identity: str, why: str) -> None:
        if identity in self.open:
            self.open.remove(identity)
            self.answers[identity].ended = why
            self.timings[-1].answered = time.perf_counter()


def _of_row(output: Any, name: str, place: int) -> int:
    column = getattr(output, name, None) or []
    return int(column[place]) if place < len(column) else 0


def _request(identity: str, prompt: Prompt) -> Any:
    sampling = SamplingParams(max_new_tokens=prompt.n_tokens, temperature=prompt.temperature, ignore_eos=True)
    sampling.normalize(None)
    words = prompt.words()
    return TokenizedGenerateReqInput(
        rid=identity,
        input_text="",
        input_ids=words,
        mm_inputs=None,
        sampling_params=sampling,
        return_logprob=False,
        logprob_start_len=len(words) - 1,
        top_logprobs_num=0,
        token_ids_logprob=None,
        stream=False,
    )


class Incoming:
    """The socket that requests come in by."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed

    def recv_pyobj(self, _flags: int = 0) -> Any:
        """The next request."""
        return self.feed.receive()


class Silent:
    """A socket that nothing comes in by."""

    def recv_pyobj(self, _flags: int = 0) -> Any:
        """Nothing, ever."""
        raise zmq.ZMQError(zmq.EAGAIN)


class Outgoing:
    """The socket that answers go out by."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed

    def send_pyobj(self, output: Any, _flags: int = 0) -> None:
        """Keep an answer."""
        self.feed.take(output)
