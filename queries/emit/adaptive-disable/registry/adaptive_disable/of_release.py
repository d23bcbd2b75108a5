"""What has another name or form in other releases of SGLang: here as 0.5.11 has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sglang.srt.managers.scheduler import GenerationBatchResult

LOGS_STEPS = "report_decode_stats"
"""The method of the scheduler that logs what decode steps did; called for each of them."""
TREE = ("retrieve_index", "retrieve_next_token", "retrieve_next_sibling", "retrieve_cum_len")
"""The fields of `EagleVerifyInput` that hold the draft's tree: index, next token, next sibling, sums of lengths."""
CLAIMED = 1
"""Tokens of a request whose KV slots count as committed before its decode step is: `prepare_for_decode` claims one."""
PENALTIES = ("acc_additive_penalties", "acc_scaling_penalties")
"""Fields of a batch's sampling that are not None where requests are penalized for what they repeat."""


def count_drafts(result: GenerationBatchResult, lengths: Sequence[int]) -> None:
    """Say of a result how many drafts were accepted. `lengths`: the tokens of each request, bonus included."""
    result.num_accepted_drafts = sum(lengths) - len(lengths)
    result.num_accepted_drafts_per_req_cpu = [length - 1 for length in lengths]
