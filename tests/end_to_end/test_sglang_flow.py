"""Where values go in SGLang 0.5.9, asked of the real command."""

from __future__ import annotations

import re
from collections.abc import Callable

ITERATION = "(the next iteration)"


def in_order(text: str, *parts: str) -> bool:
    """Whether a text holds all of these, in this order."""
    return re.search(".*?".join(map(re.escape, parts)), text, re.DOTALL) is not None


def test_the_acceptance_count_from_the_kernel_to_the_committed_length(ask: Callable[..., str]) -> None:
    """Through the field, its copy to the CPU, the queue of the overlapped loop, and the resolution one iteration later."""
    said = ask("flow", "eagle_info_v2.py:297:accept_length", "Req.kv_committed_len", "--limit", "1")
    chain = (
        "EagleVerifyInputV2Mixin.sample",
        "accept_length.add_(1)",
        "EAGLEWorkerV2.verify",
        "accept_lens=accept_length",
        "batch_result.copy_to_cpu",
        "GenerationBatchResult.copy_to_cpu  .to()",
        "self.result_queue.append",
        ITERATION,
        "self.result_queue.popleft()",
        "SchedulerOutputProcessorMixin._resolve_spec_overlap_token_ids  .tolist()",
        "req.kv_committed_len += accept_lens[i]",
    )
    assert in_order(said, *chain)


def test_the_first_version_counts_on_its_own(ask: Callable[..., str]) -> None:
    """Its count is added where it is made, and reaches the metrics without the copy and the resolution."""
    said = ask("flow", "eagle_info.py:401:num_accepted", "Req.kv_committed_len", "--limit", "1")
    assert in_order(said, "EagleVerifyInput.verify", "req.kv_committed_len += num_accepted")
    metrics = ask("flow", "eagle_info.py:264:accept_length", "SchedulerMetricsMixin.spec_num_accepted_tokens", "--limit", "1")
    assert in_order(metrics, "EagleVerifyInput.verify", "EAGLEWorker.forward_batch_generation", "update_spec_metrics")
    assert "copy_to_cpu" not in said + metrics


def test_the_draft_input_is_followed_into_the_next_draft(ask: Callable[..., str]) -> None:
    """What `verify` makes is what `draft` takes one iteration later."""
    said = ask("flow", "eagle_worker_v2.py:804:next_draft_input", "eagle_worker_v2.py:303:draft_input", "--limit", "1")
    assert in_order(
        said, "EAGLEWorkerV2.verify", "batch.spec_info = batch_result.next_draft_input", ITERATION, "EagleDraftWorker.draft"
    )


def test_a_value_does_not_reach_what_only_bears_its_name(ask: Callable[..., str]) -> None:
    """Everything that the field reaches first is loaded from an object of its class."""
    lines = ask("impact", "GenerationBatchResult.accept_lens", "--limit", "3", "--format", "lines").splitlines()
    assert len(lines) == 3
    assert all(".accept_lens" in line for line in lines)
