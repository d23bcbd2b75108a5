"""A way as the steps of a path: what a reader is told of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from flowmap.follow.blocks import in_one_loop, is_called_in_a_loop
from flowmap.follow.carry import Carry, Hop, carry
from flowmap.follow.ends import First, Named
from flowmap.follow.exclusion import Exclusions, Stand, stand_at
from flowmap.follow.methods import changes_in_place
from flowmap.follow.order import Turn, turn
from flowmap.follow.search import Way
from flowmap.follow.state import Edge, Spot
from flowmap.follow.world import Place, World
from flowmap.model.flow import NOWHERE, FlowPath, FlowStep, Move, What

LONGEST_CALL = 60  # lines in which the keyword of a call is looked for


def path_of(world: World, named: tuple[Named, Named], way: Way) -> FlowPath | None:
    """The steps of a way from one name to another; None where a load on it can only come before its store."""
    start, end = named
    first = dict(start.starts).get(way.start)
    last = dict(end.last).get(end_node(way))
    telling = Telling(world, way, first)
    steps = [*([step_of(world, first)] if first is not None else []), *telling.steps()]
    if not telling.is_possible:
        return None
    if last is not None and (not steps or (steps[-1].function, steps[-1].line) != (last.scope, last.line)):
        steps.append(step_of(world, last))
    at = way.edges[-1].spot.at if way.edges else NOWHERE
    ends = (at[:2],) if isinstance(at, tuple) else ()
    return FlowPath(tuple(merged(with_borders(world, steps))), way.cost, ends, Exclusions(world).of(telling.stands))


def end_node(way: Way) -> int:
    """The node where a way ends; NOWHERE where that is a field."""
    at = way.edges[-1].spot.at if way.edges else way.start.at
    return at if isinstance(at, int) else NOWHERE


def step_of(world: World, first: First) -> FlowStep:
    """The step of a named place."""
    place = world.definition(first.scope).place
    assert place is not None, "it was found in the indexed code"
    return FlowStep(place.file, first.line, first.scope, first.what, first.detail, first.line)


@dataclass(slots=True)
class Telling:
    """A way being told."""

    world: World
    way: Way
    first: First | None
    lost: bool = False  # whether the way of the object that was stored to last was not found
    turn: Turn = Turn.PLAIN  # when what loads runs, after the store before it
    is_possible: bool = True  # whether every load can run after the store before it
    calls: tuple[int, tuple[Place, ...]] = (-1, ())  # a function that an object was carried into, and through which calls
    stands: list[Stand] = field(default_factory=list)  # where its steps stand
    n_loads: int = 0

    def steps(self) -> Iterator[FlowStep]:
        """Its steps, with what changes the value in place, and the ways of the objects that hold it."""
        spot, line = self.way.start, (self.first.scope, self.first.line) if self.first is not None else (-1, 0)
        if self.first is not None:
            self.stands.append(Stand(*line, "", (self.first.scope, spot.calls, 0)))
        edges = self.way.edges
        nodes = [] if spot.path else [spot.at]
        for number, edge in enumerate(edges):
            if edge.what is not None and edge.place is not None:
                loads = edge.what is What.LOADED
                step = replace(told(self.world, edge, edge.what), unseen=self.lost and loads)
                if loads and self.turn is Turn.AGAIN:
                    step = once_more(self.world, step, line[0])
                self.lost, self.turn = False, Turn.PLAIN
                self.n_loads += loads
                calls = () if loads else spot.calls
                self.stands.append(stand_at(self.world, edge.place, (edge.place[0], calls, self.n_loads)))
                yield from self.updates(nodes, line, (edge.place[0], step.line))
                nodes, line = [], (edge.place[0], step.line)
                yield step
            following = edges[number + 1] if number + 1 < len(edges) else None
            if edge.what is What.STORED and following is not None and following.what is What.LOADED:
                yield from self.hop(spot, edge, following)
            spot = edge.spot
            nodes += [] if spot.path else [spot.at]

    def hop(self, before: Spot, store: Edge, load: Edge) -> Iterator[FlowStep]:
        """How the object came from a store to a load."""
        assert store.place is not None
        assert load.place is not None
        assert isinstance(store.spot.at, tuple)
        known = self.calls[1] if self.calls[0] == store.place[0] and not before.calls else before.calls
        hop = Hop(store.spot.at, store.place, load.place, known, tuple(self.stands))
        found = carry(self.world, hop)
        self.turn = turn(self.world, hop, found.ways)
        self.is_possible = self.is_possible and self.turn is not Turn.NEVER
        yield from self.carried(found, hop)
        self.lost = not found.ways
        last = found.ways[-1].edges[-1:] if found.ways else ()
        self.calls = (load.place[0], last[0].spot.calls) if last else (-1, ())

    def carried(self, found: Carry, hop: Hop) -> Iterator[FlowStep]:
        """The steps of the carrying object, and those of functions that store the field anew."""
        name, scope = hop.field[1], hop.store[0]
        for number, way in enumerate(found.ways):
            rest = [edge for edge in way.edges if edge.what is not None and edge.place is not None]
            places = [edge.place for edge in rest if edge.place is not None]
            stays = {place[0] for place in (*places, hop.load)} == {scope}
            for edge, place, onward in zip(rest, places, (*places, hop.load)[1:], strict=True):
                self.stands.append(stand_at(self.world, place, None))
                if stays or not says_nothing(edge, (scope, place[0], onward[0])):
                    yield told(self.world, edge, What.CARRIED)
                scope = place[0]
            if number < len(found.rewrites):
                one = found.rewrites[number]
                load = Edge(0.0, Spot(NOWHERE), What.LOADED, one.load, name)
                yield told(self.world, load, What.LOADED)
                for edge in one.edges:
                    if edge.what is not None and edge.place is not None:
                        yield told(self.world, edge, edge.what)

    def updates(self, nodes: Iterable[object], since: tuple[int, int], until: tuple[int, int]) -> Iterator[FlowStep]:
        """What changes the value in place between two lines of a function."""
        (scope, first), (other, last) = since, until
        if scope != other:
            return
        found = {}
        for node in nodes:
            if isinstance(node, int):
                for place in self.world.uses(node):
                    line, detail = self.world.row(place)[1], changes(self.world, place, node)
                    if detail and first < line < last and place[0] == scope:
                        found[line] = Edge(0.0, Spot(node), What.UPDATED, place, detail)
        yield from (told(self.world, found[line], What.UPDATED) for line in sorted(found))


def says_nothing(edge: Edge, scopes: tuple[int, int, int]) -> bool:
    """Whether a step of the carrying object tells a reader nothing: it is returned to the line that is told next, or gets another
    name in the midst of a function. `scopes`: the functions of the step before it, of itself, and of the one behind it."""
    return edge.what is What.RETURNED or (edge.what is What.RENAMED and len(set(scopes)) == 1)


def told(world: World, edge: Edge, what: What) -> FlowStep:
    """The step of one move."""
    assert edge.place is not None, "only moves at a row are told"
    place = world.definition(edge.place[0]).place
    assert place is not None, "rows stand in the indexed code"
    statement = int(world.row(edge.place)[1])
    return FlowStep(place.file, line_of(world, edge), edge.place[0], what, edge.detail, statement)


def changes(world: World, place: Place, node: int) -> str:
    """What a row does to a value in place, "" for nothing. A call whose result nobody takes may fill in what it is given."""
    row = world.row(place)
    if row[0] == Move.SETITEM and row[2] == node:
        return "[…] ="
    if row[0] != Move.CALL or row[7]:
        return ""
    if row[4] == node:
        return f".{row[3]}()" if changes_in_place(row[3]) else ""
    return f"{row[3]}()" if not world.uses(row[2]) and row[3] not in QUIET else ""


QUIET = frozenset(
    ("print", "len", "isinstance", "debug", "info", "warning", "error", "exception", "append", "add", "put", "extend")
)


def line_of(world: World, edge: Edge) -> int:
    """The line of a move; that of its keyword where a call gives a value by one."""
    assert edge.place is not None
    row = world.row(edge.place)
    line = int(row[1])
    place = world.definition(edge.place[0]).place
    if row[0] != Move.CALL or place is None or edge.detail not in {name for name, _ in row[6]}:
        return line
    lines = world.index.text_lines(place.file)
    pattern = re.compile(rf"(?<![\w.]){re.escape(edge.detail)}\s*=(?!=)")
    found = (at for at in range(line, min(line + LONGEST_CALL, len(lines) + 1)) if pattern.search(lines[at - 1]))
    return next(found, line)


def with_borders(world: World, steps: list[FlowStep]) -> Iterator[FlowStep]:
    """Marks what stands above the store that it follows: the next iteration reads it where a loop stands around both, a later
    call where the object was parked."""
    stored: FlowStep | None = None
    for step in steps:
        if stored is not None and step.what in (What.CARRIED, What.LOADED) and is_above(world, step, stored):
            repeats = in_one_loop(world, world.outermost(step.function), (step.statement, stored.statement))
            parked = stored.what is What.CARRIED
            if parked and stored.function != step.function:
                repeats = repeats or in_one_loop(world, stored.function, (stored.statement, stored.statement))
            yield once_more(world, step, step.function) if parked and not repeats else replace(step, later=step.later or repeats)
            stored = None
            continue
        yield step
        if step.what is What.STORED or (step.what is What.CARRIED and step.detail.endswith(")")):
            stored = step
        elif step.what is not What.CARRIED:
            stored = None


def once_more(world: World, step: FlowStep, function: int) -> FlowStep:
    """A step that a later call of a function runs: the next iteration where a loop calls it."""
    called = is_called_in_a_loop(world, function)
    return replace(step, later=called, again=not called)


def is_above(world: World, step: FlowStep, stored: FlowStep) -> bool:
    """Whether a step stands above another one in the same outermost function."""
    return step.statement < stored.statement and world.outermost(step.function) == world.outermost(stored.function)


def merged(steps: Iterable[FlowStep]) -> Iterator[FlowStep]:
    """Steps of the same kind on the same line as one; a name that a line gives to what it makes is no step of its own."""
    last: FlowStep | None = None
    for step in steps:
        if last is not None and (last.function, last.statement) == (step.function, step.statement):
            if step.what is What.CARRIED and last.what is What.STORED and not step.detail:
                continue
            if step.what is last.what and step.what is not What.DERIVED:
                continue
            if step.what is What.RENAMED and last.what is not What.RETURNED:
                continue
        yield step
        last = step
