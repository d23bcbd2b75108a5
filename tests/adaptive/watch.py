"""What must hold after every step, looked at in the scheduler itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.adaptive.releases import counting


class Watch:
    """Looks at each result that a scheduler processes; `problems` says in words what did not hold."""

    def __init__(self, scheduler: Any) -> None:
        self.problems: list[str] = []
        self.requests: dict[str, Any] = {}
        self.stopped_off = 0  # requests that a stop token ended, of an off step
        self._scheduler, self._counting = scheduler, counting()
        self._verified: Counter[str] = Counter()  # verify steps by request
        self._n_verified = 0  # of all requests, with those that have ended
        self._process = scheduler.process_batch_result
        scheduler.process_batch_result = self.process_batch_result
        self._n_counted = self._counted()
        self._n_free = scheduler.token_to_kv_pool_allocator.available_size()
        self._forget_draft_when_allocated()

    def process_batch_result(self, batch: Any, result: Any) -> None:
        """Process as ever, then look."""
        running = [request for request in batch.reqs if not (request.finished() or request.is_retracted)]
        off = getattr(result, "off_step", None) is not None
        verified = batch.forward_mode.is_decode() and not off
        self._process(batch, result)
        self._n_verified += verified * len(batch.reqs)
        for request in batch.reqs:
            self.requests[request.rid] = request
            self._verified[request.rid] += verified and (request in running or self._counting.ended)
        self.stopped_off += sum(off and _ended(request, "stop") for request in running)
        if not self._scheduler.spec_algorithm.is_none():
            for request in running:
                self._look(request)

    def end(self) -> None:
        """What must hold when nothing runs any more: no slot is lost, and each verify step was counted, and no other.

        Looks no longer, and empties the cache of prefixes.
        """
        self._expect(self.leak() == 0, f"{self.leak()} KV slots leaked")
        if not self._scheduler.spec_algorithm.is_none():
            self._look_at_counts()
        del self._scheduler.process_batch_result, self._scheduler.token_to_kv_pool_allocator.alloc
        assert self._scheduler.flush_cache()

    def leak(self) -> int:
        """Slots that are neither free nor in the cache of prefixes."""
        free = self._scheduler.token_to_kv_pool_allocator.available_size() + self._scheduler.tree_cache.total_size()
        return int(self._n_free - free)

    def ended(self, how: str) -> list[str]:
        """The requests that a stop token ended, or their length, or that were aborted: `stop`, `length`, `abort`."""
        return [name for name, request in self.requests.items() if _ended(request, how)]

    def _look_at_counts(self) -> None:
        for name, request in self.requests.items():
            found = request.spec_verify_ct
            self._expect(found == self._verified[name], f"{name}: spec_verify_ct is {found}, not {self._verified[name]}")
        found, wanted = self._counted() - self._n_counted, self._n_verified
        self._expect(found == wanted, f"the scheduler counts {found} verify steps, not {wanted}")

    def _counted(self) -> int:
        return int(self._scheduler.spec_total_num_forward_ct + self._scheduler.spec_num_forward_ct)

    def _look(self, request: Any) -> None:
        n_committed = len(request.origin_input_ids) + len(request.output_ids) - 1
        found, wanted = request.kv_committed_len, n_committed + self._claimed(request)
        self._expect(found == wanted, f"{request.rid}: kv_committed_len is {found}, not {wanted}")
        if not request.finished():
            holes = self._holes_of_draft(request, n_committed)
            self._expect(not holes, f"{request.rid}: no draft KV at {holes}")

    def _claimed(self, request: Any) -> int:
        """Slots that count as committed for the step that was launched already, while results are one step behind."""
        launched = self._scheduler.cur_batch
        is_decoded = launched is not None and launched.forward_mode.is_decode() and request in launched.reqs
        return self._counting.claimed if is_decoded else 0

    def _holes_of_draft(self, request: Any, n_committed: int) -> list[int]:
        """Committed positions whose slots the draft model has not written since they were allocated."""
        keys = self._keys_of_draft()
        if keys is None:
            return []
        slots = self._scheduler.req_to_token_pool.req_to_token[request.req_pool_idx, :n_committed]
        holes: list[int] = (keys[slots.long()].flatten(1).abs().sum(1) == 0).nonzero().flatten().tolist()
        return holes

    def _keys_of_draft(self) -> Any:
        if self._scheduler.spec_algorithm.is_none():
            return None
        return self._scheduler.draft_worker.draft_worker.draft_runner.token_to_kv_pool.get_key_buffer(0)

    def _forget_draft_when_allocated(self) -> None:
        """Slots that are allocated anew hold zeros in the draft's cache: what is not written shows."""
        allocator, keys = self._scheduler.token_to_kv_pool_allocator, self._keys_of_draft()
        original = allocator.alloc

        def alloc(n_slots: int) -> Any:
            slots = original(n_slots)
            if slots is not None and keys is not None:
                keys[slots.long()] = 0
            return slots

        allocator.alloc = alloc

    def _expect(self, holds: bool, problem: str) -> None:
        if not holds:
            self.problems.append(problem)


def _ended(request: Any, how: str) -> bool:
    reason = request.finished_reason
    return reason is not None and bool(reason.to_json()["type"] == how)
