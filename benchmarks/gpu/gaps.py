"""Why an off step in a speculating server takes longer than a step of a server that does not speculate, cause by cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.gpu.asked import Ablated, Held
from benchmarks.gpu.scenarios import PROFILED


@dataclass(frozen=True, slots=True)
class Gap:
    """At so many requests at once, medians in milliseconds: a plain server's step, an off step, and what is due to what.

    `draft_in_step` is spent; the others would be, were they not spared: waiting for the step's end before the next one is
    prepared, taking in a whole row of tokens a request, copying hidden states to the host.
    """

    n_requests: int
    plain_ms: float
    off_ms: float
    draft_in_step_ms: float
    rest_ms: float
    spared_waiting_ms: float
    spared_wide_ms: float
    spared_copying_ms: float


def gaps(paces: Iterable[Mapping[str, Any]]) -> list[Gap]:
    """One gap a number of requests that was ablated."""
    step_ms = {pace["name"]: pace["step_ms"] for pace in paces}
    return [_gap(number, step_ms) for number in PROFILED if f"ablated-{Held.OFF.value}-{number}" in step_ms]


def _gap(number: int, step_ms: Mapping[str, float]) -> Gap:
    off = step_ms[f"ablated-{Held.OFF.value}-{number}"]
    plain = step_ms[f"plain-{number}"]
    ablated = {way: step_ms[f"ablated-{way.value}-{number}"] for way in Ablated}
    draft = off - ablated[Ablated.DRAFT_LEFT]
    return Gap(
        n_requests=number,
        plain_ms=plain,
        off_ms=off,
        draft_in_step_ms=draft,
        rest_ms=off - draft - plain,
        spared_waiting_ms=ablated[Ablated.WAITING] - off,
        spared_wide_ms=ablated[Ablated.WIDE] - off,
        spared_copying_ms=ablated[Ablated.COPYING] - off,
    )
