"""Which results wait until a later turn of a loop takes them up: their object is put into a container that a field keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from flowmap.follow.search import Ends, Following, Search, Tree, find
from flowmap.follow.state import Spot
from flowmap.follow.world import World
from flowmap.hooks.step import Step
from flowmap.hooks.touched import Field
from flowmap.model.flow import Move
from flowmap.model.place import Place

MOST_STEPS = 1_500  # of the search for where one object goes


def taken_up_later(step: Step, fields: Iterable[Field]) -> Mapping[Field, tuple[Place, ...]]:
    """For each field of a result that the operations, or what runs them, make: where its object is put away, and where what keeps
    it is read."""
    world = World(step.index)
    inside = (step.above | step.below) - step.machinery
    found: dict[int, tuple[Place, ...]] = {}
    later: dict[Field, tuple[Place, ...]] = {}
    for field in fields:
        for function, place in step.touched.writers.get(field, ()):
            node = _made_at(world, function, place.line, field[1]) if function in inside else None
            if node is not None:
                if node not in found:
                    found[node] = tuple(dict.fromkeys(_kept(step, world, node)))
                later[field] = tuple(dict.fromkeys((*later.get(field, ()), *found[node])))
    return {field: places for field, places in later.items() if places}


def _made_at(world: World, function: int, line: int, name: str) -> int | None:
    """The node of the object that a call makes with a field given by keyword; `line` is one of the call."""
    rows = world.scope(function).moves.rows
    making = [row for row in rows if row[0] == Move.CALL and row[1] <= line and any(given == name for given, _ in row[6])]
    return int(making[-1][2]) if making else None


def _kept(step: Step, world: World, node: int) -> Iterator[Place]:
    _, tree = find(world, Search((Spot(node),), Ends(), Following.OBJECT, MOST_STEPS))
    for spot in _containers(tree):
        came = tree.came[spot]
        fields = [spot.at] if isinstance(spot.at, tuple) else []
        place = came[1].place if came else None
        if place and place[0] in step.within:
            yield _place(world, place)
            yield from (_place(world, load) for field in fields for load in world.loads(field) if load[0] in step.within)


def _containers(tree: Tree) -> list[Spot]:
    return [spot for spot in tree.came if isinstance(spot.at, tuple) and spot.path]


def _place(world: World, at: tuple[int, int]) -> Place:
    return Place(world.file_of(at[0]), world.row(at)[1])
