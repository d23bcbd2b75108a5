"""Variant *one-token*: an off step is a real decode of one token a request, and the draft's KV cache is kept in step.

Shapes: B requests, D draft tokens a request (the root among them), H the width of the target's hidden states, L the
length of a request: its committed tokens, whose KV is written.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from sglang.srt.managers.scheduler import GenerationBatchResult
from sglang.srt.model_executor.forward_batch_info import CaptureHiddenMode
from sglang.srt.speculative.eagle_info import EagleDraftInput

from adaptive_disable.draft_in_step import DraftInStep, in_rows
from adaptive_disable.drafts import first_drafts

if TYPE_CHECKING:
    from sglang.srt.managers.schedule_batch import ModelWorkerBatch
    from sglang.srt.speculative.eagle_worker_v2 import EAGLEWorkerV2

Graphs = Any  # a CudaGraphRunner of one token a request, or None: the step then runs eagerly


class OneToken:
    """Off steps of one worker."""

    def __init__(self, worker: EAGLEWorkerV2, graphs: Graphs, draft: DraftInStep) -> None:
        self._worker = worker
        self._graphs = graphs
        self._draft = draft
        self._width: int = worker.speculative_num_draft_tokens

    def step(self, batch: ModelWorkerBatch) -> tuple[GenerationBatchResult, torch.Tensor]:
        """Decode one token for each request, and give it back in the form that a verify step has.

        `next_token_ids` is [B * D] with the token in front of each row of D, `accept_lens` is ones [B]. The batch is
        left as a verify step leaves it. No slot is allocated: position L has had one since `prepare_for_decode`.
        Beside it: how many of the tokens the draft had foreseen, [].
        """
        batch.seq_lens.record_stream(torch.get_device_module(batch.seq_lens.device).current_stream())
        slots = self._slots(batch)
        lengths, done = self._lengths_after(batch)
        with _graphs_of(self._worker.target_worker.model_runner, self._graphs):
            out = self._worker.target_worker.forward_batch_generation(_plain(batch, lengths, slots))
        foreseen = (first_drafts(batch, self._worker.draft_worker)[:, 0] == out.next_token_ids).sum()
        result = self._result(out, EagleDraftInput(new_seq_lens=lengths, verify_done=done))
        batch.out_cache_loc = slots[:, : self._draft.width].flatten()
        self._keep_draft_in_step(batch, result)
        result.next_token_ids = self._rows(result.next_draft_input.verified_id)
        # Nobody asks for the hidden states now (`stock_path`), and the scheduler would copy them to the host.
        result.logits_output = dataclasses.replace(result.logits_output, hidden_states=None)
        return result, foreseen.to("cpu", non_blocking=True)

    def _slots(self, batch: ModelWorkerBatch) -> torch.Tensor:
        """The KV slots of positions L to L + D - 1, [B, D] int64.

        Read as the step begins: the row of a request that has ended is given to another one while the step runs.
        """
        places = batch.seq_lens.unsqueeze(1) + torch.arange(self._width, device=batch.seq_lens.device)
        rows = batch.req_pool_indices.unsqueeze(1)
        return self._worker.req_to_token_pool.req_to_token[rows, places].to(torch.int64)

    def _lengths_after(self, batch: ModelWorkerBatch) -> tuple[torch.Tensor, Any]:
        """The lengths after the step, L + 1, and the event that the scheduler waits for before it reads them.

        They are known before the pass of the target: unlike after a verify step, the scheduler can prepare the next
        step while this one runs.
        """
        lengths = batch.seq_lens + 1
        done = torch.get_device_module(lengths.device).Event()
        done.record()
        return lengths, done

    def _result(self, out: GenerationBatchResult, following: EagleDraftInput) -> GenerationBatchResult:
        """The outcome of the plain step, as wide as the draft takes it in."""
        following.verified_id = out.next_token_ids.to(torch.int32)
        hidden = self._draft.rows(out.logits_output.hidden_states)
        return GenerationBatchResult(
            logits_output=dataclasses.replace(out.logits_output, hidden_states=hidden),
            next_token_ids=self._draft.rows(following.verified_id),
            accept_lens=torch.ones_like(following.verified_id),
            can_run_cuda_graph=out.can_run_cuda_graph,
            expert_distribution_metrics=out.expert_distribution_metrics,
            next_draft_input=following,
        )

    def _rows(self, tokens: torch.Tensor) -> torch.Tensor:
        """Each token at the start of a row of D, [B] to [B * D]; the rest of a row is zero, and never read."""
        return in_rows(tokens, self._width)

    def _keep_draft_in_step(self, batch: ModelWorkerBatch, result: GenerationBatchResult) -> None:
        """Write the draft's KV of position L, and fill in what the next draft starts from."""
        self._draft.take_in(batch, result)


def _plain(batch: ModelWorkerBatch, lengths: torch.Tensor, slots: torch.Tensor) -> ModelWorkerBatch:
    """The batch of a decode step without speculation: token L of each request.

    `spec_info` must be None: attention backends take a decode step with one for a step of the draft. `lengths` count
    the token that is decoded, as they do without speculation; the given batch's tensors stay as they are.
    """
    plain = copy.copy(batch)
    plain.spec_info = None
    plain.input_ids = batch.spec_info.verified_id.to(torch.int64)
    plain.seq_lens = lengths
    plain.seq_lens_cpu = batch.seq_lens_cpu + 1
    plain.seq_lens_sum = batch.seq_lens_sum + len(lengths)
    plain.out_cache_loc = slots[:, 0].contiguous()
    plain.capture_hidden_mode = CaptureHiddenMode.FULL
    return plain


@contextmanager
def _graphs_of(runner: Any, graphs: Graphs) -> Iterator[None]:
    """Have a model runner replay these graphs, or none, for a while: its own ones verify D tokens a request."""
    kept = runner.graph_runner
    runner.graph_runner = graphs
    try:
        yield
    finally:
        runner.graph_runner = kept
