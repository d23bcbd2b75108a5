"""Watches the scheduler's own bookkeeping: slots of the KV cache, committed lengths, and what happened while a step was off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sglang.srt.managers import schedule_batch, scheduler_output_processor_mixin
from sglang.srt.managers.io_struct import AbortReq


@dataclass(slots=True)
class Watched:
    """What was seen. `n_wrong_lengths` counts requests whose committed slots are not those of their tokens at their end."""

    n_released: int = 0
    n_wrong_lengths: int = 0
    n_retractions: int = 0
    n_retractions_off: int = 0
    n_aborts_off: int = 0


def watch(scheduler: Any, is_off: Callable[[], bool]) -> Watched:
    """Count from now on. The counts live in what is returned."""
    seen = Watched()
    release, retract = scheduler_output_processor_mixin.release_kv_cache, schedule_batch.ScheduleBatch.retract_decode
    handlers = scheduler._request_dispatcher._mapping
    abort = handlers[AbortReq]

    def release_kv_cache(request: Any, *more: Any, **named: Any) -> Any:
        seen.n_released += 1
        seen.n_wrong_lengths += request.kv_committed_len != len(request.origin_input_ids) + len(request.output_ids) - 1
        return release(request, *more, **named)

    def retract_decode(batch: Any, *more: Any) -> Any:
        seen.n_retractions += 1
        seen.n_retractions_off += is_off()
        return retract(batch, *more)

    def abort_request(request: Any) -> Any:
        seen.n_aborts_off += is_off()
        return abort(request)

    scheduler_output_processor_mixin.release_kv_cache = release_kv_cache
    schedule_batch.ScheduleBatch.retract_decode = retract_decode
    handlers[AbortReq] = abort_request
    return seen


def n_free(scheduler: Any) -> int:
    """Slots that are free, or held by the prefix cache alone."""
    cache = scheduler.tree_cache
    return int(scheduler.token_to_kv_pool_allocator.available_size() + cache.evictable_size() + cache.protected_size())
