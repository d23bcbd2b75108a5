"""Back to where a container or object comes from: whoever else holds it sees what was done to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flowmap.follow.methods import TAKING
from flowmap.follow.state import LENGTH, SILENT, Edge, Path, Spot, entered, inside
from flowmap.follow.world import KEYWORDS, POSITIONAL, VARIADIC, Place, World, fields_of
from flowmap.model.flow import NOWHERE, Move, Row, ScopeMoves, What

STEP = 1.0
RECEIVER_AT = {Move.CALL: 4, Move.LOAD: 3}  # where a row names the object; the others name it first


def aliases(world: World, spot: Spot) -> Iterator[Edge]:
    """The moves back from a spot, and the turn forward that is open at each."""
    yield Edge(SILENT, spot._replace(back=False), None, None)
    if isinstance(spot.at, tuple):
        return
    scope = world.owner(spot.at)
    for place in world.makers(spot.at):
        one = spot if place[0] == scope else spot._replace(calls=())
        yield from made_by(world, one, place)
    yield from arguments_of(world, spot, scope)


def made_by(world: World, spot: Spot, place: Place) -> Iterator[Edge]:
    """What a row gave the node."""
    row = world.row(place)
    match row[0]:
        case Move.COPY:
            yield Edge(SILENT, spot._replace(at=row[3]), None, place)
        case Move.LOAD:
            for field in fields_of(row):
                yield Edge(STEP, Spot(field, spot.path), What.STORED, place, row[4])
        case Move.ITEM if spot.path[:1] != (LENGTH,):
            yield Edge(SILENT, spot._replace(at=row[3], path=inside(spot.path, row[4])), None, place)
        case Move.CALL:
            yield from called(world, spot, (place, row))
        case _:
            pass


def called(world: World, spot: Spot, at: tuple[Place, Row]) -> Iterator[Edge]:
    """What a call gave the node: the result of a function; an element of what it was taken from."""
    place, row = at
    for target in row[7]:
        if not world.is_class(target >> 1) and not world.scope(target >> 1).moves.is_init:
            result = world.scope(target >> 1).moves.result
            yield Edge(STEP, Spot(result, spot.path, entered(spot.calls, place), True), None, place)
    if not row[7] and row[4] != NOWHERE and row[3] in TAKING:
        yield Edge(SILENT, spot._replace(at=row[4], path=inside(spot.path, None)), None, place)


def arguments_of(world: World, spot: Spot, scope: int) -> Iterator[Edge]:
    """From a parameter to what is passed there; from the first one of a constructor to what the call makes."""
    moves = world.scope(scope).moves
    position = next((at for at, param in enumerate(moves.params) if param[1] == spot.at), -1)
    wanted = wanted_of(moves, position, spot.path) if position >= 0 else None
    if wanted is None:
        return
    calls = (spot.calls[-1],) if spot.calls else world.callers(scope)
    for place in calls:
        found = handed(world, place, scope, wanted)
        if found is not None:
            node, path = found
            edge = spot._replace(at=node, path=path, calls=spot.calls[:-1])
            yield Edge(STEP, edge, What.PASSED, place, moves.params[position][0])


class Wanted(NamedTuple):
    """An argument that a call is asked for: by position (-1: by name alone), by name, and which part of it."""

    position: int
    name: str
    path: Path


def wanted_of(moves: ScopeMoves, position: int, path: Path) -> Wanted | None:
    """The argument that a parameter takes; of `*args` and `**kwargs` the one that a path picks, None where it picks none."""
    name, _, kind, _ = moves.params[position]
    if kind == VARIADIC:
        return Wanted(position + path[0], "", path[1:]) if path and isinstance(path[0], int) else None
    if kind == KEYWORDS:
        return Wanted(-1, path[0], path[1:]) if path and isinstance(path[0], str) else None
    return Wanted(position if kind in POSITIONAL else -1, name, path)


def handed(world: World, place: Place, scope: int, wanted: Wanted) -> tuple[int, Path] | None:
    """The node that a row hands over for an argument of a scope, and which part of it; None where it is not known."""
    row = world.row(place)
    moves = world.scope(scope).moves
    shift = int(any(target >> 1 == scope and world.takes_receiver(target) for target in targets(row)))
    if 0 <= wanted.position < shift:
        made = row[0] == Move.CALL and moves.is_init
        return (int(row[2]) if made else receiver_of(row), wanted.path)
    if row[0] != Move.CALL:
        return (int(row[4]), wanted.path) if row[0] == Move.STORE else None
    by_name = next((node for key, node in row[6] if key == wanted.name), NOWHERE) if wanted.name else NOWHERE
    if by_name != NOWHERE:
        return by_name, wanted.path
    if wanted.position >= 0:
        found = at_position(row[5], wanted.position - shift, wanted.path)
        if found is not None:
            return found
    spread = next((node for key, node in row[6] if key is None), NOWHERE) if wanted.name else NOWHERE
    return (spread, inside(wanted.path, wanted.name)) if spread != NOWHERE else None


def receiver_of(row: Row) -> int:
    """The node of the object that a row runs a method on."""
    return int(row[RECEIVER_AT.get(row[0], 2)])


def at_position(arguments: Sequence[int], position: int, path: Path) -> tuple[int, Path] | None:
    """The argument at a position; an element of the starred one that stands there or before."""
    for index, node in enumerate(arguments[: position + 1]):
        if node < NOWHERE:
            return ~node, inside(path, position - index)
        if index == position and node != NOWHERE:
            return node, path
    return None


def targets(row: Row) -> tuple[int, ...]:
    """What a row runs."""
    if row[0] == Move.CALL:
        return tuple(row[7])
    return tuple(row[6]) if row[0] in (Move.LOAD, Move.STORE) else tuple(row[5]) if row[0] == Move.DERIVE else ()
