"""The way of an object between the store of its field and the load: who passes, returns, keeps and takes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from flowmap.follow.exclusion import Exclusions, Stand, stand_at
from flowmap.follow.search import Ends, Following, Move, Search, Way, find, penalize
from flowmap.follow.state import Edge, Spot
from flowmap.follow.world import Place, World
from flowmap.model.flow import NOWHERE, Field
from flowmap.model.flow import Move as Row

MOST_STEPS = 3_000  # of one search for the way of an object
WORTH = 1.5  # what a way through a container may cost more than one that passes none
MOST_TRIES = 4  # of finding a way whose branches can all be taken
MOST_INSIDE = 300  # of one search inside a function
MOST_REWRITES = 6  # functions that store a field anew out of itself, each tried as a part of the way


@dataclass(frozen=True, slots=True)
class Hop:
    """A store into a field, and a load of it later. `calls`: how the store was entered; `since`: where the value went before."""

    field: Field
    store: Place
    load: Place
    calls: tuple[Place, ...]
    since: tuple[Stand, ...] = ()


def holder(world: World, place: Place) -> int:
    """The node of the object whose field a row stores or loads; what a constructor makes."""
    row = world.row(place)
    return int(row[3] if row[0] == Row.LOAD else row[2])


def stays(world: World, hop: Hop) -> bool:
    """Whether both touch the field on the object that they are methods of: it goes nowhere, it is there."""
    made = world.scope(hop.store[0]).moves.is_init
    return not made and all(is_receiver(world, place) for place in (hop.store, hop.load))


def is_receiver(world: World, place: Place) -> bool:
    """Whether a row's object is the one that its function is a method of."""
    moves = world.scope(place[0]).moves
    if moves.is_static or not moves.params:
        return False
    node, first = holder(world, place), moves.params[0][1]
    return node == first or any(row[0] == Row.COPY and row[3] == first for row in map(world.row, world.makers(node)))


def carried(world: World, hop: Hop) -> Way | None:
    """How the object comes from the store to the load; None where that is not found."""
    start, end = holder(world, hop.store), holder(world, hop.load)
    if NOWHERE in (start, end):
        return None
    first = Spot(start, (), hop.calls, True)
    if start == end or stays(world, hop):
        return Way(first, (), 0.0)
    ends = Ends(nodes=frozenset((end,)))
    direct, _ = find(world, Search((first,), ends, Following.OBJECT, MOST_STEPS))
    if direct is None:
        return None
    way = kept(world, first, ends, direct)
    return way if not is_excluded(world, hop, way) else open_way(world, hop, ends, way)


def is_excluded(world: World, hop: Hop, way: Way) -> bool:
    """Whether the branches that a way goes through exclude each other."""
    places = [hop.store, *(edge.place for edge in way.edges if edge.what is not None and edge.place is not None), hop.load]
    return Exclusions(world).of([*hop.since, *(stand_at(world, place, None) for place in places)]) is not None


def open_way(world: World, hop: Hop, ends: Ends, closed: Way) -> Way:
    """Another way of the object, whose branches do not exclude each other, where one is found; else the same."""
    penalties: defaultdict[Move, float] = defaultdict(float)
    way: Way | None = closed
    for _ in range(MOST_TRIES):
        assert way is not None
        penalize(penalties, way)
        way, _ = find(world, Search((closed.start,), ends, Following.OBJECT, MOST_STEPS, penalties))
        if way is None:
            break
        if not is_excluded(world, hop, way):
            return way
    return closed


def kept(world: World, first: Spot, ends: Ends, direct: Way) -> Way:
    """The way through a container that keeps the object for later, where there is one that is hardly longer: it is the one that
    a reader does not see in the text."""
    _, tree = find(world, Search((first,), Ends(), Following.OBJECT, MOST_STEPS, most_cost=direct.cost + WORTH))
    fields = (came for spot, came in tree.came.items() if isinstance(spot.at, tuple) and spot.path)
    waiting = tuple(dict.fromkeys(came[0] for came in fields if came is not None))
    if not waiting:
        return direct
    rest, _ = find(world, Search(waiting, ends, Following.OBJECT, MOST_STEPS, most_cost=direct.cost + WORTH))
    if rest is None:
        return direct
    before = tree.way(rest.start)
    cost = before.cost + rest.cost
    return Way(before.start, (*before.edges, *rest.edges), cost) if cost <= direct.cost + WORTH else direct


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A function that loads a field, makes something of it and stores that in the same field of the same object."""

    load: Place
    edges: tuple[Edge, ...]
    store: Place


def rewrites(world: World, field: Field) -> Iterator[Rewrite]:
    """All such functions for a field."""
    loads = {(place[0], holder(world, place)): place for place in world.loads(field)}
    for place in world.stores(field):
        load = loads.get((place[0], holder(world, place)))
        if load is None or is_augmented(world, place):
            continue
        start = Spot(world.row(load)[2])
        way, _ = find(world, Search((start,), Ends(rows=frozenset((place,))), Following.VALUE, MOST_INSIDE))
        if way is not None and all(edge.place is None or edge.place[0] == place[0] for edge in way.edges):
            yield Rewrite(load, way.edges, place)


def is_augmented(world: World, place: Place) -> bool:
    """Whether a store belongs to `+=` or the like: another value joins, so it is no step of all values of the field."""
    row = world.row(place)
    makers = [world.row(one) for one in world.makers(row[4])]
    sources = [world.row(one) for maker in makers if maker[0] == Row.COPY for one in world.makers(maker[3])]
    return any(one[0] == Row.DERIVE and one[3].startswith("i") for one in (*makers, *sources))


@dataclass(frozen=True, slots=True)
class Carry:
    """The way of an object, in parts: what carries it, and what is done to the field on the way."""

    ways: tuple[Way, ...]
    rewrites: tuple[Rewrite, ...]  # one between each two ways


def carry(world: World, hop: Hop) -> Carry:
    """The way of the object, through a function that stores the field anew where one lies on it."""
    direct = carried(world, hop)
    if direct is None or (not direct.edges and stays(world, hop)):
        return Carry(() if direct is None else (direct,), ())
    for number, rewrite in enumerate(rewrites(world, hop.field)):
        if number >= MOST_REWRITES:
            break
        if hop.store[0] in (rewrite.store[0],) or hop.load[0] == rewrite.load[0]:
            continue
        before = carried(world, Hop(hop.field, hop.store, rewrite.load, hop.calls, hop.since))
        if before is None:
            continue
        calls = before.edges[-1].spot.calls if before.edges else ()
        after = carried(world, Hop(hop.field, rewrite.store, hop.load, calls, hop.since))
        if after is not None:
            return Carry((before, after), (rewrite,))
    return Carry((direct,), ())
