"""In what the releases differ whose scheduler is run: read in their sources, not in the emitted package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Counting:
    """What a release counts of a request.

    `claimed`: KV slots that are committed once a decode step is prepared (`EagleDraftInputV2Mixin.prepare_for_decode`);
    `ended`: whether a verify step counts for a request that has ended, and is in the batch of one step more.
    """

    claimed: int
    ended: bool


COUNTING = {
    "0.5.9": Counting(claimed=0, ended=True),
    "0.5.10.post1": Counting(claimed=0, ended=True),
    "0.5.11": Counting(claimed=1, ended=True),
    "0.5.12.post1": Counting(claimed=1, ended=False),
}


def counting() -> Counting:
    """What the SGLang of this process counts. Raises `KeyError` for a release that nobody has looked at."""
    import sglang

    return COUNTING[sglang.__version__]


def run_loop(scheduler: Any) -> None:
    """Run the scheduler's own overlapped loop, for ever; where a release prepares something for it, by what prepares it."""
    (getattr(scheduler, "run_event_loop", None) or scheduler.event_loop_overlap)()
