"""Faults that are put into the hook on purpose: a run with one of them must be found out."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any


class Fault(Enum):
    """What is done wrong."""

    DRAFT_LEFT_BEHIND = "draft-left-behind"
    """The draft's KV is not written while off, and the next draft starts from what it knew before."""
    PACKED = "packed"
    """The tokens of a step stand one behind another, without the stride of a row."""
    COUNTED = "counted"
    """Off steps are resolved as verify steps are."""
    TEMPERATURE_IGNORED = "temperature-ignored"
    """Off steps sample as if every temperature were 1: shows in distributions alone (`tests.adaptive.sampled`)."""


IN_TOKENS = (Fault.DRAFT_LEFT_BEHIND, Fault.PACKED, Fault.COUNTED)  # found out by greedy tokens and what holds beside them


def commit(fault: Fault) -> None:
    """Make it, from now on, in the variant one-token."""
    _DEEDS[fault]()


def _leave_draft_behind() -> None:
    from adaptive_disable.one_token import OneToken

    def keep_what_it_knew(_off_steps: Any, batch: Any, result: Any) -> None:
        before, after = batch.spec_info, result.next_draft_input
        after.topk_p, after.topk_index, after.hidden_states = before.topk_p, before.topk_index, before.hidden_states

    OneToken._keep_draft_in_step = keep_what_it_knew


def _pack() -> None:
    from adaptive_disable.one_token import OneToken

    def packed(off_steps: Any, values: Any) -> Any:
        rows = values.new_zeros((len(values) * off_steps._width, *values.shape[1:]))
        rows[: len(values)] = values
        return rows

    OneToken._rows = packed


def _count() -> None:
    from adaptive_disable.hook import Hook

    def resolve(hook: Any, result: Any, batch: Any) -> Any:
        return hook._stock_resolve(result, batch)

    Hook.resolve = resolve


def _ignore_temperature() -> None:
    import copy

    import torch
    from adaptive_disable import one_token

    plain = one_token._plain

    def lukewarm(*given: Any) -> Any:
        batch = plain(*given)
        batch.sampling_info = copy.copy(batch.sampling_info)
        batch.sampling_info.temperatures = torch.ones_like(batch.sampling_info.temperatures)
        return batch

    one_token._plain = lukewarm


_DEEDS: dict[Fault, Callable[[], None]] = {
    Fault.DRAFT_LEFT_BEHIND: _leave_draft_behind,
    Fault.PACKED: _pack,
    Fault.COUNTED: _count,
    Fault.TEMPERATURE_IGNORED: _ignore_temperature,
}
