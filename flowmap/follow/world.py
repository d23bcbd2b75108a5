"""The rows of moves as a search asks for them: what uses a node, what makes it, who calls, who touches a field.

Nothing is read before it is asked for, and everything is kept: a search touches a few hundred of many thousand scopes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from flowmap.follow.rows import nodes_made, nodes_used
from flowmap.model.flow import ANY_CLASS, BOUND, NOWHERE, Field, Move, Row, ScopeMoves, Touch
from flowmap.model.program import Definition, DefinitionKind
from flowmap.store.accesses import field_owners
from flowmap.store.flows import class_order, first_nodes, node_ranges, scope_moves, scopes_calling, touches
from flowmap.store.index import Index

Place = tuple[int, int]  # a row: its scope, and its number in the scope

_OF_FILE = "SELECT id FROM symbol WHERE file = (SELECT file FROM symbol WHERE id = ?) AND kind <> 'external' ORDER BY id"
NO_MOVES = ScopeMoves(-1, (), NOWHERE, NOWHERE, (), False, True, (), {}, ())
POSITIONAL = (0, 1)  # kinds of parameters, as inspect.Parameter counts them
NAMED = (1, 3)
VARIADIC, KEYWORDS = 2, 4


@dataclass(slots=True)
class Loaded:
    """A scope's rows with the tables over them."""

    moves: ScopeMoves
    uses: dict[int, list[int]]
    makes: dict[int, list[int]]


