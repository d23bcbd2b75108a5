"""The fields of instances and classes as nodes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from flowmap.model.facts import COMPUTED, Op, Row, Scope, ScopeFlag
from flowmap.solve.install import placed_tree
from flowmap.solve.state import State

Order = tuple[int | str, ...]  # of classes; outside ones by dotted name
Field = tuple[int, int]  # (node that stores enter, node that reads leave)


class Fields:
    """A field of the instances of one class, or of a class itself, has a node that stores enter and one that reads leave."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.of_instances: dict[tuple[int, str], Field] = {}
        self.of_classes: dict[tuple[int, str], int] = {}
        self.readers: defaultdict[str, list[Any]] = defaultdict(list)  # by name, flat: classes, receiver, row of the read ...
        self.shared_orders: dict[Order, Order] = {}
        self.on_classes: set[str] = set()  # the names that something stores on a class
        self.of_functions: dict[tuple[int, str], int] = {}
        self.of_outside: dict[tuple[int, str], int] = {}
        self.known_declared: dict[int, frozenset[str]] = {}
        stores = tuple(stores_of(state))
        self.stores = Counter(one.name for one in stores)  # how many places assign an attribute of each name
        self.summed: set[int] = set()  # classes with variants of which any instance may be meant
        self.computed_stores = computed_stores(state)
        self.fitting: dict[str, tuple[str, ...]] = {}  # name → the computed names that it may be
        self.possible_stores = possible_stores(state)
        self.outside_stores = first_stores(stores)

    def instance(self, cls: int, name: str) -> Field:
        """The field of a class's instances."""
        key = (cls, name)
        found = self.of_instances.get(key)
        if found is None:
            found = self.of_instances[key] = self.make(cls, name)
            self.state.shared_fields.add_single(cls, name, found)
            if self.state.variants.base(cls) in self.summed:
                self.sum_field(cls, name)
        return found

    def sum_up(self, cls: int) -> None:
        """An instance of a class that is meant by its annotation may be any: its fields hold what those of all variants hold."""
        if cls not in self.summed and self.state.variants.is_told_apart(cls):
            self.summed.add(cls)
            for one, name in tuple(self.of_instances):
                if self.state.variants.base(one) == cls:
                    self.sum_field(one, name)

    def sum_field(self, variant: int, name: str) -> None:
        """Lets a field of a variant flow into that of its class."""
        cls = self.state.variants.base(variant)
        if cls != variant:
            self.state.flow_weakly(self.instance(variant, name)[1], self.instance(cls, name)[0])

    def make(self, cls: int, name: str) -> Field:
        """A new field; a declared one is bounded by its annotation."""
        state = self.state
        layout = state.layout
        own = state.variants.base(cls)
        origin = layout.scopes[own].node + layout.node_base[layout.scope_file[own]]
        label = f"{layout.scopes[own].name}.{name}"
        inward = state.new_node(origin, label)
        state.hints.reach_field(own, name, inward)
        for one in state.variants.classes.order[cls]:
            if isinstance(one, int) and name in layout.scopes[one].declared:
                outward = state.new_node(origin, label)
                base = layout.node_base[layout.scope_file[one]]
                tree = placed_tree(layout.scopes[one].declared[name], base.__add__)
                state.declared.declare(inward, outward, tree)
                return inward, outward
        return inward, inward

    def declared(self, cls: int) -> frozenset[str]:
        """The names that the classes of an order declare."""
        found = self.known_declared.get(cls)
        if found is None:
            scopes, order = self.state.layout.scopes, self.state.variants.classes.order[cls]
            names = (name for one in order if isinstance(one, int) for name in scopes[one].declared)
            found = self.known_declared[cls] = frozenset(names)
        return found

    def is_stored_from_outside(self, name: str) -> bool:
        """Whether some place stores an attribute of this name on anything but its method's own `self`."""
        return name in self.outside_stores

    def class_(self, cls: int, name: str) -> int:
        """The node of what is stored on a class from outside its body."""
        key = (cls, name)
        found = self.of_classes.get(key)
        if found is None:
            layout = self.state.layout
            origin = layout.scopes[cls].node + layout.node_base[layout.scope_file[cls]]
            found = self.of_classes[key] = self.state.new_node(origin, f"{layout.scopes[cls].name}.{name}")
            self.on_classes.add(name)
            parts = iter(self.readers.get(name, ()))
            for classes, receiver, row in zip(parts, parts, parts, strict=True):
                if cls in classes:
                    self.bind(found, receiver, row)
        return found

    def read_classes(self, classes: Order, name: str, read: tuple[int, Row]) -> None:
        """Binds what is, or will be, stored under a name on some classes. Most names are stored on none: readers wait by name,
        and a class has no node before something is stored on it. `read`: the receiver, and the row (dst, base, name, site)."""
        self.readers[name] += (classes, *read)
        for one in classes if name in self.on_classes else ():
            node = self.of_classes.get((one, name)) if isinstance(one, int) else None
            if node is not None:
                self.bind(node, *read)

    def first_of(self, order: Order, count: int) -> Order:
        """The first classes of an order: one object, however many readers wait for them."""
        return self.shared_orders.setdefault(order[:count], order[:count])

    def bind(self, node: int, receiver: int, row: Row) -> None:
        """Lets what is stored on a class reach a read."""
        dst, base, _, site = row
        self.state.watch(node, self.state.tables["bind"], (dst, receiver, site, (base, receiver)))

    def function(self, function: int, name: str) -> int:
        """The node of what is stored on a function; `function` is its value."""
        key = (function, name)
        found = self.of_functions.get(key)
        if found is None:
            layout = self.state.layout
            scope = self.state.values.payloads[function][0]
            origin = layout.scopes[scope].node + layout.node_base[layout.scope_file[scope]]
            found = self.of_functions[key] = self.state.new_node(origin, f"{layout.scopes[scope].name}.{name}")
        return found

    def outside(self, value: int, name: str) -> int:
        """The node of what is stored on something that is not indexed; it stands where that name is stored first."""
        key = (value, name)
        found = self.of_outside.get(key)
        if found is None:
            label = f"{self.state.values.payloads[value]}.{name}"
            found = self.of_outside[key] = self.state.new_node(self.outside_stores[name], label)
        return found

    def patterns(self, name: str) -> tuple[str, ...]:
        """The computed names, of those that the program may store under, that a name may be."""
        if not self.computed_stores:
            return ()
        found = self.fitting.get(name)
        if found is None:
            found = self.fitting[name] = tuple(one for one in self.computed_stores if may_name(one, name))
        return found

    def may_be_stored(self, name: str) -> bool:
        """Whether a field of this name may be there though no method of its class assigns it: stored from outside, or by a
        computed name."""
        return name in self.outside_stores or name in self.possible_stores or bool(self.patterns(name))

    def stored_as(self, name: str) -> tuple[str, ...]:
        """The names, computed ones too, under which the program may store an attribute."""
        own = (name,) if name in self.stores or name in self.possible_stores else ()
        return own + self.patterns(name)

    def is_stored(self, name: str) -> bool:
        """Whether anything in the program assigns an attribute of this name."""
        return name in self.stores

    def stored_once(self, name: str) -> bool:
        """Whether one place alone assigns an attribute of this name."""
        return self.stores[name] == 1


