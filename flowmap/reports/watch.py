"""Which functions read (r), write (w), update (u) and carry (c) the watched fields: said beside each function of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flowmap.model.access import AccessKind, LifeStage
from flowmap.model.program import Confidence
from flowmap.reports.fields import accesses_asked, asked_field
from flowmap.reports.trace import TraceQuestion
from flowmap.reports.watched import Watch
from flowmap.store.accesses import holders
from flowmap.store.index import Index

_LETTERS = {AccessKind.READ: "r", AccessKind.WRITE: "w", AccessKind.AUGWRITE: "u", AccessKind.MUTATE: "u"}
_CARRIES = "c"
_ORDER = "rwuc"


def watching(index: Index, question: TraceQuestion) -> TraceQuestion:
    """The question, with what touches the fields that it watches. Errors: FlowmapError when a field or class is unknown."""
    if not question.watched:
        return question
    marks = watch(index, question.watched, question.down.confidence)
    return replace(question, overlay=replace(question.overlay, watch=marks))


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
