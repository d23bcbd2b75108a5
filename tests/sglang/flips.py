"""Switches drafting of SGLang 0.5.9's second EAGLE worker off and on between decode steps, by a policy: a check, no pattern.

Off means that each request verifies its root alone. The stride travels with the result: the decoder, one step behind, would
otherwise read it off a worker that has changed since.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from sglang.srt.managers.scheduler_output_processor_mixin import SchedulerOutputProcessorMixin
from sglang.srt.model_executor.forward_batch_info import CaptureHiddenMode
from sglang.srt.speculative.eagle_info import EagleVerifyInput
from sglang.srt.speculative.eagle_worker_v2 import EAGLEWorkerV2

Policy = Callable[[int], int]  # the number of requests in a batch → the draft steps of its next decode step


def install_flips(policy: Policy) -> None:
    """Ask a policy before each decode step, from now on."""
    EAGLEWorkerV2.forward_batch_generation = _switched(EAGLEWorkerV2.forward_batch_generation, policy)
    SchedulerOutputProcessorMixin._resolve_spec_overlap_token_ids = _with_stride_of_result(
        SchedulerOutputProcessorMixin._resolve_spec_overlap_token_ids
    )


def _switched(original: Callable[..., Any], policy: Policy) -> Callable[..., Any]:
    def forward_batch_generation(self: Any, batch: Any) -> Any:
        drafting = True
        if not (batch.forward_mode.is_extend() or batch.is_extend_in_batch):
            _set_width(self, policy(len(batch.seq_lens)))
            drafting = self.speculative_num_steps > 0
        result = original(self, batch) if drafting else _verify_root(self, batch)
        result.speculative_num_draft_tokens = self.speculative_num_draft_tokens
        return result

    return forward_batch_generation


def _with_stride_of_result(original: Callable[..., Any]) -> Callable[..., Any]:
    def resolve(self: Any, result: Any, batch: Any) -> Any:
        worker = self.draft_worker
        self.draft_worker = SimpleNamespace(speculative_num_draft_tokens=result.speculative_num_draft_tokens)
        try:
            return original(self, result, batch)
        finally:
            self.draft_worker = worker

    return resolve


def _set_width(worker: Any, steps: int) -> None:
    width = steps + 1
    if worker.speculative_num_draft_tokens == width:
        return
    drafts = worker._draft_worker
    for owner in (worker, drafts):
        owner.speculative_num_steps, owner.speculative_num_draft_tokens = steps, width
    backends = (
        worker.target_worker.model_runner.attn_backend,
        drafts.draft_runner.attn_backend,
        getattr(drafts, "draft_extend_attn_backend", None),
    )
    for backend in backends:
        if backend is not None and hasattr(backend, "num_draft_tokens"):
            backend.num_draft_tokens = width


def _verify_root(worker: Any, batch: Any) -> Any:
    batch.spec_info = _root_alone(worker, batch)
    result = worker.verify(batch)
    worker.draft_worker._draft_extend_for_decode(batch, result)
    return result


def _root_alone(worker: Any, batch: Any) -> Any:
    """What the target verifies when nothing was drafted. Shapes: B requests; links [B, 1], mask [sum of lengths + B]."""
    n_requests, device = len(batch.seq_lens), batch.seq_lens.device
    nothing = torch.full((n_requests, 1), -1, dtype=torch.long, device=device)
    return EagleVerifyInput(
        draft_token=batch.spec_info.verified_id.to(torch.int64),
        custom_mask=torch.ones(int(batch.seq_lens.sum()) + n_requests, dtype=torch.bool, device=device),
        positions=batch.seq_lens.to(torch.int64),
        retrive_index=torch.arange(n_requests, device=device, dtype=torch.long).unsqueeze(1),
        retrive_next_token=nothing,
        retrive_next_sibling=nothing.clone(),
        retrive_cum_len=None,
        spec_steps=0,
        topk=worker.topk,
        draft_token_num=1,
        capture_hidden_mode=CaptureHiddenMode.FULL,
        seq_lens_sum=None,
        seq_lens_cpu=None,
    )
