"""Where step times come from: measured, or derived from two published pairs of throughputs."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from adaptive_disable.costs import CostTable

MEASURED = Path(__file__).parent / "measured" / "h200-8b.csv"
"""Medians of step times of SGLang 0.5.9 on one NVIDIA H200: an 8B-shaped model (hidden size 4096, 32 layers) with
random weights and synthetic acceptance, Triton attention, 20 to 155 steps a row. One run; see `as_measured` for what is
used.
"""


@dataclass(frozen=True, slots=True)
class Curve:
    """A server: its step times at each batch size, on and off, and what was assumed to know them."""

    name: str
    costs: CostTable
    longest: int
    """Tokens a request that a speculating step yields at most."""
    prefill_ms: float
    """What admitting one request costs: no decode step runs meanwhile."""
    assumed: str

    def capacity(self, length: float) -> float:
        """Tokens a second of a full batch without speculation, with prefill for requests of so many tokens."""
        full = self.costs.batch_sizes[-1]
        return 1000.0 / (self.costs.off(full) / full + self.prefill_ms / length)


def as_measured(name: str) -> Curve:
    """`eagle`: 2 draft steps; `standalone`: a draft model of its own, 4 steps. Raises `KeyError` for another name."""
    on, longest = {"eagle": ("bench8b_eagle_good_s2", 3), "standalone": ("bench8b_sa_s4", 5)}[name]
    with MEASURED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    sizes = tuple(int(row["concurrency"]) for row in rows if row["config"] == on)
    costs = CostTable(sizes, _medians(rows, on, "on"), _medians(rows, "bench8b_eagle_bad_s2", "offsync"))
    return Curve(f"h200-{name}", costs, longest, 2.0, _ASSUMED_OF_MEASURED[name])


def _medians(rows: list[dict[str, str]], config: str, mode: str) -> tuple[float, ...]:
    return tuple(float(row["step_ms_median"]) for row in rows if row["config"] == config and row["mode"] == mode)


_ASSUMED_OF_MEASURED = {
    "eagle": (
        "Medians of measured steps (8B shape, one H200, one run), straight lines between; on: EAGLE with 2 draft "
        "steps, off: inside the speculating server, draft kept in step. Prefill 2 ms a request is an assumption."
    ),
    "standalone": (
        "On: medians of measured steps (8B shape, one H200, one run), STANDALONE with 4 draft steps. "
        "Off was not measured for it: EAGLE's is assumed. Prefill 2 ms a request is an assumption."
    ),
}

PUBLISHED_ACCEPT_LENGTH = 2.0
"""Not published with the throughputs: assumed."""


def as_published() -> Curve:
    """The benchmark in which EAGLE-3 loses everywhere: 92.6 off against 77.5 on at concurrency 1, 711.0 against 299.5
    at 30, and about 780 against 340 tokens a second where it saturates.
    """
    off, on = ((1, 92.6), (30, 711.0), (70, 780.0)), ((1, 77.5), (30, 299.5), (70, 340.0))
    assumed = (
        "Throughputs as published: off 92.6, 711.0, 780 and on 77.5, 299.5, 340 tokens/s at concurrency 1, 30 and "
        "saturation; that saturation is at 70, an accept length of 2.0 and prefill of 8 ms a request are assumptions."
    )
    return Curve("published", _of_throughputs(off, on), 3, 8.0, assumed)


def as_tuned() -> Curve:
    """The tuned set-up: 94 on against 88.8 off at concurrency 1. What follows beyond is an assumption altogether."""
    published = as_published()
    on, off = 77.5 / 94.0, 92.6 / 88.8
    costs = CostTable(
        published.costs.batch_sizes,
        tuple(time * on for time in published.costs.on_ms),
        tuple(time * off for time in published.costs.off_ms),
    )
    assumed = (
        "94 tokens/s on against 88.8 off at concurrency 1 as published; all beyond concurrency 1 is an assumption: the "
        "published curve's shape, scaled. Accept length 2.0 and prefill of 8 ms a request are assumptions."
    )
    return Curve("tuned", costs, 3, published.prefill_ms, assumed)


Throughputs = tuple[tuple[int, float], ...]
"""Concurrency and tokens a second, ascending; the last holds for all larger batches."""


def _of_throughputs(off: Throughputs, on: Throughputs) -> CostTable:
    """Step times in milliseconds from throughputs, at the batch sizes named and at 128."""
    sizes = (*(size for size, _ in off), 128)
    off_rates, on_rates = ((*(rate for _, rate in rates), rates[-1][1]) for rates in (off, on))
    return CostTable(
        sizes,
        tuple(1000 * PUBLISHED_ACCEPT_LENGTH * size / rate for size, rate in zip(sizes, on_rates, strict=True)),
        tuple(1000 * size / rate for size, rate in zip(sizes, off_rates, strict=True)),
    )
