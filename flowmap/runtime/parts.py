"""The part files that the recorded processes leave, and the one record that is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from flowmap.model.observed import ObservedEdge

_COUNTS = "counts"
_N_FIELDS = 8  # number, caller, file, line, callee, its file, its line, through; `counts` has two: it, and number:count ...
_Place = tuple[str, int, str, str, str, int, tuple[str, ...]]  # an edge without its count


def merged(parts: Iterable[Path]) -> tuple[ObservedEdge, ...]:
    """The edges of all parts, each once, sorted. An edge of a process that was killed counts as one call."""
    totals: dict[_Place, int] = {}
    for part in sorted(parts):
        for place, n_calls in _edges(part.read_text(encoding="utf-8", errors="replace")):
            totals[place] = totals.get(place, 0) + n_calls
    return tuple(sorted(ObservedEdge(*place, n_calls) for place, n_calls in totals.items()))


def _edges(text: str) -> Iterator[tuple[_Place, int]]:
    """The edges of one part. A last line that was cut short is left out."""
    places: dict[str, _Place] = {}
    counts: dict[str, str] = {}
    for line in text.split("\n")[:-1]:
        fields = line.split("\t")
        if fields[0] == _COUNTS:
            counts = dict(pair.split(":") for pair in fields[1].split())
        elif len(fields) == _N_FIELDS:
            places[fields[0]] = _place(fields)
    for number, place in places.items():
        yield place, int(counts.get(number, 1))


def _place(fields: list[str]) -> _Place:
    _, caller, file, line, callee, callee_file, callee_line, through = fields
    return file, int(line), caller, callee, callee_file, int(callee_line), tuple(sorted(through.split()))
