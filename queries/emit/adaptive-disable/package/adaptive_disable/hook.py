"""The hook: asks the controller before the draft of each decode step, and runs the step on or off.

It is put on the instances of one scheduler process, not on classes: other workers are not touched, and taking it off
again leaves nothing behind. SGLang is not imported here: what needs it stands in `variants`.

Shapes: B requests, D draft tokens a request (the root among them).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from adaptive_disable.config import Variant
from adaptive_disable.stock_path import is_decode_step, stock_batch_because, stock_server_because

if TYPE_CHECKING:
    import torch
    from sglang.srt.managers.schedule_batch import ModelWorkerBatch, Req, ScheduleBatch
    from sglang.srt.managers.scheduler import GenerationBatchResult, Scheduler

Step = Callable[["ModelWorkerBatch"], "GenerationBatchResult"]

logger = logging.getLogger(__name__)


class Decided(Protocol):
    """A decision for one step."""

    @property
    def speculate(self) -> bool:
        """Whether to draft and verify."""


class Controller(Protocol):
    """What the hook asks and tells."""

    def decide(self, batch_size: int, queue_length: int) -> Decided:
        """Whether the next decode step speculates. Asked once a step."""

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        """How many tokens an on step gave each request, bonus token included. Told when its result is processed."""

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        """An off step of so many requests was processed; the draft had foreseen the token of `foreseen` of them."""


class OffSteps(Protocol):
    """A variant."""

    def step(self, batch: ModelWorkerBatch) -> tuple[GenerationBatchResult, torch.Tensor]:
        """Run an off step.

        Its result has rows of D tokens, those accepted in front. Beside it: for how many requests the draft had
        foreseen the next token, [] int64 on the host once the result's `copy_done` is.
        """


@dataclass(frozen=True, slots=True)
class OffStep:
    """Carried by the result of an off step, as `result.off_step`: the result is read one step after it was made."""

    stride: int  # tokens a row of `next_token_ids`: D
    foreseen: torch.Tensor  # [] int64


class Hook:
    """Stands in for four methods of one scheduler and its worker; its methods have their names."""

    def __init__(self, scheduler: Scheduler, controller: Controller, off: OffSteps) -> None:
        self._scheduler, self._controller, self._off = scheduler, controller, off
        self._stock_step: Step = scheduler.model_worker.forward_batch_generation
        self._stock_resolve = scheduler._resolve_spec_overlap_token_ids
        self._stock_count = scheduler.update_spec_metrics
        self._stock_log = scheduler.log_decode_stats
        self._said: set[str] = set()
        self._is_off_result = False

    def forward_batch_generation(self, batch: ModelWorkerBatch) -> GenerationBatchResult:
        """Run the step of a batch: prefill and idle ones as ever, decode steps as decided."""
        if not is_decode_step(batch) or self._stays_stock(batch) or self._speculates(batch):
            return self._stock_step(batch)
        stride = self._scheduler.model_worker.speculative_num_draft_tokens
        result, foreseen = self._off.step(batch)
        result.off_step = OffStep(stride, foreseen)
        return result

    def _stays_stock(self, batch: ModelWorkerBatch) -> bool:
        reason = stock_batch_because(batch)
        if reason is not None and reason not in self._said:
            self._said.add(reason)
            logger.warning("adaptive-disable: such steps speculate as ever: %s", reason)
        return reason is not None

    def _speculates(self, batch: ModelWorkerBatch) -> bool:
        return self._controller.decide(len(batch.seq_lens), len(self._scheduler.waiting_queue)).speculate

    def _resolve_spec_overlap_token_ids(self, result: GenerationBatchResult, batch: ScheduleBatch) -> list[list[int]]:
        """The accepted tokens of each request, one step after they were made; the controller is told how many."""
        off = getattr(result, "off_step", None)
        if off is None:
            tokens: list[list[int]] = self._stock_resolve(result, batch)
            accepted = [len(row) for req, row in zip(batch.reqs, tokens, strict=True) if _runs(req)]
            if accepted:
                self._controller.observe_speculated(accepted)
            return tokens
        self._is_off_result = True
        self._controller.observe_plain(len(batch.reqs), int(off.foreseen))
        return _resolved(off, result, batch)

    def update_spec_metrics(self, bs: int, num_accepted_tokens: int) -> None:
        """Count a verify step; called for each decode result right after it was resolved. An off step is none."""
        if not self._is_off_result:
            self._stock_count(bs, num_accepted_tokens)
        self._is_off_result = False

    def log_decode_stats(self, can_run_cuda_graph: bool, running_batch: ScheduleBatch | None = None) -> None:
        """Log as ever. Where nothing was verified since the last time, the accept length is 0, not a division by it."""
        if self._scheduler.spec_num_forward_ct:
            self._stock_log(can_run_cuda_graph, running_batch)
            return
        self._scheduler.spec_num_forward_ct = 1
        self._stock_log(can_run_cuda_graph, running_batch)
        self._scheduler.spec_total_num_forward_ct -= 1


def _runs(req: Req) -> bool:
    """Whether a request still takes tokens: one that ended is in the batch of one step more."""
    return not (req.finished() or req.is_retracted)


def _resolved(off: OffStep, result: GenerationBatchResult, batch: ScheduleBatch) -> list[list[int]]:
    """Cut the accepted tokens out of rows of the result's own stride, and count their KV slots as committed.

    As SGLang does it for a verify step, but for the counts of verify steps and of accepted drafts of a request.
    """
    tokens, lengths = result.next_token_ids.tolist(), result.accept_lens.tolist()
    result.num_accepted_tokens = sum(lengths) - len(lengths)
    result.accept_length_per_req_cpu = [length - 1 for length in lengths]
    rows = []
    for place, (req, length) in enumerate(zip(batch.reqs, lengths, strict=True)):
        req.kv_committed_len += length
        start = place * off.stride
        rows.append(tokens[start : start + length])
    return rows


def install(scheduler: Scheduler, controller: Controller, variant: Variant) -> Callable[[], None]:
    """Put the hook on a scheduler that is set up and has not begun to serve; returns what takes it off again.

    All or nothing: what can fail (the capture of graphs) fails before the first attribute is set. Nothing is put on a
    server none of whose steps can be switched off: the log says why.
    """
    reason = stock_server_because(scheduler)
    if reason is not None:
        logger.warning("adaptive-disable: not installed, all steps speculate as ever: %s", reason)
        return _nothing
    from adaptive_disable.variants import off_steps  # noqa: PLC0415 this alone needs SGLang

    worker = scheduler.model_worker
    hook = Hook(scheduler, controller, off_steps(worker, variant))
    with ExitStack() as undo:
        _put(undo, worker, "forward_batch_generation", hook.forward_batch_generation)
        for name in ("_resolve_spec_overlap_token_ids", "update_spec_metrics", "log_decode_stats"):
            _put(undo, scheduler, name, getattr(hook, name))
        installed = undo.pop_all()
    return installed.close


def _nothing() -> None:
    """Takes nothing off."""


def _put(undo: ExitStack, owner: Any, name: str, value: Any) -> None:
    """Set an attribute of an instance, to be taken off by `undo`; what another patch had put there comes back."""
    if name in vars(owner):
        undo.callback(setattr, owner, name, vars(owner)[name])
    else:
        undo.callback(delattr, owner, name)
    setattr(owner, name, value)
