"""Where a value goes from a spot: one function for each kind of row."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flowmap.follow.methods import ADDING, JOINING, LISTING, SAME, TAKING, symbol
from flowmap.follow.state import LENGTH, SILENT, Edge, Path, Spot, below, entered, inside, written
from flowmap.follow.world import KEYWORDS, VARIADIC, Place, World, fields_of
from flowmap.model.flow import NOWHERE, Move, Row, What

GIVEN = ("return", "yield")  # the labels of what a function gives
FAR = 0.3  # the cost of coming back to another file: of two ways the one that stays near is told first
STEP, WEAK, UNKNOWN = 1.0, 2.0, 3.0  # a step that is told; one that says less; one through what nothing is known of


def forward(world: World, spot: Spot, since: Place | None) -> Iterator[Edge]:
    """The moves from a spot; `since` is the row that led there."""
    if isinstance(spot.at, tuple):
        yield from loaded(world, spot, since)
        return
    node = spot.at
    here = world.owner(node)
    for place in world.uses(node):
        row = world.row(place)
        one = spot if place[0] == here else spot._replace(calls=())  # read from a function inside
        yield from FORWARD[row[0]](world, one, (place, row))
    yield from left(world, spot, here)


At = tuple[Place, Row]


def loaded(world: World, spot: Spot, since: Place | None) -> Iterator[Edge]:
    """From a field to all that load it; those near to the class, and in the function that stored it, are told first."""
    assert isinstance(spot.at, tuple)
    home = world.file_of(spot.at[0])
    function = -1 if since is None else world.outermost(since[0])
    for place in world.loads(spot.at):
        row = world.row(place)
        cost = STEP if world.file_of(place[0]) == home else STEP + FAR
        if world.outermost(place[0]) != function:
            cost += FAR / 2
        yield Edge(cost, Spot(row[2], spot.path), What.LOADED, place, f"{row[4]}")


def left(world: World, spot: Spot, scope: int) -> Iterator[Edge]:
    """From a result to the calls that receive it: to the one that was entered, or to any where none is known."""
    moves = world.scope(scope).moves
    path = spot.path
    if spot.at == moves.yields:
        path = inside(path, None)
    elif spot.at != moves.result:
        return
    calls = (spot.calls[-1],) if spot.calls else world.callers(scope)
    for place in calls:
        row = world.row(place)
        if row[0] in (Move.CALL, Move.LOAD, Move.DERIVE) and row[2] != NOWHERE:
            cost = SILENT if world.file_of(place[0]) == world.file_of(scope) else FAR
            yield Edge(cost, Spot(row[2], path, spot.calls[:-1]), None, place)


def copy(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, dst, src) = at
    label = world.label(dst)
    is_new = bool(label) and label != world.label(src)
    if is_new and label in GIVEN:
        yield Edge(STEP, spot._replace(at=dst), What.RETURNED, place)
    elif is_new:
        yield Edge(STEP / 2, spot._replace(at=dst), What.RENAMED, place, label)
    else:
        yield Edge(SILENT, spot._replace(at=dst), None, place)


def load(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    """An attribute of the value: a property runs with it; of what is not known it is something derived."""
    place, (_, _, dst, _, name, owners, targets, _) = at
    for target in targets:
        receiver = world.receiver(target)
        if receiver != NOWHERE:
            yield Edge(STEP, Spot(receiver, spot.path, entered(spot.calls, place)), What.PASSED, place, name)
    if not owners and not targets and not spot.path:
        yield Edge(WEAK, spot._replace(at=dst), What.DERIVED, place, f".{name}")


def store(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, _, name, src, _, targets, _) = at
    if spot.at != src:
        return
    for field in fields_of(at[1]):
        yield Edge(STEP, Spot(field, spot.path), What.STORED, place, name)
    for target in targets:
        param = world.positional(target, 0)
        if param != NOWHERE:
            yield Edge(STEP, Spot(param, spot.path, entered(spot.calls, place)), What.PASSED, place, name)


def call(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    """An argument: into the parameter or the field that takes it, or into what an outside function gives."""
    _, row = at
    _, _, _, _, receiver, arguments, keywords, targets = row
    if spot.at == receiver:
        yield from called_on(world, spot, at)
    for position, node in enumerate(arguments):
        if node == spot.at:
            yield from argument(world, spot, at, position)
        elif node < NOWHERE and ~node == spot.at:
            yield from starred(world, spot, at, position)
    for name, node in keywords:
        if node == spot.at:
            yield from keyword(world, spot, at, name)
    if not targets and spot.at != receiver:
        yield from given_away(spot, at)


def called_on(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    """A method of the value."""
    place, (_, _, dst, name, _, _, _, targets) = at
    for target in targets:
        param, path = receiving(world, target, spot.path)
        if param != NOWHERE:
            yield Edge(STEP, Spot(param, path, entered(spot.calls, place)), What.PASSED, place, name)
    if targets:
        return
    if not spot.path:
        yield Edge(STEP, spot._replace(at=dst), What.DERIVED, place, f".{name}()")
    elif spot.path[0] is LENGTH:
        return
    elif name in TAKING:
        yield Edge(STEP / 2, spot._replace(at=dst, path=spot.path[1:]), None, place, f".{name}()")
    elif name == "items":
        yield Edge(SILENT, spot._replace(at=dst, path=inside(inside(spot.path[1:], 1), None)), None, place)
    elif name in LISTING:
        yield Edge(SILENT, spot._replace(at=dst), None, place)


def receiving(world: World, target: int, path: Path) -> tuple[int, Path]:
    """The parameter that takes the receiver of a call, and which part of it is the receiver: the first of `*args`."""
    param = world.receiver(target)
    if param == NOWHERE and world.takes_receiver(target):
        return world.variadic(target, VARIADIC), inside(path, 0)
    return param, path


def argument(world: World, spot: Spot, at: At, position: int) -> Iterator[Edge]:
    """A positional argument of functions of the indexed code."""
    place, row = at
    for target in row[7]:
        if world.is_class(target >> 1):
            names = world.constructed(target >> 1)
            if position < len(names):
                yield into_field(world, spot, place, (target >> 1, names[position]))
            continue
        param = world.positional(target, position)
        path = spot.path
        if param == NOWHERE:
            param, path = world.variadic(target, VARIADIC), inside(path, world.place_in_rest(target, position))
        if param != NOWHERE:
            detail = row[3] if is_border(row) else world.label(param)
            yield Edge(STEP, Spot(param, path, entered(spot.calls, place)), What.PASSED, place, detail)


def is_border(row: Row) -> bool:
    """Whether a call stands for what it hands over to run elsewhere: its name is a reason, in several words."""
    return " " in row[3]


def into_field(world: World, spot: Spot, place: Place, field: tuple[int, str]) -> Edge:
    """An argument that a constructor stores."""
    owner = world.declaring(*field)
    return Edge(STEP, Spot((owner, field[1], field[0]), spot.path), What.STORED, place, field[1])


def starred(world: World, spot: Spot, at: At, position: int) -> Iterator[Edge]:
    """`*arguments`: an element whose position is known goes to its parameter."""
    if not spot.path:
        return
    key = spot.path[0]
    if isinstance(key, int):
        yield from argument(world, spot._replace(path=spot.path[1:]), at, position + key)
        return
    place, row = at
    for target in row[7]:
        rest = world.variadic(target, VARIADIC)
        if rest != NOWHERE:
            yield Edge(STEP, Spot(rest, spot.path, entered(spot.calls, place)), What.PASSED, place, "*")


def keyword(world: World, spot: Spot, at: At, name: str | None) -> Iterator[Edge]:
    """A keyword argument; `**keywords` by its key."""
    place, row = at
    path = spot.path
    if name is None:
        if not path or not isinstance(path[0], str):
            return
        name, path = path[0], path[1:]
    one = spot._replace(path=path)
    for target in row[7]:
        if world.is_class(target >> 1):
            if name in world.constructed(target >> 1):
                yield into_field(world, one, place, (target >> 1, name))
            continue
        param = world.named(target, name)
        inner = path
        if param == NOWHERE:
            param, inner = world.variadic(target, KEYWORDS), inside(path, name)
        if param != NOWHERE:
            yield Edge(STEP, Spot(param, inner, entered(spot.calls, place)), What.PASSED, place, name)


def given_away(spot: Spot, at: At) -> Iterator[Edge]:
    """An argument of something outside the indexed code."""
    place, (_, _, dst, name, receiver, arguments, _, _) = at
    if receiver != NOWHERE and name in ADDING:
        yield Edge(STEP, Spot(receiver, inside(spot.path, None), spot.calls, True), What.STORED, place, f".{name}()")
    elif receiver != NOWHERE and name in JOINING and spot.path:
        yield Edge(STEP, Spot(receiver, spot.path, spot.calls, True), What.STORED, place, f".{name}()")
    if name == "cast":
        yield Edge(SILENT, spot._replace(at=dst), None, place)
    elif not spot.path:
        yield Edge(WEAK, spot._replace(at=dst), What.DERIVED, place, f"{name}()")
    elif name in SAME:
        yield Edge(SILENT, spot._replace(at=dst), None, place)
    elif spot.path[0] is LENGTH:
        yield from counted(spot, at)
    elif name in TAKING:
        yield Edge(SILENT, spot._replace(at=dst, path=spot.path[1:]), None, place)
    elif name == "enumerate":
        yield Edge(SILENT, spot._replace(at=dst, path=inside(inside(spot.path[1:], 1), None)), None, place)
    elif name == "zip" and spot.at in arguments:
        position = arguments.index(spot.at)
        yield Edge(SILENT, spot._replace(at=dst, path=inside(inside(spot.path[1:], position), None)), None, place)
    else:
        yield Edge(WEAK, Spot(dst, (), spot.calls), What.DERIVED, place, f"{name}()")


def counted(spot: Spot, at: At) -> Iterator[Edge]:
    """The length of a container, where something asks for it."""
    place, row = at
    if row[3] == "len":
        yield Edge(STEP, spot._replace(at=row[2], path=spot.path[1:]), What.DERIVED, place, "len()")


def item(_world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, dst, base, key, bound) = at
    if spot.at == bound != base:
        if not spot.path:
            yield Edge(WEAK, spot._replace(at=dst, path=(LENGTH,)), What.DERIVED, place, "bound of [:]")
        return
    if not spot.path:
        yield Edge(STEP / 2, spot._replace(at=dst), What.DERIVED, place, written(key))
        return
    rest = below(spot.path, key)
    if rest is not None:
        yield Edge(SILENT, spot._replace(at=dst, path=rest), None, place)


def set_item(_world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, base, key, src) = at
    if spot.at == src and base != NOWHERE:
        detail = f"{written(key)} ="
        yield Edge(STEP, Spot(base, inside(spot.path, key), spot.calls, True), What.STORED, place, detail)


def display(_world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, dst, items) = at
    for key, node in items:
        if node == spot.at:
            path = inside(spot.path, key) if key != "*" else (None, *spot.path[1:])
            yield Edge(SILENT, spot._replace(at=dst, path=path), None, place)


def derive(world: World, spot: Spot, at: At) -> Iterator[Edge]:
    place, (_, _, dst, operation, sources, targets) = at
    for target in targets:
        param = world.receiver(target) if spot.at == sources[0] else world.positional(target, 0)
        if param != NOWHERE:
            yield Edge(STEP, Spot(param, spot.path, entered(spot.calls, place)), What.PASSED, place, operation)
    if not targets and (not spot.path or operation in ("add", "or", "iadd", "ior")):
        yield Edge(STEP, spot._replace(at=dst), What.DERIVED, place, symbol(operation))


def delete(_world: World, _spot: Spot, _at: At) -> Iterator[Edge]:
    yield from ()


FORWARD: dict[int, Callable[[World, Spot, At], Iterator[Edge]]] = {
    Move.COPY: copy,
    Move.LOAD: load,
    Move.STORE: store,
    Move.CALL: call,
    Move.ITEM: item,
    Move.SETITEM: set_item,
    Move.DISPLAY: display,
    Move.DERIVE: derive,
    Move.DELETE: delete,
}
