"""What a question names: a field, a parameter, a name on a line, the result of a call on a line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flowmap.follow.rows import nodes_used
from flowmap.follow.search import Ends
from flowmap.follow.state import Spot
from flowmap.follow.world import Place, World, fields_of, targets_of
from flowmap.model.flow import ANY_CLASS, NOWHERE, Move, Row, What
from flowmap.model.program import Definition, DefinitionKind
from flowmap.store.flows import class_order, classes_below

CALL = "()"  # what a question says instead of a name for the result of the calls on a line


@dataclass(frozen=True, slots=True)
class First:
    """The step with which a path begins, and the line that the text gives it."""

    what: What
    scope: int
    line: int
    detail: str


@dataclass(frozen=True, slots=True)
class Named:
    """What a name in a question stands for: where a search may begin, where it may end, and how a path is told."""

    text: str
    starts: tuple[tuple[Spot, First | None], ...]
    ends: Ends
    last: tuple[tuple[int, First], ...] = ()  # the step that ends a path at a node

    @property
    def is_empty(self) -> bool:
        """Whether nothing is meant."""
        return not self.starts and not self.ends.nodes and not self.ends.fields and not self.ends.rows


def field_named(world: World, cls: Definition, name: str) -> Named | None:
    """The field of a class: as its own order owns it, and as the classes below it do. None where nothing touches it."""
    owners = world.owning(name)
    mine = [one for one in class_order(world.index, cls.id) if one in owners][:1]
    below = [one for one in classes_below(world.index, cls.id) if one in owners]
    declared = name in world.constructed(cls.id)
    found = sorted({*mine, *below, *([world.declaring(cls.id, name)] if declared else [])})
    if not found:
        return None
    fields = frozenset((owner, name) for owner in found)
    starts = tuple((Spot((*field, ANY_CLASS)), declaration(world, field)) for field in sorted(fields))
    return Named(f"{cls.name}.{name}", starts, Ends(fields=fields))


def declaration(world: World, field: tuple[int, str]) -> First | None:
    """The line where a field is declared."""
    owner, name = field
    row = world.definition(owner)
    if row.place is None or name not in world.scope(owner).moves.fields:
        return None
    lines = world.index.text_lines(row.place.file)
    pattern = re.compile(rf"\s*{re.escape(name)}\s*:")
    for line in range(row.place.line, min(row.end_line, len(lines)) + 1):
        if pattern.match(lines[line - 1]):
            return First(What.DECLARED, owner, line, name)
    return None


def parameter_named(world: World, function: Definition, name: str) -> Named | None:
    """A parameter of a function; None where it has none of the name."""
    for given, node, _, line in world.scope(function.id).moves.params:
        if given == name:
            first = First(What.DECLARED, function.id, line, name)
            return Named(f"{function.name}({name})", ((Spot(node), first),), Ends(nodes=frozenset((node,))))
    return None


def result_named(world: World, function: Definition) -> Named | None:
    """What a function returns."""
    moves = world.scope(function.id).moves
    if function.kind is DefinitionKind.CLASS or moves.result == NOWHERE or function.place is None:
        return None
    ends = Ends(nodes=frozenset((moves.result, *([moves.yields] if moves.yields != NOWHERE else []))))
    first = First(What.RETURNED, function.id, function.place.line, function.name)
    return Named(f"{function.name}()", ((Spot(moves.result), first),), ends)


def effects_named(world: World, function: Definition) -> Named:
    """What a function returns, yields, and stores in fields: what its change changes first. Empty where it does none of that."""
    result = result_named(world, function)
    moves = world.scope(function.id).moves
    starts: dict[Spot, First | None] = dict(result.starts if result is not None else ())
    for row in moves.rows:
        if row[0] == Move.STORE:
            starts |= {Spot(field): First(What.STORED, function.id, row[1], row[3]) for field in fields_of(row)}
    return Named(function.name, tuple(starts.items()), result.ends if result is not None else Ends())


def on_line(world: World, path: str, line: int, name: str) -> Named:
    """A local, an attribute, a keyword or a parameter on a line; `()` for what its calls give. Empty where none has the name."""
    meant = Meaning(world, path, line, name)
    for scope in scopes_around(world, path, line):
        meant.look_at_parameters(scope)
        for number, row in enumerate(world.scope(scope).moves.rows):
            meant.look((scope, number), row)
    return meant.named()


def scopes_around(world: World, path: str, line: int) -> tuple[int, ...]:
    """The definitions whose text holds a line, the innermost first."""
    query = "SELECT id FROM symbol WHERE file = ? AND line <= ? AND end_line >= ? ORDER BY line DESC, col DESC"
    file = world.index.file_ids.get(path, -1)
    return tuple(row[0] for row in world.index.rows(query, file, line, line))


class Meaning:
    """What a name on a line stands for, gathered row by row."""

    def __init__(self, world: World, path: str, line: int, name: str) -> None:
        self.world = world
        self.path = path
        self.line = line
        self.name = name
        self.starts: dict[Spot, First | None] = {}
        self.nodes: dict[int, First] = {}
        self.rows: set[Place] = set()
        self.keywords: list[tuple[int, Spot, Place]] = []  # (first line of the call, start, row)

    def look(self, place: Place, row: Row) -> None:
        """Looks at one row."""
        if row[0] == Move.CALL and self.name != CALL:
            self.look_at_keywords(place, row)
        if row[1] != self.line:
            return
        match row:
            case (Move.CALL, _, dst, called, *_) if self.name in (CALL, f"{called}()") and dst != NOWHERE:
                self.start(dst, place, What.BORN)
            case (Move.LOAD, _, dst, _, name, *_) if name == self.name and dst != NOWHERE:
                self.start(dst, place, What.LOADED)
            case (Move.STORE, _, _, name, *_) if name == self.name:
                self.rows.add(place)
                first = First(What.STORED, place[0], self.line, name)
                self.starts.update({Spot(field): first for field in fields_of(row)})
            case (Move.COPY, _, dst, _) if self.world.label(dst) == self.name:
                self.start(dst, place, What.BORN)
            case _:
                self.look_at_uses(place, row)

    def start(self, node: int, place: Place, what: What) -> None:
        """A node that the name stands for."""
        self.starts.setdefault(Spot(node), First(what, place[0], self.line, self.name))
        self.nodes.setdefault(node, First(What.LOADED, place[0], self.line, self.name))

    def look_at_parameters(self, scope: int) -> None:
        """A parameter that the line declares."""
        for given, node, _, line in self.world.scope(scope).moves.params:
            if given == self.name and line == self.line:
                first = First(What.DECLARED, scope, line, given)
                self.starts.setdefault(Spot(node), first)
                self.nodes.setdefault(node, first)

    def look_at_uses(self, place: Place, row: Row) -> None:
        """A local that a row of the line takes."""
        for node in nodes_used(row):
            if self.world.label(node) == self.name:
                self.start(node, place, What.LOADED)

    def look_at_keywords(self, place: Place, row: Row) -> None:
        """A keyword of a call that the line stands in."""
        for name, node in row[6]:
            if name == self.name and row[1] <= self.line and self.is_keyword_line(row[1]):
                for target in targets_of(row):
                    spot = self.passed(target)
                    if spot is not None:
                        self.keywords.append((row[1], spot, place))
                if not targets_of(row) and node != NOWHERE:
                    self.keywords.append((row[1], Spot(node), place))

    def passed(self, target: int) -> Spot | None:
        """Where a keyword goes."""
        cls = target >> 1
        if self.world.is_class(cls):
            return (
                Spot((self.world.declaring(cls, self.name), self.name, cls)) if self.name in self.world.constructed(cls) else None
            )
        param = self.world.named(target, self.name)
        return Spot(param) if param != NOWHERE else None

    def is_keyword_line(self, first: int) -> bool:
        """Whether the keyword stands on the line, and no other call begins between with the same."""
        lines = self.world.index.text_lines(self.path)
        return first <= self.line <= len(lines) and re.search(rf"\b{re.escape(self.name)}\s*=", lines[self.line - 1]) is not None

    def named(self) -> Named:
        """All that was gathered."""
        nearest = max((line for line, _, _ in self.keywords), default=0)
        for line, spot, place in self.keywords:
            if line == nearest:
                self.rows.add(place)
                is_field = isinstance(spot.at, tuple)
                first = First(What.STORED if is_field else What.PASSED, place[0], self.line, self.name)
                self.starts.setdefault(spot, first)
        text = f"{self.path}:{self.line}:{self.name}"
        ends = Ends(nodes=frozenset(self.nodes), rows=frozenset(self.rows))
        return Named(text, tuple(self.starts.items()), ends, tuple(self.nodes.items()))
