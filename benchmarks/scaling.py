"""How a first index grows with the code, out of the table of `docs/figures.md`, and what a larger code base would take by that.

usage: python -m benchmarks.scaling SMALL LARGE [MILLIONS]    two sources of the table; the lines of a larger code base, else 100
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path

PAGE = Path("docs/figures.md")
MILLION = 1_000_000
HOUR = 3600
LINES, SECONDS, MEGABYTES = 2, -2, -1  # columns of the table


@dataclass(frozen=True, slots=True)
class Measured:
    """What a first index of a source took: the wall on two cores, the memory of all processes."""

    lines: int
    seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Growth:
    """How time and memory grow: with which power of the lines."""

    seconds: float
    megabytes: float


def measured(page: str, source: str) -> Measured:
    """The row of a source. Errors: ValueError when the table has none."""
    row = next((line for line in page.splitlines() if line.startswith(f"| `{source}` |")), None)
    if row is None:
        raise ValueError(source)
    cells = [cell.strip().replace(",", "") for cell in row.strip("| ").split("|")]
    return Measured(int(cells[LINES]), float(cells[SECONDS]), float(cells[MEGABYTES]))


def growth(small: Measured, large: Measured) -> Growth:
    """The powers between two sources."""
    times = math.log(large.lines / small.lines)
    return Growth(math.log(large.seconds / small.seconds) / times, math.log(large.megabytes / small.megabytes) / times)


def reckoned(known: Measured, power: Growth, lines: int) -> Measured:
    """What so many lines, solved as one program, would take if they went on growing like this."""
    times = lines / known.lines
    return Measured(lines, known.seconds * times**power.seconds, known.megabytes * times**power.megabytes)


def main() -> None:
    """Prints both sources, the powers, and the larger code base: as one program, and as programs of the small one's size."""
    page = PAGE.read_text(encoding="utf-8")
    small, large = (measured(page, source) for source in sys.argv[1:3])
    lines = int(float((sys.argv[3:] or ["100"])[0]) * MILLION)
    power = growth(small, large)
    for one in (small, large):
        seconds, megabytes = one.seconds / one.lines * MILLION, one.megabytes / one.lines * MILLION
        print(f"{one.lines:>12,} lines: {seconds:.0f} s and {megabytes / 1000:.1f} GB per million lines")
    print(f"time grows with the power {power.seconds:.2f} of the lines, memory with {power.megabytes:.2f}")
    whole = reckoned(large, power, lines)
    print(f"{lines:>12,} lines as one program: {whole.seconds / HOUR:.1f} h, {whole.megabytes / 1000:,.0f} GB")
    n_programs = math.ceil(lines / small.lines)
    hours = n_programs * small.seconds / HOUR
    print(f"{lines:>12,} lines as {n_programs} programs: {hours:.1f} h one after the other, {small.megabytes / 1000:.1f} GB")


if __name__ == "__main__":
    main()
