"""What a value at a spot comes from: one function for each kind of row that makes a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flowmap.follow.aliases import arguments_of
from flowmap.follow.forward import GIVEN, STEP, WEAK
from flowmap.follow.methods import ADDING, LISTING, SAME, TAKING, changes_in_place, symbol
from flowmap.follow.state import SILENT, Edge, Spot, below, entered, inside, written
from flowmap.follow.world import Place, World, fields_of
from flowmap.model.flow import ANY_CLASS, NOWHERE, Field, Move, Row, What

At = tuple[Place, Row]
MOST_HELD = 400  # places that are asked what they put into a field's container


def backward(world: World, spot: Spot) -> Iterator[Edge]:
    """The moves that lead to a spot, each to where it comes from."""
    if isinstance(spot.at, tuple):
        yield from stored(world, spot)
        return
    here = world.owner(spot.at)
    for place in world.makers(spot.at):
        row = world.row(place)
        one = spot if place[0] == here else spot._replace(calls=())
        if row[0] in BACKWARD:
            yield from BACKWARD[row[0]](world, one, (place, row))
    for place in world.uses(spot.at):
        yield from put_in(spot, (place, world.row(place)))
    for edge in arguments_of(world, spot, here):
        yield edge._replace(spot=edge.spot._replace(back=False))


def stored(world: World, spot: Spot) -> Iterator[Edge]:
    """From a field to all that is stored in it: by assignment, by a constructor, and into the container that it holds."""
    assert isinstance(spot.at, tuple)
    owner, name, cls = spot.at
    for place in world.stores(spot.at):
        yield Edge(STEP, Spot(world.row(place)[4], spot.path), What.STORED, place, name)
    for node, calls in held(world, spot.at):
        for place in world.uses(node):
            yield from put_in(Spot(node, spot.path, calls), (place, world.row(place)))
    made = cls if cls != ANY_CLASS else owner
    if name not in world.constructed(made):
        return
    position = world.constructed(made).index(name)
    for place in world.callers(made):
        row = world.row(place)
        if row[0] == Move.CALL:
            node = next((node for key, node in row[6] if key == name), row[5][position] if position < len(row[5]) else NOWHERE)
            if node > NOWHERE:
                yield Edge(STEP, Spot(node, spot.path), What.STORED, place, name)


Calls = tuple[Place, ...]


def held(world: World, field: Field) -> Iterator[tuple[int, Calls]]:
    """Where the object in a field is seen, and through which calls: where it is loaded to, and its names and parameters there."""
    waiting: list[tuple[int, Calls]] = [(world.row(place)[2], ()) for place in world.loads(field)]
    known = {NOWHERE}
    while waiting and len(known) < MOST_HELD:
        node, calls = waiting.pop()
        if node in known:
            continue
        known.add(node)
        yield node, calls
        for place in world.uses(node):
            waiting += held_by(world, node, calls, (place, world.row(place)))


def held_by(world: World, node: int, calls: Calls, at: At) -> Iterator[tuple[int, Calls]]:
    """Where a row puts the object that a node holds."""
    place, row = at
    if row[0] == Move.COPY and world.label(row[2]) not in GIVEN:
        yield row[2], calls
    elif row[0] == Move.CALL and node in row[5]:
        for target in row[7]:
            param = NOWHERE if world.is_class(target >> 1) else world.positional(target, row[5].index(node))
            if param != NOWHERE:
                yield param, entered(calls, place)


def copy(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, dst, src) = at
    label = world.label(dst)
    is_new = bool(label) and label != world.label(src)
    what = (What.RETURNED if label in GIVEN else What.RENAMED) if is_new else None
    yield Edge(STEP / 2 if is_new else SILENT, spot._replace(at=src), what, place, label if what is What.RENAMED else "")


def load(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, row = at
    for field in fields_of(row):
        yield Edge(STEP, Spot(field, spot.path), What.LOADED, place, row[4])
    for target in row[6]:
        yield from result_of(world, spot, place, target)
    if not row[5] and not row[6]:
        yield Edge(WEAK, Spot(row[3], (), spot.calls), What.DERIVED, place, f".{row[4]}")


def result_of(world: World, spot: Spot, place: Place, target: int) -> Iterator[Edge]:
    """The result of a function that a row runs."""
    moves = world.scope(target >> 1).moves
    if moves.is_init or moves.result == NOWHERE:
        return
    if moves.yields != NOWHERE:
        rest = below(spot.path, None)
        if rest is not None:
            yield Edge(STEP, Spot(moves.yields, rest, entered(spot.calls, place)), What.RETURNED, place)
    else:
        yield Edge(STEP, Spot(moves.result, spot.path, entered(spot.calls, place)), What.RETURNED, place)


def call(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    """The result of what is called; of what is not indexed, all that it is given."""
    place, row = at
    _, _, _, name, receiver, arguments, keywords, targets = row
    for target in targets:
        if not world.is_class(target >> 1):
            yield from result_of(world, spot, place, target)
    if targets:
        return
    if receiver != NOWHERE:
        path = inside(spot.path, None) if name in TAKING else spot.path if name in LISTING else ()
        yield Edge(STEP, Spot(receiver, path, spot.calls), What.DERIVED, place, f".{name}()")
    for node in (*arguments, *(node for _, node in keywords)):
        if node != NOWHERE:
            path = spot.path if name in SAME else ()
            yield Edge(WEAK, Spot(node if node >= 0 else ~node, path, spot.calls), What.DERIVED, place, f"{name}()")


def item(_world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, _, base, key, bound) = at
    yield Edge(STEP / 2, spot._replace(at=base, path=inside(spot.path, key)), What.DERIVED, place, written(key))
    if bound != NOWHERE:
        yield Edge(WEAK, Spot(bound, (), spot.calls), What.DERIVED, place, "bound of [:]")


def display(_world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, _, items) = at
    for key, node in items:
        rest = below(spot.path, key if key != "*" else None) if spot.path else ()
        if rest is not None and node != NOWHERE:
            yield Edge(SILENT, spot._replace(at=node, path=rest), None, place)


def derive(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, _, operation, sources, targets) = at
    for target in targets:
        yield from result_of(world, spot, place, target)
    if not targets:
        for node in sources:
            if node != NOWHERE:
                yield Edge(STEP, Spot(node, (), spot.calls), What.DERIVED, place, symbol(operation))


def put_in(spot: Spot, at: At) -> Iterator[Edge]:
    """What is put into the container at a node."""
    place, row = at
    if row[0] == Move.SETITEM and row[2] == spot.at and row[4] != NOWHERE:
        rest = below(spot.path, row[3]) if spot.path else ()
        if rest is not None:
            yield Edge(STEP, spot._replace(at=row[4], path=rest), What.UPDATED, place, "[…] =")
    elif row[0] == Move.CALL and row[4] == spot.at and not row[7] and changes_in_place(row[3]):
        yield from put_in_by(spot, at)


def put_in_by(spot: Spot, at: At) -> Iterator[Edge]:
    """What a method puts into its receiver: `append` an element, `extend` those of another, `update` by key, too."""
    place, row = at
    path = spot.path[1:] if row[3] in ADDING else spot.path
    for node in row[5]:
        if node > NOWHERE:
            yield Edge(STEP, spot._replace(at=node, path=path), What.UPDATED, place, f".{row[3]}()")
    for key, node in row[6] if row[3] == "update" else ():
        rest = below(spot.path, key) if spot.path and key is not None else spot.path
        if rest is not None and node > NOWHERE:
            yield Edge(STEP, spot._replace(at=node, path=rest), What.UPDATED, place, f".{row[3]}()")


BACKWARD: dict[int, Callable[[World, Spot, At], Iterator[Edge]]] = {
    Move.COPY: copy,
    Move.LOAD: load,
    Move.CALL: call,
    Move.ITEM: item,
    Move.DISPLAY: display,
    Move.DERIVE: derive,
}
