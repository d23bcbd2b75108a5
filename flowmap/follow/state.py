"""Where a search stands, and how it goes on."""

from __future__ import annotations

from typing import NamedTuple

from flowmap.follow.world import Place
from flowmap.model.flow import Field, Key, What

MOST_CALLS = 5  # calls that are remembered, so that a path leaves a function where it entered it
MOST_KEYS = 3  # containers inside one another that are told apart
SILENT = 0.05  # the cost of a move that no reader has to be told


class Spot(NamedTuple):
    """A node, or a field; which element of the container there it is; through which calls the search came; and whether it is on
    its way back to where the container comes from, since whoever else holds it sees the element, too."""

    at: int | Field
    path: tuple[Key, ...] = ()
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
    """The calls behind one more; the oldest are forgotten."""
    return (*calls[-MOST_CALLS + 1 :], call)


def below(path: tuple[Key, ...], key: Key) -> tuple[Key, ...] | None:
    """What is left of a path behind a key; None where the key is of another element."""
    if not path:
        return None
    return path[1:] if key is None or path[0] is None or path[0] == key else None


def inside(path: tuple[Key, ...], key: Key) -> tuple[Key, ...]:
    """The path of what is put into a container under a key."""
    return (key, *path)[:MOST_KEYS]
