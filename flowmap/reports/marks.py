"""The fields that are watched: all their accesses, in the order in which a reader steps through them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from flowmap.model.access import Access, AccessKind, LifeStage
from flowmap.model.annotated import Mark, MarkKind
from flowmap.model.place import Place
from flowmap.model.program import Confidence
from flowmap.reports.fields import accesses_asked, asked_field
from flowmap.store.index import Index

_N_OTHERS = 6
_TAKES = (MarkKind.READ, MarkKind.UPDATE)
_GIVES = (MarkKind.WRITE, MarkKind.UPDATE, MarkKind.CARRY)


@dataclass(frozen=True, slots=True)
class WatchedField:
    """A field under the name by which it is watched, with its accesses by file, line and column."""

    name: str
    accesses: tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class Watch:
    """All that is watched, and the marks of each file by line."""

    fields: tuple[WatchedField, ...]
    marks: Mapping[str, Mapping[int, tuple[Mark, ...]]]


def watch(index: Index, names: Iterable[str], confidence: Confidence = Confidence.INFERRED) -> Watch:
    """Watch fields, named as on the command line: `field` or `Class.field`.

    Errors: FlowmapError when a field or class is unknown, or the class does not have the field.
    """
    fields = [WatchedField(name, accesses_asked(index, [asked_field(index, name, None)], confidence)) for name in names]
    return watch_of(fields)


def watch_of(fields: Sequence[WatchedField]) -> Watch:
    """The marks of fields whose accesses are known."""
    found: dict[str, dict[int, tuple[Mark, ...]]] = {}
    for field in fields:
        for mark in marks_of(field):
            lines = found.setdefault(mark.access.place.file, {})
            lines[mark.access.place.line] = (*lines.get(mark.access.place.line, ()), mark)
    return Watch(tuple(fields), found)


def marks_of(field: WatchedField) -> tuple[Mark, ...]:
    """The accesses of a field, each with the ones before and after it and those at its other end."""
    steps = list(dict.fromkeys(access.place for access in field.accesses))
    position = {place: number for number, place in enumerate(steps)}
    ends = {kind: _others(field.accesses, kind) for kind in MarkKind}
    return tuple(
        _mark(field, number, ends, _around(steps, position[access.place])) for number, access in enumerate(field.accesses)
    )


def kind_of(access: Access) -> MarkKind:
    """What an access does, for a reader."""
    if access.kind is AccessKind.READ:
        return MarkKind.READ
    if access.kind in (AccessKind.AUGWRITE, AccessKind.MUTATE):
        return MarkKind.UPDATE
    return MarkKind.CARRY if access.stage is LifeStage.STORED else MarkKind.WRITE


def _mark(
    field: WatchedField, number: int, ends: Mapping[MarkKind, Sequence[Access]], around: tuple[Place | None, Place | None]
) -> Mark:
    access = field.accesses[number]
    others = [one for one in ends[kind_of(access)] if one is not access]
    nearest = sorted(others, key=lambda one: (one.place.file != access.place.file, one.place))[:_N_OTHERS]
    return Mark(kind_of(access), field.name, access, number + 1, len(field.accesses), *around, tuple(nearest), len(others))


def _others(accesses: Iterable[Access], kind: MarkKind) -> list[Access]:
    """Those at the other end: what gives to one that takes, and what takes from one that gives."""
    wanted = _GIVES if kind is MarkKind.READ else _TAKES
    return [one for one in accesses if kind_of(one) in wanted and one.stage is not LifeStage.DECLARED]


def _around(steps: Sequence[Place], at: int) -> tuple[Place | None, Place | None]:
    """The places before and after one, on other lines."""
    here = (steps[at].file, steps[at].line)
    before = next((place for place in reversed(steps[:at]) if (place.file, place.line) != here), None)
    after = next((place for place in steps[at + 1 :] if (place.file, place.line) != here), None)
    return before, after
