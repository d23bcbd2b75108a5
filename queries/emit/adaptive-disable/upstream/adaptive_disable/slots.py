"""Slots of SGLang's own controller, made of this package's thresholds or of a table of costs.

A slot says for batches of its size and more (up to the next slot) between which numbers of draft steps the controller
moves, by the drafts that are accepted. Where a slot names one number, that is what runs: [0] is plain decoding, [N] the
draft as it was asked for. Where it names both, the controller leaves N at a mean of accepted drafts of 0.5 +
`down_hysteresis` or less, and leaves 0 at every update: it tries N again, whatever came of that before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from adaptive_disable.costs import CostTable

ZERO_THRESHOLD = 0.5
"""Accepted drafts a request at or below which the controller leaves the lowest number of steps for 0, before
hysteresis.
"""


class NothingToSwitchError(ValueError):
    """The costs ask for the same at every batch size: no controller is needed. Says what is to be done instead."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One entry of the configuration."""

    batch_size: int
    """The smallest batch that it serves, in running requests, after padding to a size that was captured."""
    candidate_steps: tuple[int, ...]
    """Numbers of draft steps, ascending."""
    tuning: Mapping[str, float] = field(default_factory=dict)
    """Further keys of the entry."""

    def as_json(self) -> dict[str, object]:
        """The entry as the controller reads it."""
        return {"candidate_steps": list(self.candidate_steps), **self.tuning}


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What is known of a draft: tokens a request that a speculating step yields on the mean, the bonus token among
    them.
    """

    length: float
    error: float = 0.0
    """How far the length may be off, as a share of it."""


def slots_of_thresholds(draft_steps: int, off_batch: int) -> tuple[Slot, ...]:
    """All `draft_steps` below `off_batch` running requests, none from there on.

    The controller has one border where this package has two: it remembers nothing from step to step, so a batch that
    swings about the border flips as often as it does.
    """
    return (Slot(1, (draft_steps,)), Slot(off_batch, (0,)))


def slots_of_costs(
    draft_steps: int, table: CostTable, margin: float, accepted: Acceptance | None = None
) -> tuple[Slot, ...]:
    """For each batch size of a table what its break-even length asks for; neighbours that ask for the same are one
    slot.

    `margin`: the share by which a length has to differ from break-even, the table's own error. With `accepted` known
    most slots name one number; the others, and all that depend on acceptance when it is not known, name both.

    Raises `NothingToSwitchError` where the table asks for the same number everywhere.
    """
    asked = [_asked(draft_steps, table.break_even(size), margin, accepted) for size in table.batch_sizes]
    sizes = (1, *table.batch_sizes[1:])
    slots = tuple(_merged(Slot(size, *each) for size, each in zip(sizes, asked, strict=True)))
    if len(slots) == 1 and len(slots[0].candidate_steps) == 1:
        raise NothingToSwitchError(
            "speculation pays at every batch size of the table: start the server without a controller"
            if slots[0].candidate_steps[0]
            else "speculation pays at no batch size of the table: start the server without speculation"
        )
    return slots


def as_text(slots: tuple[Slot, ...]) -> str:
    """The file that `--speculative-adaptive-config` names."""
    return json.dumps({str(slot.batch_size): slot.as_json() for slot in slots}, indent=1) + "\n"


def _asked(
    draft_steps: int, break_even: float, margin: float, accepted: Acceptance | None
) -> tuple[tuple[int, ...], Mapping[str, float]]:
    """Steps and tuning of a slot, by what the acceptance can be at most and at least."""
    least, most = (1.0, draft_steps + 1.0) if accepted is None else _range(accepted, draft_steps)
    if least >= break_even * (1 + margin):
        return (draft_steps,), {}
    if most <= break_even * (1 - margin):
        return (0,), {}
    return (0, draft_steps), {"down_hysteresis": round(break_even - 1 - ZERO_THRESHOLD, 3)}


def _range(accepted: Acceptance, draft_steps: int) -> tuple[float, float]:
    off_by = accepted.length * accepted.error
    return max(1.0, accepted.length - off_by), min(draft_steps + 1.0, accepted.length + off_by)


def _merged(slots: Iterator[Slot]) -> Iterator[Slot]:
    """The slots, without those that ask for what the one before does."""
    before: Slot | None = None
    for slot in slots:
        if before is None or (slot.candidate_steps, slot.tuning) != (before.candidate_steps, before.tuning):
            before = slot
            yield slot
