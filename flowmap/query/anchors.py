"""Finds what the anchors of a query stand for in one index: of an anchor's names the first that exists counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Generic, TypeVar

from flowmap.model.access import Access
from flowmap.model.problem import Problem
from flowmap.model.program import Confidence, Definition, DefinitionKind
from flowmap.model.query import Anchor, Anchors
from flowmap.query.release import Release, is_tied, names_in
from flowmap.store.accesses import accesses_of, nearest_fields, owned_by
from flowmap.store.index import Index
from flowmap.store.names import named, nearest

_PLAIN = "replace(text, '.<locals>', '')"
_ALIKE = f"""SELECT id FROM symbol WHERE kind NOT IN ('external', 'module') AND name GLOB ?
    AND ({_PLAIN} GLOB ? OR {_PLAIN} GLOB '*.' || ?) ORDER BY id"""
Meant = TypeVar("Meant")


@dataclass(slots=True)
class Subject:
    """The index that a question is put to, its release where that is known, who asks, and what went wrong so far."""

    index: Index
    release: Release | None
    asker: str  # as messages name it: `query event-loop`
    about: str  # the project that it speaks of; "" for any
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)  # what the question itself says is not in every release


@dataclass(frozen=True, slots=True)
class Missing:
    """An anchor that stands for nothing. `near`: the names most like it. `is_told`: it says itself that it is not in every
    release."""

    anchor: Anchor
    near: tuple[str, ...]
    is_told: bool


@dataclass(frozen=True, slots=True)
class Found(Generic[Meant]):
    """What an anchor stands for, and the name by which it was found."""

    name: str
    meant: tuple[Meant, ...]


def fields_meant(subject: Subject, anchors: Anchors) -> list[tuple[str, tuple[Access, ...]]]:
    """The accesses of each field, under the name that it has here."""
    return _all(subject, [field_at(subject.index, subject.release, anchor) for anchor in anchors])


def definitions_meant(subject: Subject, anchors: Anchors) -> list[tuple[str, tuple[Definition, ...]]]:
    """The definitions of each anchor, under the name that it has here; outside the indexed code, too."""
    return _all(subject, [definitions_at(subject.index, subject.release, anchor) for anchor in anchors])


def field_at(index: Index, release: Release | None, anchor: Anchor) -> Found[Access] | Missing:
    """The accesses of a field: the first name that exists counts."""
    return _first((index, release), anchor, _accesses, _nearest_fields)


def definitions_at(index: Index, release: Release | None, anchor: Anchor) -> Found[Definition] | Missing:
    """The definitions of an anchor: the first name that exists counts."""
    return _first((index, release), anchor, _definitions, nearest)


def _first(
    asked: tuple[Index, Release | None],
    anchor: Anchor,
    find: Callable[[Index, str], Sequence[Meant]],
    near: Callable[[Index, str], Sequence[str]],
) -> Found[Meant] | Missing:
    index, release = asked
    names = names_in(anchor, release)
    for name in names:
        found = find(index, name.text)
        if found:
            return Found(name.text, tuple(found))
    if not names or (release is None and is_tied(anchor)):
        return Missing(anchor, (), is_told=True)
    return Missing(anchor, tuple(near(index, names[0].text)), is_told=False)


def _all(subject: Subject, outcomes: Sequence[Found[Meant] | Missing]) -> list[tuple[str, tuple[Meant, ...]]]:
    for one in outcomes:
        if isinstance(one, Missing):
            if one.is_told:
                subject.absent.append(str(one.anchor))
            else:
                subject.problems.append(_gone(subject, one))
    return [(one.name, one.meant) for one in outcomes if isinstance(one, Found)]


def _gone(subject: Subject, missing: Missing) -> Problem:
    fix, about = "Add the name that it has here.", subject.about
    if about and subject.release is None:
        fix = f"The query asks about {about}: --source pypi:{about}==VERSION. In a copy of it: {fix[0].lower()}{fix[1:]}"
    meant = f"Did you mean {', '.join(missing.near)}? " if missing.near else ""
    if not subject.asker:  # asked on the command line
        return Problem(str(missing.anchor), f"no such name in {subject.index.source}", meant.strip())
    return Problem(subject.asker, f"nothing of {subject.index.source} is called {missing.anchor}", f"{meant}{fix}")


def _accesses(index: Index, text: str) -> Sequence[Access]:
    owner, _, name = text.rpartition(".")
    found = accesses_of(index, [name], Confidence.INFERRED)
    if not owner or not found:
        return found
    classes = [each for each in named(index, owner) if each.kind is DefinitionKind.CLASS]
    own = {access: None for cls in classes for access in owned_by(index, cls, found)}
    return [access for access in found if access in own]


def _definitions(index: Index, text: str) -> Sequence[Definition]:
    if "*" not in text:
        return named(index, text)
    return index.definitions(row[0] for row in index.rows(_ALIKE, text.rpartition(".")[2], text, text))


def is_called(definition: Definition, pattern: str) -> bool:
    """Whether a definition's symbol, `.<locals>` left out, is or ends with a name in which `*` stands for any text."""
    symbol = definition.symbol.replace(".<locals>", "")
    return fnmatchcase(symbol, pattern) or fnmatchcase(symbol, f"*.{pattern}")


def _nearest_fields(index: Index, text: str) -> Sequence[str]:
    return nearest_fields(index, text.rpartition(".")[2])