def may_name(pattern: str, name: str) -> bool:
    """Whether a text with computed parts may be a name."""
    start, _, rest = pattern.partition(COMPUTED)
    end = rest.rpartition(COMPUTED)[2]
    return name.startswith(start) and name.endswith(end) and len(name) > len(start) + len(end)


def computed_stores(state: State) -> tuple[str, ...]:
    """The computed names with a constant part in the files that call `setattr`."""
    found: dict[str, None] = {}
    for file in state.layout.files:
        if file.scopes and "setattr" in Scope(*file.scopes[0]).names:
            texts = (row[2] for rows in file.ops for row in rows if row[0] == Op.STRING)
            found.update((text, None) for text in texts if COMPUTED in text and text.replace(COMPUTED, "a").isidentifier())
    return tuple(text for text in found if text.strip(COMPUTED))


def possible_stores(state: State) -> frozenset[str]:
    """The names that `setattr` with a name from a variable may store under: the texts around it, in its scope and its module."""
    found: set[str] = set()
    for file in state.layout.files:
        storing = Scope(*file.scopes[0]).names.get("setattr", -1) if file.scopes else -1
        for rows in file.ops if storing >= 0 else ():
            texts = {row[1]: row[2] for row in rows if row[0] == Op.STRING}
            if any(row[0] == Op.CALL and row[2] == storing and row[3][1:2] and row[3][1] not in texts for row in rows):
                around = (row[2] for row in next(file.ops) if row[0] == Op.STRING)
                found.update(text for text in (*texts.values(), *around) if text.isidentifier())
    return frozenset(found)


class Store(NamedTuple):
    """`base.name = value` in the text. `is_own`: through the first parameter of a method. `value`: its node in the program."""

    name: str
    value: int
    is_own: bool


def stores_of(state: State) -> Iterator[Store]:
    """All assignments of attributes, in the order of the text."""
    for file, base in zip(state.layout.files, state.layout.node_base, strict=True):
        for row, rows in zip(file.scopes, file.ops, strict=True):
            stores = [op for op in rows if op[0] == Op.SETATTR]
            own = receiver_nodes(Scope(*row)) if stores else ()
            yield from (Store(op[2], op[3] + base, op[1] in own) for op in stores)


def receiver_nodes(scope: Scope) -> tuple[int, ...]:
    """The nodes of a function's first parameter; of a class method none, since what it stores is stored on the class."""
    if not scope.params or scope.flags & ScopeFlag.CLASSMETHOD:
        return ()
    name, node, _, _ = scope.params[0]
    return node, scope.names.get(name, node)


def first_stores(stores: Iterable[Store]) -> dict[str, int]:
    """The names under which something is stored, not through the first parameter of a method: each with what is stored first."""
    found: dict[str, int] = {}
    for one in stores:
        if not one.is_own:
            found.setdefault(one.name, one.value)
    return found