class World:
    """The rows of one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.loaded: dict[int, Loaded] = {}
        self.known_uses: dict[int, tuple[Place, ...]] = {}
        self.known_callers: dict[int, tuple[Place, ...]] = {}
        self.known_touches: dict[str, tuple[tuple[int, int, int], ...]] = {}
        self.known_fields: dict[int, tuple[str, ...]] = {}
        self.known_outer: dict[int, int] = {}
        self.known_owners: dict[int, int] = {}
        self.ranges: dict[int, tuple[int, tuple[tuple[int, int, int], ...]]] = {}

    # ------------------------------------------------------------------- scopes

    def scope(self, number: int) -> Loaded:
        """A scope with its tables."""
        found = self.loaded.get(number)
        if found is None:
            found = self.loaded[number] = load(scope_moves(self.index, number) or NO_MOVES)
        return found

    def row(self, place: Place) -> Row:
        """One row."""
        return self.scope(place[0]).moves.rows[place[1]]

    def definition(self, scope: int) -> Definition:
        """What a scope defines."""
        return self.index.definitions((scope,))[0]

    def file_of(self, scope: int) -> str:
        """The file of a scope."""
        place = self.definition(scope).place
        return "" if place is None else place.file

    def outermost(self, scope: int) -> int:
        """The function around all functions that a scope stands in; the scope itself where it stands in none."""
        found = self.known_outer.get(scope)
        if found is None:
            symbol = self.definition(scope).symbol
            around = symbol.partition(".<locals>")[0]
            rows = self.index.rows("SELECT id FROM symbol WHERE text = ?", around) if around != symbol else ()
            found = self.known_outer[scope] = next((row[0] for row in rows), scope)
        return found

    def is_class(self, scope: int) -> bool:
        """Whether a symbol is a class."""
        return self.definition(scope).kind is DefinitionKind.CLASS

    @cached_property
    def firsts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The first node of each file, and the file."""
        pairs = first_nodes(self.index)
        return tuple(first for first, _ in pairs), tuple(file for _, file in pairs)

    def owner(self, node: int) -> int:
        """The scope whose node it is: a function, or the module."""
        found = self.known_owners.get(node)
        if found is None:
            firsts, files = self.firsts
            found = self.known_owners[node] = self.owner_in(files[bisect_right(firsts, node) - 1], node)
        return found

    def owner_in(self, file: int, node: int) -> int:
        """The scope of a file whose node it is."""
        if file not in self.ranges:
            self.ranges[file] = node_ranges(self.index, file)
        module, ranges = self.ranges[file]
        at = bisect_right(ranges, (node, 1 << 62, 0)) - 1
        return ranges[at][2] if at >= 0 and node < ranges[at][1] else module

    def label(self, node: int) -> str:
        """The name of a node, "" where it has none."""
        return self.scope(self.owner(node)).moves.labels.get(node, "")

    def uses(self, node: int) -> tuple[Place, ...]:
        """The rows that take the value of a node, those of functions inside too."""
        found = self.known_uses.get(node)
        if found is None:
            scopes = self.naming(self.owner(node), node)
            found = tuple((scope, number) for scope in scopes for number in self.scope(scope).uses.get(node, ()))
            self.known_uses[node] = found
        return found

    def naming(self, owner: int, node: int) -> tuple[int, ...]:
        """The scopes that may name a node: its owner, and what stands inside; of a module's variable the whole file."""
        if self.definition(owner).kind is not DefinitionKind.MODULE:
            return (owner, *self.scope(owner).moves.inner)
        if node not in self.scope(owner).moves.labels:
            return (owner,)
        return tuple(row[0] for row in self.index.rows(_OF_FILE, owner))

    def makers(self, node: int) -> tuple[Place, ...]:
        """The rows that give a node its value."""
        scopes = self.naming(self.owner(node), node)
        return tuple((scope, number) for scope in scopes for number in self.scope(scope).makes.get(node, ()))

    # -------------------------------------------------------------------- calls

    def callers(self, scope: int) -> tuple[Place, ...]:
        """The rows that run a function."""
        found = self.known_callers.get(scope)
        if found is None:
            found = self.known_callers[scope] = tuple(self.find_callers(scope))
        return found

    def find_callers(self, scope: int) -> list[Place]:
        """Searches the rows of the scopes that call a function."""
        return [
            (caller, number)
            for caller in scopes_calling(self.index, scope)
            for number, row in enumerate(self.scope(caller).moves.rows)
            if any(target >> 1 == scope for target in targets_of(row))
        ]

    def positional(self, target: int, position: int) -> int:
        """The parameter that takes the argument at a position of a call; NOWHERE where none does."""
        moves = self.scope(target >> 1).moves
        nodes = [node for _, node, kind, _ in moves.params if kind in POSITIONAL]
        at = position + self.takes_receiver(target)
        return nodes[at] if at < len(nodes) else NOWHERE

    def named(self, target: int, name: str) -> int:
        """The parameter that takes a keyword of a call."""
        params = self.scope(target >> 1).moves.params
        return next((node for given, node, kind, _ in params if given == name and kind in NAMED), NOWHERE)

    def variadic(self, target: int, kind: int) -> int:
        """The node of *args or **kwargs."""
        params = self.scope(target >> 1).moves.params
        return next((node for _, node, given, _ in params if given == kind), NOWHERE)

    def place_in_rest(self, target: int, position: int) -> int:
        """Which element of *args the argument at a position of a call becomes."""
        n_named = sum(kind in POSITIONAL for _, _, kind, _ in self.scope(target >> 1).moves.params)
        return position + self.takes_receiver(target) - n_named

    def takes_receiver(self, target: int) -> bool:
        """Whether a call passes its receiver before the arguments."""
        return bool(target & BOUND)

    def receiver(self, target: int) -> int:
        """The parameter that takes the receiver of a call."""
        params = self.scope(target >> 1).moves.params
        if not self.takes_receiver(target) or not params or params[0][2] not in POSITIONAL:
            return NOWHERE
        return params[0][1]

    # ------------------------------------------------------------------- fields

    def loads(self, field: Field) -> list[Place]:
        """The rows that load a field."""
        return self.touching(field, Move.LOAD, Touch.LOADS)

    def stores(self, field: Field) -> list[Place]:
        """The rows that store a field by assignment; constructors apart."""
        return self.touching(field, Move.STORE, Touch.STORES)

    def touching(self, field: Field, kind: int, how: int) -> list[Place]:
        """The rows of a kind that name a field."""
        owner, name, cls = field
        position = 4 if kind == Move.LOAD else 3
        return [
            (scope, number)
            for given, scope, touched in self.touches(name)
            if given == owner and touched & how
            for number, row in enumerate(self.scope(scope).moves.rows)
            if row[0] == kind and row[position] == name and owner in row[5] and (cls == ANY_CLASS or not row[7] or cls in row[7])
        ]

    def touches(self, name: str) -> tuple[tuple[int, int, int], ...]:
        """Who touches fields of a name."""
        if name not in self.known_touches:
            self.known_touches[name] = touches(self.index, name)
        return self.known_touches[name]

    def owning(self, name: str) -> tuple[int, ...]:
        """The classes that own a field of a name, as `state` tells them."""
        return field_owners(self.index, name)

    def constructed(self, cls: int) -> tuple[str, ...]:
        """The fields that a class without `__init__` takes, in the order of its constructor's arguments."""
        if cls not in self.known_fields:
            names: dict[str, None] = {}
            for one in reversed(class_order(self.index, cls)):
                names.update(dict.fromkeys(self.scope(one).moves.fields))
            self.known_fields[cls] = tuple(names)
        return self.known_fields[cls]

    def declaring(self, cls: int, name: str) -> int:
        """The class of an order that declares a field, the class itself where none does."""
        order = class_order(self.index, cls)
        return next((one for one in order if name in self.scope(one).moves.fields), cls)


def fields_of(row: Row) -> list[Field]:
    """The fields that a row loads or stores."""
    name = row[4] if row[0] == Move.LOAD else row[3]
    if row[7]:
        return [(owner, name, cls) for owner, cls in zip(row[5], row[7], strict=True)]
    return [(owner, name, ANY_CLASS) for owner in row[5]]


def load(moves: ScopeMoves) -> Loaded:
    """A scope's rows with their tables."""
    uses: defaultdict[int, list[int]] = defaultdict(list)
    makes: defaultdict[int, list[int]] = defaultdict(list)
    for number, row in enumerate(moves.rows):
        for node in dict.fromkeys(nodes_used(row)):
            uses[node].append(number)
        made = nodes_made(row)
        if made != NOWHERE:
            makes[made].append(number)
    return Loaded(moves, uses, makes)


def targets_of(row: Row) -> tuple[int, ...]:
    """What a row runs of the indexed code."""
    if row[0] == Move.CALL:
        return tuple(row[7])
    if row[0] in (Move.LOAD, Move.STORE):
        return tuple(row[6])
    return tuple(row[5]) if row[0] == Move.DERIVE else ()
