"""What the functions of a trace do to the fields that are watched, and how it is said; which do what, `watch` finds out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from flowmap.model.program import Definition
from flowmap.model.view import Line
from flowmap.reports.phrases import GAP, note


@dataclass(frozen=True, slots=True)
class WatchRecord:
    """What a function does to a watched field: `marks` are letters of r (reads), w (writes), u (updates in place); c
    where it does none of these and holds an object that has the field."""

    symbol: str
    field: str
    marks: str


@dataclass(frozen=True, slots=True)
class Watch:
    """What each function does to the watched fields, by the function's id."""

    marks: Mapping[int, Mapping[str, str]] = field(default_factory=dict)

    def beside(self, function: Definition) -> Line:
        """What is said of a function: `[r lens] [wu n]`; nothing where it touches none of the fields."""
        texts = [f"[{letters} {name}]" for name, letters in self.marks.get(function.id, {}).items()]
        return (GAP, note(" ".join(texts))) if texts else ()

    def records(self, functions: Iterable[Definition]) -> Iterator[WatchRecord]:
        """The records of some functions."""
        for one in functions:
            yield from (WatchRecord(one.symbol, name, letters) for name, letters in self.marks.get(one.id, {}).items())


NOT_WATCHED = Watch()
