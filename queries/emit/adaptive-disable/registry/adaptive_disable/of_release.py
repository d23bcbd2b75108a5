"""What has another name or form in other releases of SGLang: here as 0.5.11 has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sglang.srt.managers.schedule_batch import Req
    from sglang.srt.managers.scheduler import GenerationBatchResult, Scheduler


class Counts(NamedTuple):
    """Two attributes of the scheduler that count accepted tokens."""

    since_logged: str
    total: str


RESOLVES = "_resolve_spec_overlap_token_ids"
"""The method of the scheduler that cuts accepted tokens out of a result, one step after it was made."""
LOGS_STEPS = "report_decode_stats"
"""The method of the scheduler that logs what decode steps did; called for each of them."""
COUNTS_TOKENS = Counts("spec_num_accepted_tokens", "spec_total_num_accepted_tokens")
LAST_TOKEN = "verified_id"
"""The field of `EagleDraftInput` that holds the last token of each request, whose KV is not written yet."""
TREE = ("retrieve_index", "retrieve_next_token", "retrieve_next_sibling", "retrieve_cum_len")
"""The fields of `EagleVerifyInput` that hold the draft's tree: index, next token, next sibling, sums of lengths."""
PENALTIES = ("acc_additive_penalties", "acc_scaling_penalties")
"""Fields of a batch's sampling that are not None where requests are penalized for what they repeat."""


def has_own_controller(scheduler: Scheduler) -> bool:
    """Whether SGLang's own controller changes the number of draft steps."""
    own: bool = scheduler.server_args.speculative_adaptive
    return own


def count_slots(req: Req, length: int) -> None:
    """Count the KV slots of the tokens that a step gave a request as committed.

    `prepare_for_decode` has claimed one of them before the step.
    """
    req.kv_committed_len += length - 1


def of_verify_step(out: GenerationBatchResult, _width: int) -> dict[str, Any]:
    """What a verify step of this release says in its result beside what those of all do. `out`: the target's."""
    return {"routed_experts_output": out.routed_experts_output}


def count_drafts(result: GenerationBatchResult, lengths: Sequence[int]) -> None:
    """Say of a result how many drafts were accepted. `lengths`: the tokens of each request, bonus included."""
    result.num_accepted_drafts = sum(lengths) - len(lengths)
    result.num_accepted_drafts_per_req_cpu = [length - 1 for length in lengths]
