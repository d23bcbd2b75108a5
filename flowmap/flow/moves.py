"""From facts and what was solved to the rows of moves that the index keeps, scope by scope."""

from __future__ import annotations

import marshal
import zlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from flowmap.flow.borders import Behind, behind_borders, calls_behind
from flowmap.flow.owners import NOT_OWNED, Owned, Owners
from flowmap.model.facts import SLICE, Op, Row, Scope, ScopeFlag, ScopeKind
from flowmap.model.flow import NOWHERE, Move, ScopeMoves, Touch, pack_moves
from flowmap.solve.state import State
from flowmap.solve.values import Kind

GIVEN = ("return", "yield")  # the labels of what a function gives; no variable can be called so
NAMED = ("getattr", "setattr")  # functions that touch the field of a name that they are given
DEFINING = frozenset((Op.FUNCTION, Op.CLASS, Op.IMPORT))  # what they bind is no value that is followed


@dataclass(slots=True)
class MoveTables:
    """The rows of the tables `flow_scope`, `flow_field` and `flow_file`."""

    scopes: list[tuple[int, bytes]] = field(default_factory=list)
    touches: defaultdict[str, dict[tuple[int, int], int]] = field(default_factory=lambda: defaultdict(dict))
    files: list[tuple[int, int, bytes]] = field(default_factory=list)

    def fields(self) -> Iterator[tuple[str, bytes]]:
        """For each name of a field: who touches it, as (owner, scope, Touch)."""
        for name in sorted(self.touches):
            rows = tuple((owner, scope, how) for (owner, scope), how in sorted(self.touches[name].items()))
            yield name, zlib.compress(marshal.dumps(rows), 1)


def move_tables(state: State) -> MoveTables:
    """All rows of moves of a solved program."""
    tables = MoveTables()
    owners = Owners(state)
    borders = behind_borders(state)
    for file in range(len(state.layout.files)):
        FileMoves((state, owners, borders), file).give(tables)
    return tables


class FileMoves:
    """The moves of one file."""

    def __init__(self, program: tuple[State, Owners, dict[int, list[Behind]]], file: int) -> None:
        state, owners, self.borders = program
        layout = state.layout
        self.state = state
        self.owners = owners
        self.file = file
        self.facts = layout.files[file]
        self.base = layout.node_base[file]
        self.first_scope = layout.scope_base[file]
        self.first_site = layout.site_base[file]
        self.lines = self.facts.node_lines
        self.labels = self.facts.labels
        self.labelled = sorted(self.labels)
        self.sites = layout.sites(file) if self.facts.scopes else ()
        own = [(scope.first_node, number) for number, scope in self.functions()]
        own.sort()
        self.firsts = [first for first, _ in own]
        self.numbers = [number for _, number in own]

    def functions(self) -> Iterator[tuple[int, Scope]]:
        """Functions and lambdas by program number: they alone have ranges of nodes that are all their own."""
        scopes = self.state.layout.scopes
        for number in range(self.first_scope, self.first_scope + len(self.facts.scopes)):
            if scopes[number].kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
                yield number, scopes[number]

    def give(self, tables: MoveTables) -> None:
        """Adds the rows of the file."""
        if not self.facts.scopes:
            return
        inner: defaultdict[int, list[int]] = defaultdict(list)
        found = []
        for local, rows in enumerate(self.facts.ops):
            scope = local + self.first_scope
            moves = ScopeReading(self, scope, tables).rows(rows)
            self.note_inner(inner, scope)
            found.append((scope, moves))
        for scope, moves in found:
            tables.scopes.append((scope, pack_moves(self.head(scope, tuple(inner.get(scope, ())), moves))))
        ranges = tuple(
            (self.firsts[at] + self.base, self.state.layout.scopes[number].end_node + self.base, number)
            for at, number in enumerate(self.numbers)
        )
        tables.files.append((self.file, self.base, zlib.compress(marshal.dumps((self.first_scope, ranges)), 1)))

    def note_inner(self, inner: defaultdict[int, list[int]], scope: int) -> None:
        """Remembers a scope for the functions that it stands in: it may name their nodes."""
        around = self.state.layout.parent(scope)
        while around >= 0:
            if self.state.layout.scopes[around].kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
                inner[around].append(scope)
            around = self.state.layout.parent(around)

    def head(self, scope: int, inner: tuple[int, ...], moves: list[Row]) -> ScopeMoves:
        """A scope with its head."""
        row = self.state.layout.scopes[scope]
        place = self.base.__add__
        is_method = scope in self.state.program.methods
        return ScopeMoves(
            scope=scope,
            params=tuple((name, place(node), kind, self.lines[node] or row.line) for name, node, kind, _ in row.params),
            result=NOWHERE if row.result < 0 else place(row.result),
            yields=NOWHERE if row.yields < 0 else place(row.yields),
            fields=tuple(row.declared) if row.kind == ScopeKind.CLASS else (),
            is_init=is_method and row.name == "__init__",
            is_static=not is_method or bool(row.flags & ScopeFlag.STATIC),
            inner=inner,
            labels=self.own_labels(scope),
            rows=tuple(moves),
        )

    def own_labels(self, scope: int) -> dict[int, str]:
        """The names of a function's nodes; of a module's, those that no function owns."""
        row = self.state.layout.scopes[scope]
        if row.kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
            first, last = bisect_left(self.labelled, row.first_node), bisect_left(self.labelled, row.end_node)
            return {node + self.base: self.labels[node] for node in self.labelled[first:last]}
        if scope != self.first_scope:
            return {}
        return {node + self.base: self.labels[node] for node in self.between_functions()}

    def between_functions(self) -> Iterator[int]:
        """The named nodes of the file that no function owns."""
        at = 0
        for first, number in zip(self.firsts, self.numbers, strict=True):
            yield from self.labelled[at : bisect_left(self.labelled, first)]
            at = bisect_left(self.labelled, self.state.layout.scopes[number].end_node)
        yield from self.labelled[at:]


