"""Puts the emitted hook on a scheduler, and, where a scenario says so, makes it wrong or slower on purpose."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from adaptive_disable import config as settings
from adaptive_disable.assembly import controller_for
from adaptive_disable.calibration import costs_of
from adaptive_disable.compatibility import check
from adaptive_disable.draft_in_step import DraftInStep
from adaptive_disable.hook import install

from benchmarks.gpu.asked import Ablated, Stage
from benchmarks.gpu.scenarios import Fault, Kind, Scenario, Variant
from benchmarks.gpu.steering import Steered

Batch = Any
Result = Any


@dataclass(frozen=True, slots=True)
class Hooked:
    """A scheduler with the hook on. `seconds`: to capture graphs, and to measure step times."""

    steered: Steered
    table: Any
    seconds: tuple[float, float]
    ablate: Callable[[Ablated | None], None]

    def begin(self, stage: Stage) -> None:
        """A stage begins."""
        self.ablate(stage.steering if isinstance(stage.steering, Ablated) else None)
        self.steered.begin(stage)

    def round(self, n_running: int) -> None:
        """A round of the loop begins: nothing to do."""

    def told(self) -> dict[str, Any]:
        """What the hook found out, as JSON has it."""
        captured, measured = self.seconds
        table = self.table.as_json() if self.table is not None else None
        return {"capture_seconds": captured, "calibration_seconds": measured, "table": table}


def put_on(scheduler: Any, scenario: Scenario, variant: Variant, log: Path) -> Hooked:
    """Put the hook on a scheduler that is set up and does not serve yet. Where throughput matters, step times are measured first,
    and the policy's decisions are logged. Raises what the package raises: `BindingMoved` first.
    """
    check()
    start = time.perf_counter()
    longest = scheduler.server_args.speculative_num_draft_tokens
    config = settings.HookConfig(enabled=True, log=log)
    table = costs_of(scheduler, config) if scenario.kind is Kind.THROUGHPUT else None
    measured = time.perf_counter()
    steered = Steered(lambda: controller_for(config, longest, table))
    install(scheduler, steered, settings.Variant(variant.value))
    captured = time.perf_counter()
    off = scheduler.model_worker.forward_batch_generation.__self__._off
    if scenario.fault is not None:
        _spoil(scheduler.model_worker, off, scenario.fault)
    return Hooked(steered, table, (captured - measured, measured - start), _switch(off))


def _spoil(worker: Any, off: Any, fault: Fault) -> None:
    """Make every off step wrong."""
    step = worker.forward_batch_generation

    def forward_batch_generation(batch: Batch) -> Result:
        before = batch.spec_info
        result = step(batch)
        if hasattr(result, "off_step") and fault is Fault.PACKED:
            _pack(result, len(batch.seq_lens))
        if hasattr(result, "off_step") and fault is Fault.STALE:
            result.next_draft_input.verified_id = before.verified_id
        return result

    worker.forward_batch_generation = forward_batch_generation
    if fault is Fault.STALE:
        off._keep_draft_in_step = _leave_draft


def _pack(result: Result, n_requests: int) -> None:
    """Tokens one behind the other, as a decode without speculation gives them."""
    stride = len(result.next_token_ids) // n_requests
    packed = torch.zeros_like(result.next_token_ids)
    packed[:n_requests] = result.next_token_ids[::stride]
    result.next_token_ids = packed


def _leave_draft(batch: Batch, result: Result) -> None:
    """The next draft starts from where the last one did; no KV is written."""
    kept, following = batch.spec_info, result.next_draft_input
    following.topk_p, following.topk_index, following.hidden_states = kept.topk_p, kept.topk_index, kept.hidden_states


def _switch(off: Any) -> Callable[[Ablated | None], None]:
    """What replaces parts of the variant for a stage, and puts them back."""
    kept = dict(vars(off))

    def ablate(way: Ablated | None) -> None:
        vars(off).update(kept)
        for name in set(vars(off)) - set(kept):
            delattr(off, name)
        if way is not None:
            vars(off).update(_ABLATIONS[way](off))

    return ablate


def _waiting(off: Any) -> dict[str, Any]:
    """The result carries the event that the scheduler waits for, as a verify step's does: after sampling."""

    def waiting(batch: Batch, result: Result) -> None:
        result.next_draft_input.verify_done = torch.cuda.Event()
        result.next_draft_input.verify_done.record()
        type(off)._keep_draft_in_step(off, batch, result)

    return {"_keep_draft_in_step": waiting}


def _wide(off: Any) -> dict[str, Any]:
    drafts = off._worker.draft_worker
    return {"_draft": DraftInStep(drafts, off._width, drafts.cuda_graph_runner_for_draft_extend)}


def _draft_left(_off: Any) -> dict[str, Any]:
    return {"_keep_draft_in_step": _leave_draft}


def _copying(off: Any) -> dict[str, Any]:
    """The result carries as many hidden states as a verify step's."""
    width, step = off._width, type(off).step

    def copying(batch: Batch) -> tuple[Result, torch.Tensor]:
        hidden = batch.spec_info.hidden_states
        rows = hidden.new_zeros((len(hidden) * width, hidden.shape[-1]))
        result, foreseen = step(off, batch)
        result.logits_output.hidden_states = rows
        return result, foreseen

    return {"step": copying}


_ABLATIONS = {
    Ablated.WAITING: _waiting,
    Ablated.DRAFT_LEFT: _draft_left,
    Ablated.WIDE: _wide,
    Ablated.COPYING: _copying,
}
