"""Variant *dummy-draft*: an off step verifies a draft that costs nothing.

The smallest patch: it replaces `EagleDraftWorker.draft` alone. The first draft token comes with the step before, which
ran the draft model for it; the others repeat it. Verification is exact for any draft, so the output is right whatever
they are. Saved are the passes of the draft model after the first; the target still verifies D tokens a request, and
with one draft step nothing is saved.

Shapes: B requests, S draft steps, D = S + 1 draft tokens a request (the root among them). Top-k is 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from sglang.srt.speculative.eagle_info import EagleVerifyInput
from sglang.srt.speculative.eagle_utils import build_tree_kernel_efficient

from adaptive_disable.drafts import first_drafts

if TYPE_CHECKING:
    from sglang.srt.managers.schedule_batch import ModelWorkerBatch
    from sglang.srt.managers.scheduler import GenerationBatchResult
    from sglang.srt.speculative.eagle_worker_v2 import EagleDraftWorker, EAGLEWorkerV2

Step = Callable[["ModelWorkerBatch"], "GenerationBatchResult"]


class DummyDraft:
    """Off steps of one worker: its own step, with another draft."""

    def __init__(self, worker: EAGLEWorkerV2, own_step: Step) -> None:
        self._drafts: EagleDraftWorker = worker.draft_worker
        self._own_step = own_step

    def step(self, batch: ModelWorkerBatch) -> tuple[GenerationBatchResult, torch.Tensor]:
        """The worker's own step, drafting replaced while it runs. Beside it: how many first drafts were right, []."""
        self._drafts.draft = self._draft
        try:
            result = self._own_step(batch)
        finally:
            del self._drafts.draft
        return result, (result.accept_lens > 1).sum().to("cpu", non_blocking=True)

    def _draft(self, batch: ModelWorkerBatch) -> EagleVerifyInput:
        """What the target is to verify: a chain of D tokens a request, made without a pass of the draft model."""
        drafts, draft_input = self._drafts, batch.spec_info
        backend = drafts.target_worker.model_runner.attn_backend
        mask_buffer, position_buffer = backend.get_verify_buffers_to_fill_after_draft()
        parents, chosen, tokens = _chain(first_drafts(batch, drafts), drafts.speculative_num_steps)
        mask, positions, index, next_token, next_sibling, tokens = build_tree_kernel_efficient(
            draft_input.verified_id,
            parents,
            chosen,
            tokens,
            batch.seq_lens,
            batch.seq_lens_sum,
            drafts.topk,
            drafts.speculative_num_steps,
            drafts.speculative_num_draft_tokens,
            drafts.tree_mask_mode,
            mask_buffer,
            position_buffer,
        )
        return EagleVerifyInput(
            draft_token=tokens,
            custom_mask=mask,
            positions=positions,
            retrive_index=index,
            retrive_next_token=next_token,
            retrive_next_sibling=next_sibling,
            retrive_cum_len=None,
            spec_steps=drafts.speculative_num_steps,
            topk=drafts.topk,
            draft_token_num=drafts.speculative_num_draft_tokens,
            capture_hidden_mode=None,
            seq_lens_sum=None,
            seq_lens_cpu=None,
        )


def _chain(first: torch.Tensor, n_steps: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(parents [B, S], places of the chosen [B, S], tokens [B, S]) of a draft that has no branches.

    In the form in which S steps of top-k 1 give them. A parent is the place of the token before, -1 for the root; with
    one step there are none: [B, 0].
    """
    n_requests, device = len(first), first.device
    places = torch.arange(n_steps, dtype=torch.int64, device=device).repeat(n_requests, 1)
    parents = places - 1 if n_steps > 1 else places[:, :0]
    return parents, places, first.repeat(1, n_steps)
