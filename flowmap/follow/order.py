"""Whether what loads a field can run after what stores it, where the text has them the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from flowmap.follow.blocks import in_one_loop
from flowmap.follow.carry import Hop, carried, holder
from flowmap.follow.search import Step, Way
from flowmap.follow.state import Edge, Spot
from flowmap.follow.world import Place, World, targets_of
from flowmap.model.flow import Field, Move
from flowmap.model.program import DefinitionKind


class Turn(Enum):
    """When a load runs that follows a store."""

    PLAIN = auto()  # nothing in the text is against it
    AGAIN = auto()  # it stands above the store, and a later call of the same function runs it
    NEVER = auto()  # it stands above the store, and its object is made anew by each call


MOST_HOPS = 30  # ways of objects that are looked for in one search; behind it nothing is left out


@dataclass(slots=True)
class InOrder:
    """Leaves out of a search the loads that can only run before the store that led to them. It is one for each search."""

    world: World
    new: dict[Place, bool] = field(default_factory=dict)  # stores into objects that each call makes anew
    fields: dict[Field, bool] = field(default_factory=dict)  # fields that have such a store
    hops: dict[Hop, bool] = field(default_factory=dict)

    def sift(self, spot: Spot, step: Step | None, edges: Iterable[Edge]) -> Iterator[Edge]:
        """The moves from a spot that can follow `step`. A field that is reached by what has to be in order is told apart by that:
        another store of it may come before more."""
        for edge in edges:
            if edge.place is None:
                yield edge
            elif isinstance(edge.spot.at, tuple):
                since = (edge.place,) if self.counts(edge.spot.at, edge.place) else ()
                yield edge._replace(spot=edge.spot._replace(calls=since))
            elif not isinstance(spot.at, tuple) or step is None or not spot.calls or self.follows(spot.at, step, edge.place):
                yield edge

    def counts(self, at: Field, place: Place) -> bool:
        """Whether it matters when a row that stores or loads a field runs."""
        if self.world.row(place)[0] == Move.STORE:
            return self.is_new(place)
        if at not in self.fields:
            self.fields[at] = any(map(self.is_new, self.world.stores(at)))
        return self.world.row(place)[0] == Move.LOAD and self.fields[at]

    def is_new(self, place: Place) -> bool:
        """Whether a store is one into an object that each call makes anew."""
        if place not in self.new:
            self.new[place] = self.world.row(place)[0] == Move.STORE and is_new(self.world, place)
        return self.new[place]

    def follows(self, at: Field, step: Step, place: Place) -> bool:
        """Whether of a store and a load, either of which led to the field, the load can run behind the store."""
        before, came = step
        assert came.place is not None, "fields are reached by rows"
        forward = self.world.row(came.place)[0] == Move.STORE
        hop = Hop(at, came.place, place, before.calls) if forward else Hop(at, place, came.place, ())
        if not self.is_new(hop.store):
            return True
        if hop not in self.hops and len(self.hops) < MOST_HOPS:
            way = carried(self.world, hop)
            self.hops[hop] = turn(self.world, hop, () if way is None else (way,)) is not Turn.NEVER
        return self.hops.get(hop, True)


def turn(world: World, hop: Hop, ways: tuple[Way, ...]) -> Turn:
    """When the load of a hop runs. `ways` are those of the object from the store to the load."""
    scope, line = hop.store[0], int(world.row(hop.store)[1])
    if world.row(hop.store)[0] != Move.STORE or len(ways) != 1 or any(outlives(world, scope, edge) for edge in ways[0].edges):
        return Turn.PLAIN
    places = [*(edge.place for edge in ways[0].edges if edge.place is not None), hop.load]
    inside = [int(world.row(place)[1]) for place in places if place[0] == scope]
    if not inside or inside[-1] >= line or in_one_loop(world, scope, (inside[-1], line)):
        return Turn.PLAIN
    return Turn.NEVER if is_new(world, hop.store) else Turn.AGAIN


def outlives(world: World, scope: int, edge: Edge) -> bool:
    """Whether a move takes an object where it outlives a call: into a field, a module's variable, back to the caller."""
    at, moves = edge.spot.at, world.scope(scope).moves
    if at in (moves.result, moves.yields):
        return True
    return not isinstance(at, int) or world.definition(world.owner(at)).kind is DefinitionKind.MODULE


def is_new(world: World, store: Place) -> bool:
    """Whether each call of a function makes the object anew whose field it stores."""
    node, scope = holder(world, store), store[0]
    if world.owner(node) != scope or world.definition(scope).kind is DefinitionKind.MODULE:
        return False
    makers = world.makers(node)
    while len(makers) == 1 and world.row(makers[0])[0] == Move.COPY:
        makers = world.makers(world.row(makers[0])[3])
    return bool(makers) and all(makes(world, place) for place in makers)


def makes(world: World, place: Place) -> bool:
    """Whether a row is a call that makes an object, and does nothing else."""
    row = world.row(place)
    targets = targets_of(row) if row[0] == Move.CALL else ()
    made = (world.is_class(target >> 1) or world.scope(target >> 1).moves.is_init for target in targets)
    return bool(targets) and all(made)
