"""Which functions read (r), write (w), update (u) and carry (c) the watched fields: said beside each function of a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from flowmap.model.access import AccessKind, LifeStage
from flowmap.model.program import Confidence, Definition
from flowmap.model.view import Line
from flowmap.reports.fields import accesses_asked, asked_field
from flowmap.reports.phrases import GAP, note
from flowmap.store.accesses import holders
from flowmap.store.index import Index

_LETTERS = {AccessKind.READ: "r", AccessKind.WRITE: "w", AccessKind.AUGWRITE: "u", AccessKind.MUTATE: "u"}
_CARRIES = "c"
_ORDER = "rwuc"


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


def watch(index: Index, fields: Sequence[str], confidence: Confidence) -> Watch:
    """What all functions do to some fields (`FIELD` or `CLASS.FIELD`).

    Errors: FlowmapError when a field or class is unknown.
    """
    found: dict[int, dict[str, set[str]]] = {}
    owners: dict[str, set[int]] = {}
    for access in accesses_asked(index, [asked_field(index, text, None) for text in fields], confidence):
        owners.setdefault(access.field, set()).update(owner.id for owner in access.owners)
        if access.stage is not LifeStage.DECLARED:
            found.setdefault(access.function.id, {}).setdefault(access.field, set()).add(_LETTERS[access.kind])
    for name, classes in owners.items():
        for function in holders(index, classes):
            found.setdefault(function, {}).setdefault(name, {_CARRIES})
    return Watch(
        {
            function: {name: "".join(letter for letter in _ORDER if letter in letters) for name, letters in touched.items()}
            for function, touched in found.items()
        }
    )
