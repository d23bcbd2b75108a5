"""Which steps must be left to SGLang as they are, and why: the reasons are said once each in the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adaptive_disable.of_release import PENALTIES, has_own_controller

if TYPE_CHECKING:
    from sglang.srt.managers.schedule_batch import ModelWorkerBatch
    from sglang.srt.managers.scheduler import Scheduler

_Asked = Callable[[Any], bool]

# Of the whole server: none of its steps may be switched off. The scheduler is asked, in this order.
_SERVER: tuple[tuple[str, _Asked], ...] = (
    ("it does not speculate", lambda scheduler: scheduler.spec_algorithm.is_none()),
    ("no overlap, so v1 speculates (set SGLANG_ENABLE_SPEC_V2=1)", lambda scheduler: not scheduler.enable_overlap),
    ("top-k is above 1", lambda scheduler: scheduler.server_args.speculative_eagle_topk != 1),
    ("multi-layer EAGLE", lambda scheduler: scheduler.server_args.enable_multi_layer_eagle),
    ("SGLang's own controller of draft steps (--speculative-adaptive)", has_own_controller),
    ("DP attention", lambda scheduler: scheduler.server_args.enable_dp_attention),
    ("pipeline parallelism", lambda scheduler: scheduler.server_args.pp_size > 1),
    ("two-batch overlap", lambda scheduler: scheduler.server_args.enable_two_batch_overlap),
    ("prefill and decode in two servers", lambda scheduler: scheduler.server_args.disaggregation_mode != "null"),
    ("LoRA", lambda scheduler: scheduler.server_args.enable_lora),
    ("layers with a state beside the KV cache", lambda scheduler: scheduler.is_hybrid_ssm),
    ("an encoder beside the decoder", lambda scheduler: scheduler.model_config.is_encoder_decoder),
    ("other input than text", lambda scheduler: scheduler.model_config.is_multimodal),
    ("hidden states may be asked for", lambda scheduler: scheduler.server_args.enable_return_hidden_states),
    ("a plan stream", lambda scheduler: scheduler.draft_worker.plan_stream is not None),
)

# Of one decode batch, which is asked. A verify step leaves all of these out of account and a plain step would not: what
# a request gets would change with every flip.
_BATCH: tuple[tuple[str, _Asked], ...] = (
    ("log probabilities are asked for", lambda batch: batch.return_logprob),
    ("penalties", lambda batch: _any_of(PENALTIES, batch.sampling_info)),
    ("a logit bias", lambda batch: batch.sampling_info.logit_bias is not None),
    ("min-p", lambda batch: batch.sampling_info.need_min_p_sampling),
    ("a custom logit processor", lambda batch: batch.sampling_info.has_custom_logit_processor),
)


def _any_of(fields: tuple[str, ...], owner: Any) -> bool:
    return any(getattr(owner, field) is not None for field in fields)


def stock_server_because(scheduler: Scheduler) -> str | None:
    """Why no step of this server may be switched off; None where steps may be."""
    return next((reason for reason, holds in _SERVER if holds(scheduler)), None)


def stock_batch_because(batch: ModelWorkerBatch) -> str | None:
    """Why this decode batch may not be switched off; None where it may be."""
    return next((reason for reason, holds in _BATCH if holds(batch)), None)


def is_decode_step(batch: ModelWorkerBatch) -> bool:
    """Whether the worker would draft and verify for this batch: no prefill, no mixed batch, and not idle."""
    mode = batch.forward_mode
    return mode.is_decode() and not batch.is_extend_in_batch and batch.spec_info is not None
