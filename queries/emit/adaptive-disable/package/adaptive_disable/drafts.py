"""What the draft model has said of the next token before a step begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from sglang.srt.managers.schedule_batch import ModelWorkerBatch
    from sglang.srt.speculative.eagle_worker_v2 import EagleDraftWorker


def first_drafts(batch: ModelWorkerBatch, drafts: EagleDraftWorker) -> torch.Tensor:
    """The first draft token of each of B requests, as tokens of the target: [B, 1] int64.

    The last pass of the draft model chose them, in the step before: they cost nothing now. A draft with a vocabulary of
    its own counts in that.
    """
    chosen = batch.spec_info.topk_index
    return chosen if drafts.hot_token_id is None else drafts.hot_token_id[chosen]
