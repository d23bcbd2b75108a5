"""What is measured, against what is wanted."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure. `limit` is the most that is wanted, the least where `is_floor`; None where nothing is."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    is_floor: bool = False

    @property
    def is_met(self) -> bool | None:
        """Whether it is what is wanted; None where nothing is."""
        if self.limit is None:
            return None
        return self.value >= self.limit if self.is_floor else self.value <= self.limit


def machine() -> dict[str, str | float]:
    """Where it was measured."""
    return {
        "system": platform.platform(terse=True),
        "processors": os.cpu_count() or 0,
        "memory_gib": round(psutil.virtual_memory().total / 2**30),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else "unknown",
    }


def median(values: Sequence[float]) -> float:
    """The middle of several runs."""
    return statistics.median(values)


def table(figures: Sequence[Figure]) -> str:
    """The figures for a reader."""
    return "\n".join(f"{one.value:>12,.2f} {one.unit:<22} {verdict(one):<22} {one.name}" for one in figures)


def verdict(figure: Figure) -> str:
    """What is wanted, and whether it is so."""
    if figure.limit is None:
        return ""
    return f"{'≥' if figure.is_floor else '≤'} {figure.limit:g}: {'met' if figure.is_met else 'NOT MET'}"


def write(path: Path, where: dict[str, str | float], figures: Sequence[Figure]) -> None:
    """The figures for programs, and for the next one who measures."""
    rows = [{**asdict(one), "value": round(one.value, 4), "is_met": one.is_met} for one in figures]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": where, "figures": rows}, indent=1) + "\n", encoding="utf-8")
