"""What has another name or form in other releases of SGLang: here as releases up to 0.5.10 have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sglang.srt.managers.scheduler import GenerationBatchResult

LOGS_STEPS = "log_decode_stats"
"""The method of the scheduler that logs what decode steps did."""
TREE = ("retrive_index", "retrive_next_token", "retrive_next_sibling", "retrive_cum_len")
"""The fields of `EagleVerifyInput` that hold the draft's tree: index, next token, next sibling, sums of lengths."""
CLAIMED = 0
"""Tokens of a request whose KV slots count as committed before its decode step is."""
PENALTIES = ("acc_linear_penalties",)
"""Fields of a batch's sampling that are not None where requests are penalized for what they repeat."""


def count_drafts(result: GenerationBatchResult, lengths: Sequence[int]) -> None:
    """Say of a result how many drafts were accepted. `lengths`: the tokens of each request, bonus included."""
    result.num_accepted_tokens = sum(lengths) - len(lengths)
    result.accept_length_per_req_cpu = [length - 1 for length in lengths]
