"""Where a search stands, and how it goes on."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from flowmap.follow.world import Place
from flowmap.model.flow import Field, Key, What


class Length(Enum):
    """Stands in a path for how many elements a container has."""

    LENGTH = 0


LENGTH = Length.LENGTH
Path = tuple[Key | Length, ...]
RowKey = Key | tuple[str, int | None]  # of a row: a slice is (SLICE, start)
MOST_CALLS = 8  # calls that are remembered, so that a path leaves a function where it entered it
MOST_KEYS = 3  # containers inside one another that are told apart
SILENT = 0.05  # the cost of a move that no reader has to be told


class Spot(NamedTuple):
    """A node, or a field; which element of the container there it is, or its length; through which calls the search came; and
    whether it is on its way back to where the container comes from, since whoever else holds it sees the element, too."""

    at: int | Field
    path: Path = ()
    calls: tuple[Place, ...] = ()
    back: bool = False


class Edge(NamedTuple):
    """A move to another spot. `what` is None where there is nothing to tell."""

    cost: float
    spot: Spot
    what: What | None
    place: Place | None
    detail: str = ""


def entered(calls: tuple[Place, ...], call: Place) -> tuple[Place, ...]:
    """The calls behind one more; the oldest are forgotten. A call that is entered already is entered no deeper."""
    if call in calls:
        return calls[: calls.index(call) + 1]
    return (*calls[-MOST_CALLS + 1 :], call)


def below(path: Path, key: RowKey) -> Path | None:
    """What is left of a path behind a key; None where the key is of another element. A slice gives what it takes as elements."""
    if not path or path[0] is LENGTH:
        return None
    if isinstance(key, tuple):
        return moved(path, key, -1)
    return path[1:] if key is None or path[0] is None or path[0] == key else None


def inside(path: Path, key: RowKey) -> Path:
    """The path of what is put into a container under a key; what is put into a slice is put there element by element."""
    if isinstance(key, tuple):
        return moved(path, key, 1) or (None,)
    return (key, *path)[:MOST_KEYS]


def moved(path: Path, key: tuple[str, int | None], direction: int) -> Path | None:
    """The path of an element of a slice in what it is a slice of (direction 1), or the other way round; None below its start."""
    start = key[1]
    if not path or start is None or not isinstance(path[0], int):
        return (None, *path[1:]) if path else None
    at = path[0] + direction * start
    return (at, *path[1:]) if at >= 0 else None


def written(key: RowKey) -> str:
    """How a key is told: `[0]`, `['name']`, `[:]` for a slice, `[…]` for what is not known."""
    if isinstance(key, tuple):
        return "[:]"
    return "[…]" if key is None else f"[{key!r}]"