class NodesAround:
    """The nodes that are not a function's own: names of what is around it, which it binds by `global` or `nonlocal`."""

    def __init__(self, scope: Scope) -> None:
        self.own = range(scope.first_node, scope.end_node)
        self.is_function = scope.kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA)

    def __contains__(self, node: int) -> bool:
        return self.is_function and node not in self.own


class ScopeReading:
    """One scope's rows of facts, being read."""

    def __init__(self, file: FileMoves, scope: int, tables: MoveTables) -> None:
        self.file = file
        self.base = file.base
        self.lines = file.lines
        self.labels = file.labels
        self.tables = tables
        self.scope = scope
        self.defined: set[int] = set()
        self.stored: set[tuple[int, str, int]] = set()  # by setattr, which the facts give as an assignment, too
        self.texts: dict[int, str] = {}
        self.around = NodesAround(file.state.layout.scopes[scope])
        self.read: dict[int, tuple[int, str]] = {}  # callee node → (receiver, name)

    def rows(self, rows: tuple[Row, ...]) -> list[Row]:
        """The moves."""
        found: list[Row] = []
        for row in rows:
            reader = READERS.get(row[0])
            if reader is None:
                self.note(row)
                continue
            move = reader(self, row)
            if move is not None:
                found.append(move)
                if row[0] == Op.CALL and row[5] + self.file.first_site in self.file.borders:
                    found.extend(calls_behind(move, self.file.borders[row[5] + self.file.first_site]))
        return found

    def note(self, row: Row) -> None:
        """What is no move, and has to be known for those behind it."""
        if row[0] in DEFINING:
            self.defined.add(row[1])
        elif row[0] == Op.STRING:
            self.texts[row[1]] = row[2]

    def place(self, node: int) -> int:
        """A node of the file by program number."""
        return node + self.base if node > 0 else NOWHERE

    def line(self, site: int, node: int) -> int:
        """The line of a site; of a node where no site is."""
        return int(self.file.sites[site][1]) if site >= 0 else self.lines[node]

    def owners(self, base: int, name: str) -> Owned:
        """The classes that own `base.name`, and those that `base` may be of."""
        return self.file.owners.of(self.scope, base + self.base, name) if base > 0 else NOT_OWNED

    def targets(self, site: int) -> tuple[int, ...]:
        """What a site runs of the indexed code."""
        found = self.file.state.targets.get(site + self.file.first_site) if site >= 0 else None
        if not found:
            return ()
        return tuple(sorted(what << 1 | self.is_bound(what, at.value) for what, at in found.items() if isinstance(what, int)))

    def is_bound(self, scope: int, value: int) -> bool:
        """Whether a value that runs a scope gives it a receiver: a bound method, an object or class by its methods."""
        state = self.file.state
        kind = state.values.kinds[value]
        is_method = scope in state.program.methods and not state.layout.scopes[scope].flags & ScopeFlag.STATIC
        return kind == Kind.BOUND or (is_method and kind != Kind.FUNCTION)

    def copy(self, row: Row) -> Row | None:
        _, dst, src = row
        if src <= 0 or dst <= 0 or src in self.defined:
            return None
        at = src if dst in self.around or self.labels.get(dst) in GIVEN else dst
        return (Move.COPY, self.lines[at], dst + self.base, src + self.base)

    def filter(self, row: Row) -> Row | None:
        return self.copy(row[:3])

    def annotate(self, row: Row) -> Row | None:
        return self.copy((Op.COPY, row[2], row[1]))

    def attribute(self, row: Row) -> Row | None:
        _, dst, base, name, site = row
        self.read[dst] = (base, name)
        if base <= 0 or dst <= 0:
            return None
        line = self.lines[dst]
        owners, classes = self.owners(base, name)
        self.touch(name, owners, Touch.LOADS)
        return (Move.LOAD, line, dst + self.base, base + self.base, name, owners, self.targets(site), classes)

    def method(self, row: Row) -> Row | None:
        """An attribute that is called: a move only where it is a field that something was stored in, or a property."""
        if self.file.state.fields.is_stored(row[3]) or (row[4] >= 0 and row[4] + self.file.first_site in self.file.state.targets):
            return self.attribute(row)
        self.read[row[1]] = (row[2], row[3])
        return None

    def touch(self, name: str, owners: tuple[int, ...], how: int) -> None:
        """Remembers which fields the scope touches."""
        for owner in owners:
            known = self.tables.touches[name]
            known[owner, self.scope] = known.get((owner, self.scope), 0) | how

    def set_attribute(self, row: Row) -> Row | None:
        _, base, name, src, site = row
        if site < 0 and (base, name, src) in self.stored:
            return None
        line = self.line(site, src)
        owners, classes = self.owners(base, name)
        self.touch(name, owners, Touch.STORES)
        return (Move.STORE, line, self.place(base), name, self.place(src), owners, self.targets(site), classes)

    def delete_attribute(self, row: Row) -> Row:
        _, base, name, site = row
        return (Move.DELETE, self.line(site, base), self.place(base), name, self.owners(base, name)[0])

    def call(self, row: Row) -> Row:
        _, dst, callee, arguments, keywords, site = row
        receiver, name = self.read.get(callee, (0, self.labels.get(callee, "")))
        if name in NAMED and len(arguments) > 1 and arguments[1] in self.texts and not keywords:
            touched = self.by_name(row, name, self.texts[arguments[1]])
            if touched is not None:
                return touched
        given = tuple(self.argument(node) for node in arguments)
        named = tuple((key, self.place(node)) for key, node in keywords)
        line = self.line(site, dst)
        return (Move.CALL, line, self.place(dst), name, self.place(receiver), given, named, self.targets(site))

    def by_name(self, row: Row, function: str, name: str) -> Row | None:
        """`getattr(base, "name")` and `setattr(base, "name", src)` as what they do."""
        _, dst, _, arguments, _, site = row
        base = arguments[0]
        if function == "getattr":
            return self.attribute((Op.ATTR, dst, base, name, site))
        if len(arguments) != len(STORED):
            return None
        self.stored.add((base, name, arguments[2]))
        return self.set_attribute((Op.SETATTR, base, name, arguments[2], site))

    def argument(self, node: int) -> int:
        """An argument; a starred one as the complement of its node."""
        return self.place(node) if node >= NOWHERE else ~self.place(~node)

    def item(self, row: Row) -> Row | None:
        _, dst, base, key, _, site = row
        bound = NOWHERE
        if isinstance(key, tuple):
            key, bound = key[:2], self.place(key[2]) if key[0] == SLICE else NOWHERE
        return (Move.ITEM, self.line(site, dst), self.place(dst), self.place(base), key, bound) if base > 0 else None

    def element(self, row: Row) -> Row | None:
        _, dst, base, site = row
        return (Move.ITEM, self.line(site, dst), self.place(dst), self.place(base), None, NOWHERE) if base > 0 else None

    def set_item(self, row: Row) -> Row:
        _, base, key, src, site, _ = row
        known = None if isinstance(key, tuple) else key
        return (Move.SETITEM, self.line(site, src), self.place(base), known, self.place(src))

    def display(self, row: Row) -> Row | None:
        _, dst, type_name, items = row
        if type_name == "keys":
            return None
        held = tuple((key, self.place(node)) for key, node in items if node > 0)
        return (Move.DISPLAY, self.lines[dst], self.place(dst), held)

    def carry(self, row: Row) -> Row | None:
        """What is awaited or entered: the same value, unless a function of the indexed code is run for it."""
        _, dst, src, site = row
        targets = self.targets(site)
        if targets and src > 0:
            return (Move.LOAD, self.line(site, dst), self.place(dst), self.place(src), "__enter__", (), targets, ())
        return self.copy((Op.COPY, dst, src))

    def operator(self, row: Row) -> Row | None:
        _, dst, names, left, right, site = row
        sources = tuple(self.place(node) for node in (left, right))
        return (Move.DERIVE, self.line(site, dst), self.place(dst), names[0].strip("_"), sources, self.targets(site))

    def text(self, row: Row) -> Row | None:
        _, dst, src, _ = row
        return (Move.DERIVE, self.lines[dst], self.place(dst), "text", (self.place(src),), ()) if src > 0 else None


STORED = ("object", "name", "value")  # what setattr takes

READERS: dict[int, Callable[[ScopeReading, Row], Row | None]] = {
    Op.COPY: ScopeReading.copy,
    Op.ATTR: ScopeReading.attribute,
    Op.SETATTR: ScopeReading.set_attribute,
    Op.CALL: ScopeReading.call,
    Op.GETITEM: ScopeReading.item,
    Op.SETITEM: ScopeReading.set_item,
    Op.ELEMENT: ScopeReading.element,
    Op.DISPLAY: ScopeReading.display,
    Op.FILTER: ScopeReading.filter,
    Op.ANNOTATE: ScopeReading.annotate,
    Op.AWAIT: ScopeReading.carry,
    Op.ENTER: ScopeReading.carry,
    Op.OPERATOR: ScopeReading.operator,
    Op.METHOD: ScopeReading.method,
    Op.TEXT: ScopeReading.text,
    Op.DELATTR: ScopeReading.delete_attribute,
}
