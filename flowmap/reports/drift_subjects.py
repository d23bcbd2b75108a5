"""What `flowmap drift` follows: a name, or all that a question of any sort names."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from flowmap.model.query import Anchor

ANY_TEXT = "*"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is followed: a name, or the names that a question gives to one thing. `said`: as the reader knows it."""

    said: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Subjects:
    """What is followed. `patterns` stand in the question, too, and mean no one thing."""

    found: tuple[Subject, ...]
    patterns: tuple[str, ...] = ()


def subject_named(name: str) -> Subjects:
    """One name."""
    return Subjects((Subject(name, (name,)),))


def subjects_of(question: object) -> Subjects:
    """All that a question names: queries, contracts and questions about hooks hold anchors wherever they need one."""
    anchors = tuple(dict.fromkeys(anchors_in(question)))
    named = tuple((str(anchor), tuple(name.text for name in anchor.names if ANY_TEXT not in name.text)) for anchor in anchors)
    return Subjects(
        tuple(Subject(said, names) for said, names in named if names), tuple(said for said, names in named if not names)
    )


def anchors_in(value: object) -> Iterator[Anchor]:
    """The anchors in a value, in the order in which they stand there."""
    if isinstance(value, Anchor):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from anchors_in(one)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from anchors_in(getattr(value, field.name))
