"""Finds what the anchors of a query stand for in one index: of an anchor's names the first that exists counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TypeVar

from flowmap.model.access import Access
from flowmap.model.problem import Problem
from flowmap.model.program import Confidence, Definition, DefinitionKind
from flowmap.model.query import Anchor, Anchors, Query
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
    """The index that a query is put to, its release where that is known, and what went wrong so far."""

    index: Index
    release: Release | None
    query: Query
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)  # what the query itself says is not in every release


def fields_meant(subject: Subject, anchors: Anchors) -> list[tuple[str, tuple[Access, ...]]]:
    """The accesses of each field, under the name that it has here."""
    return [found for anchor in anchors if (found := _first(subject, anchor, _accesses, _nearest_fields))]


def definitions_meant(subject: Subject, anchors: Anchors) -> list[tuple[str, tuple[Definition, ...]]]:
    """The definitions of each anchor, under the name that it has here; outside the indexed code, too."""
    return [found for anchor in anchors if (found := _first(subject, anchor, _definitions, nearest))]


def _first(
    subject: Subject,
    anchor: Anchor,
    find: Callable[[Index, str], Sequence[Meant]],
    near: Callable[[Index, str], Sequence[str]],
) -> tuple[str, tuple[Meant, ...]] | None:
    names = names_in(anchor, subject.release)
    for name in names:
        found = find(subject.index, name.text)
        if found:
            return name.text, tuple(found)
    if not names or (subject.release is None and is_tied(anchor)):
        subject.absent.append(str(anchor))
    else:
        subject.problems.append(_gone(subject, anchor, near(subject.index, names[0].text)))
    return None


def _gone(subject: Subject, anchor: Anchor, near: Sequence[str]) -> Problem:
    where, about = f"query {subject.query.name}", subject.query.about
    fix = "Add the name that it has here."
    if about and subject.release is None:
        fix = f"The query asks about {about}: --source pypi:{about}==VERSION. In a copy of it: {fix[0].lower()}{fix[1:]}"
    meant = f"Did you mean {', '.join(near)}? " if near else ""
    return Problem(where, f"nothing of {subject.index.source} is called {anchor}", f"{meant}{fix}")


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
