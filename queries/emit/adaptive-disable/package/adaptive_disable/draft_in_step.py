"""Keeps the draft model in step with a decode that it had no part in.

Shapes: B requests, W tokens a request that the draft model takes in, H the width of the target's hidden states.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sglang.srt.layers.moe.utils import speculative_moe_a2a_backend_context, speculative_moe_backend_context

if TYPE_CHECKING:
    import torch
    from sglang.srt.managers.schedule_batch import ModelWorkerBatch
    from sglang.srt.managers.scheduler import GenerationBatchResult
    from sglang.srt.speculative.eagle_worker_v2 import EagleDraftWorker

Graphs = Any  # an EAGLEDraftExtendCudaGraphRunner of W tokens a request, or None: the draft model then runs eagerly


class DraftInStep:
    """The draft's own pass over what was accepted, W tokens a request wide: 1, or D as after a verify step.

    One is what there is: W = 1 does a D-th of the work. Behind the first token of a wider row stands nothing that is
    kept: KV is written at L + 1 to L + W - 1, as for rejected drafts, and the next step overwrites it.
    """

    def __init__(self, drafts: EagleDraftWorker, width: int, graphs: Graphs) -> None:
        self._drafts, self.width, self._graphs = drafts, width, graphs

    def take_in(self, batch: ModelWorkerBatch, result: GenerationBatchResult) -> None:
        """Write the draft's KV of position L, and fill in what the next draft starts from.

        Of the result, `next_token_ids` [B * W] and the hidden states [B * W, H] are in rows of W, as are the batch's
        `out_cache_loc`; its `accept_lens` are ones.
        """
        drafts = self._drafts
        with (
            self._width_set(),
            drafts.draft_tp_context(drafts.draft_runner.tp_group),
            speculative_moe_backend_context(),
            speculative_moe_a2a_backend_context(),
        ):
            drafts._draft_extend_for_decode(batch, result)

    def rows(self, values: torch.Tensor) -> torch.Tensor:
        """Each value at the start of a row of W: [B, ...] to [B * W, ...]."""
        return in_rows(values, self.width)

    @contextmanager
    def _width_set(self) -> Iterator[None]:
        """The draft worker is W wide meanwhile. Nobody else reads its width: the scheduler reads the other worker's."""
        drafts = self._drafts
        kept = (
            drafts.speculative_num_draft_tokens,
            drafts.speculative_num_steps,
            drafts.cuda_graph_runner_for_draft_extend,
        )
        drafts.speculative_num_draft_tokens, drafts.speculative_num_steps = self.width, self.width - 1
        drafts.cuda_graph_runner_for_draft_extend = self._graphs
        try:
            yield
        finally:
            (
                drafts.speculative_num_draft_tokens,
                drafts.speculative_num_steps,
                drafts.cuda_graph_runner_for_draft_extend,
            ) = kept


def in_rows(values: torch.Tensor, width: int) -> torch.Tensor:
    """Each value at the start of a row, zeros behind it: [B, ...] to [B * width, ...]."""
    if width == 1:
        return values
    rows = values.new_zeros((len(values) * width, *values.shape[1:]))
    rows[::width] = values
    return rows
