"""The variants: how a step is made that does not speculate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adaptive_disable.config import Variant
from adaptive_disable.dummy_draft import DummyDraft
from adaptive_disable.graphs import capture_one_token
from adaptive_disable.hook import OffSteps
from adaptive_disable.one_token import OneToken

if TYPE_CHECKING:
    from sglang.srt.speculative.eagle_worker_v2 import EAGLEWorkerV2


def off_steps(worker: EAGLEWorkerV2, variant: Variant) -> OffSteps:
    """The off steps of a worker, before anything is patched. Raises what the capture of CUDA graphs raises."""
    if variant is Variant.DUMMY_DRAFT:
        return DummyDraft(worker, worker.forward_batch_generation)
    return OneToken(worker, capture_one_token(worker))
