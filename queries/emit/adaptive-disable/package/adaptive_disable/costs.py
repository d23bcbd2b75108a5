"""What a decode step costs, by batch size, with speculation and without."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path


class CostTableError(ValueError):
    """A table of costs that cannot be used: says which value, and what is wanted."""


@dataclass(frozen=True, slots=True)
class CostTable:
    """Milliseconds of a decode step at some batch sizes, ascending; between them they are interpolated.

    `on_ms[i]` and `off_ms[i]` belong to `batch_sizes[i]`, in running requests. Below the first batch size its times
    hold, beyond the last the last slope goes on. Raises `CostTableError` where sizes do not rise or a time is no
    positive number.
    """

    batch_sizes: tuple[int, ...]
    on_ms: tuple[float, ...]
    off_ms: tuple[float, ...]

    def __post_init__(self) -> None:
        sizes = self.batch_sizes
        if not sizes or not len(sizes) == len(self.on_ms) == len(self.off_ms):
            raise CostTableError(
                f"{len(sizes)} batch sizes, {len(self.on_ms)} times on, {len(self.off_ms)} off: equally many are wanted"
            )
        if sizes[0] < 1 or any(after <= before for before, after in pairwise(sizes)):
            raise CostTableError(f"batch sizes {list(sizes)}: they must begin at 1 or more and rise")
        for name, times in (("on_ms", self.on_ms), ("off_ms", self.off_ms)):
            for size, time in zip(sizes, times, strict=True):
                if not (math.isfinite(time) and time > 0):
                    raise CostTableError(
                        f"{name} at batch size {size} is {time}: milliseconds, more than 0, are wanted"
                    )

    def on(self, batch_size: int) -> float:
        """Milliseconds of a speculating step with this many requests."""
        return _between(self.batch_sizes, self.on_ms, batch_size)

    def off(self, batch_size: int) -> float:
        """Milliseconds of a step without speculation with this many requests."""
        return _between(self.batch_sizes, self.off_ms, batch_size)

    def break_even(self, batch_size: int) -> float:
        """Tokens a request that a speculating step must yield, bonus included, to be as fast as steps without."""
        return self.on(batch_size) / self.off(batch_size)

    def as_json(self) -> dict[str, list[float]]:
        """The table as JSON has it: three lists of one length."""
        return {"batch_sizes": list(self.batch_sizes), "on_ms": list(self.on_ms), "off_ms": list(self.off_ms)}

    def write(self, path: Path) -> None:
        """Write it as JSON. Raises `OSError` where the file cannot be written."""
        path.write_text(json.dumps(self.as_json(), indent=1) + "\n", encoding="utf-8")


def table_of(value: object) -> CostTable:
    """The table that a JSON value means. Raises `CostTableError` where it means none."""
    if not isinstance(value, dict) or set(value) != {"batch_sizes", "on_ms", "off_ms"}:
        raise CostTableError("a table of costs is an object of three lists: batch_sizes, on_ms, off_ms")
    columns = [_numbers(name, value[name]) for name in ("batch_sizes", "on_ms", "off_ms")]
    if any(size != int(size) for size in columns[0]):
        raise CostTableError(f"batch sizes {list(columns[0])}: whole numbers are wanted")
    return CostTable(tuple(int(size) for size in columns[0]), columns[1], columns[2])


def read_table(path: Path) -> CostTable:
    """The table in a file. Raises `CostTableError`, with the file's name, where there is none or it holds something
    else.
    """
    try:
        return table_of(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CostTableError(f"{path}: cannot be read as JSON: {error}") from error
    except CostTableError as error:
        raise CostTableError(f"{path}: {error}") from error


def _numbers(name: str, value: object) -> tuple[float, ...]:
    if not isinstance(value, list) or not all(
        isinstance(item, int | float) and not isinstance(item, bool) for item in value
    ):
        raise CostTableError(f"{name}: a list of numbers is wanted")
    return tuple(float(item) for item in value)


def _between(sizes: tuple[int, ...], times: tuple[float, ...], size: int) -> float:
    """The time at a size: interpolated, level before the first, on the last slope (never downwards) beyond the last."""
    at = bisect_left(sizes, size)
    if at == 0:
        return times[0]
    if at == len(sizes) and at == 1:
        return times[0]
    right = min(at, len(sizes) - 1)
    left = right - 1
    slope = (times[right] - times[left]) / (sizes[right] - sizes[left])
    if at == len(sizes):
        return times[right] + max(0.0, slope) * (size - sizes[right])
    return times[left] + slope * (size - sizes[left])
