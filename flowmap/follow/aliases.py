"""Back to where a container or object comes from: whoever else holds it sees what was done to it."""

from __future__ import annotations

from collections.abc import Iterator

from flowmap.follow.methods import TAKING
from flowmap.follow.state import LENGTH, SILENT, Edge, Spot, entered, inside
from flowmap.follow.world import POSITIONAL, Place, World, fields_of
from flowmap.model.flow import BOUND, NOWHERE, Move, Row, What

STEP = 1.0


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
    if position < 0:
        return
    calls = (spot.calls[-1],) if spot.calls else world.callers(scope)
    for place in calls:
        node = given(world, place, scope, position)
        if node != NOWHERE:
            yield Edge(STEP, spot._replace(at=node, calls=spot.calls[:-1]), What.PASSED, place, moves.params[position][0])


def given(world: World, place: Place, scope: int, position: int) -> int:
    """The node that a row passes to a parameter."""
    row = world.row(place)
    moves = world.scope(scope).moves
    name, _, kind, _ = moves.params[position]
    bound = any(target >> 1 == scope and target & BOUND for target in targets(row))
    shift = 1 if bound and not moves.is_static else 0
    if position < shift:
        if row[0] == Move.CALL:
            return int(row[2] if moves.is_init else row[4])
        return int(row[3] if row[0] == Move.LOAD else row[2])
    if row[0] != Move.CALL:
        return int(row[4]) if row[0] == Move.STORE else NOWHERE
    named = next((node for key, node in row[6] if key == name), NOWHERE)
    if named != NOWHERE or kind not in POSITIONAL or position - shift >= len(row[5]):
        return named
    found = row[5][position - shift]
    return int(found) if found > NOWHERE else NOWHERE


def targets(row: Row) -> tuple[int, ...]:
    """What a row runs."""
    if row[0] == Move.CALL:
        return tuple(row[7])
    return tuple(row[6]) if row[0] in (Move.LOAD, Move.STORE) else tuple(row[5]) if row[0] == Move.DERIVE else ()
