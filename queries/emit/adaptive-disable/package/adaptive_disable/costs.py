"""What a decode step costs, by batch size and length of the context, with speculation and without."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

LEAST = 0.1
"""A time is taken to be this share of the table's at least, however short the context."""
_TIMES = ("batch_sizes", "on_ms", "off_ms")
_GROWTH = ("on_ms_token", "off_ms_token")


class CostTableError(ValueError):
    """A table of costs that cannot be used: says which value, and what is wanted."""


@dataclass(frozen=True, slots=True)
class CostTable:
    """Milliseconds of a decode step at some batch sizes, ascending; between them they are interpolated.

    `on_ms[i]` and `off_ms[i]` belong to `batch_sizes[i]`, in running requests. Below the first batch size its times
    hold, beyond the last the last slope goes on. Raises `CostTableError` where sizes do not rise or a time is no
    positive number.

    The times are those of requests of `context` tokens on average. Each token more adds `on_ms_token[i]` and
    `off_ms_token[i]`: attention reads all of them, and that of a verification may read them at another price. Where
    nothing is known of that these are empty.
    """

    batch_sizes: tuple[int, ...]
    on_ms: tuple[float, ...]
    off_ms: tuple[float, ...]
    context: int = 0
    on_ms_token: tuple[float, ...] = ()
    off_ms_token: tuple[float, ...] = ()

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
        self._check_growth()

    def _check_growth(self) -> None:
        for name, growth in (("on_ms_token", self.on_ms_token), ("off_ms_token", self.off_ms_token)):
            if len(growth) not in (0, len(self.batch_sizes)):
                raise CostTableError(f"{name} has {len(growth)} values: none, or one for each batch size, is wanted")
            if not all(math.isfinite(value) and value >= 0 for value in growth):
                raise CostTableError(f"{name} is {list(growth)}: milliseconds, 0 or more, are wanted")
        if self.context < 0:
            raise CostTableError(f"context is {self.context}: tokens of a request, 0 or more, are wanted")

    def on(self, batch_size: int, context: int = 0) -> float:
        """Milliseconds of a speculating step with this many requests of so many tokens; 0: of the table's own."""
        return self._time(self.on_ms, self.on_ms_token, batch_size, context)

    def off(self, batch_size: int, context: int = 0) -> float:
        """Milliseconds of a step without speculation with this many requests of so many tokens; 0: of the table's."""
        return self._time(self.off_ms, self.off_ms_token, batch_size, context)

    def break_even(self, batch_size: int, context: int = 0) -> float:
        """Tokens a request that a speculating step must yield, bonus included, to be as fast as steps without."""
        return self.on(batch_size, context) / self.off(batch_size, context)

    def _time(self, times: tuple[float, ...], growth: tuple[float, ...], batch_size: int, context: int) -> float:
        time = _between(self.batch_sizes, times, batch_size)
        if not growth or not context:
            return time
        more = _between(self.batch_sizes, growth, batch_size) * (context - self.context)
        return max(LEAST * time, time + more)

    def as_json(self) -> dict[str, object]:
        """The table as JSON has it: lists of one length; those of the context where something is known of it."""
        table: dict[str, object] = {name: list(getattr(self, name)) for name in _TIMES}
        if self.on_ms_token:
            table |= {"context": self.context} | {name: list(getattr(self, name)) for name in _GROWTH}
        return table

    def write(self, path: Path) -> None:
        """Write it as JSON. Raises `OSError` where the file cannot be written."""
        path.write_text(json.dumps(self.as_json(), indent=1) + "\n", encoding="utf-8")


def table_of(value: object) -> CostTable:
    """The table that a JSON value means. Raises `CostTableError` where it means none."""
    if not isinstance(value, dict) or set(value) not in ({*_TIMES}, {*_TIMES, "context", *_GROWTH}):
        raise CostTableError(
            "a table of costs is an object of three lists: batch_sizes, on_ms, off_ms; and, where the context counts, "
            "of context, a number, and two lists more: on_ms_token, off_ms_token"
        )
    sizes, on_ms, off_ms = (_numbers(name, value[name]) for name in _TIMES)
    if not all(size.is_integer() for size in sizes):
        raise CostTableError(f"batch sizes {list(sizes)}: whole numbers are wanted")
    on_growth, off_growth = (_numbers(name, value.get(name, [])) for name in _GROWTH)
    (context,) = _numbers("context", [value.get("context", 0)])
    if not context.is_integer():
        raise CostTableError(f"context is {context}: a whole number of tokens is wanted")
    return CostTable(tuple(int(size) for size in sizes), on_ms, off_ms, int(context), on_growth, off_growth)


def read_table(path: Path) -> CostTable:
    """The table in a file. Raises `CostTableError`, with the file's name, where there is none or it holds something
    else.
    """
    try:
        return table_of(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise CostTableError(f"{path}: cannot be read as JSON: {error}") from error
    except CostTableError as error:
        raise CostTableError(f"{path}: {error}") from error


def _numbers(name: str, value: object) -> tuple[float, ...]:
    if not isinstance(value, list) or not all(
        isinstance(item, int | float) and not isinstance(item, bool) for item in value
    ):
        raise CostTableError(f"{name}: a list of numbers is wanted")
    try:
        return tuple(float(item) for item in value)
    except OverflowError as error:
        raise CostTableError(f"{name}: {error}") from error


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
