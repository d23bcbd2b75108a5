"""The variants: how a step is made that does not speculate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adaptive_disable.config import Variant
from adaptive_disable.draft_in_step import DraftInStep
from adaptive_disable.dummy_draft import DummyDraft
from adaptive_disable.graphs import capture_one_token, capture_one_token_of, takes_one_token
from adaptive_disable.hook import OffSteps
from adaptive_disable.one_token import OneToken

if TYPE_CHECKING:
    from sglang.srt.speculative.eagle_worker_v2 import EagleDraftWorker, EAGLEWorkerV2


def off_steps(worker: EAGLEWorkerV2, variant: Variant) -> OffSteps:
    """The off steps of a worker, before anything is patched. Raises what the capture of CUDA graphs raises."""
    if variant is Variant.DUMMY_DRAFT:
        return DummyDraft(worker, worker.forward_batch_generation)
    return OneToken(worker, capture_one_token(worker), _in_step(worker.draft_worker))


def _in_step(drafts: EagleDraftWorker) -> DraftInStep:
    if takes_one_token(drafts):
        return DraftInStep(drafts, 1, capture_one_token_of(drafts))
    return DraftInStep(drafts, drafts.speculative_num_draft_tokens, drafts.cuda_graph_runner_for_draft_extend)
