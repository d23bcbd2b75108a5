"""Fields that are touched as items: by keys of a TypedDict and of `x.__dict__`, by positions of named tuples and patterns."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from flowmap.flow.by_name import Method, Named
from flowmap.flow.marks import DROPPED, LOADED, READ, STORED, WRITE
from flowmap.flow.receivers import INSTANCES, Receiver, Receivers
from flowmap.model.facts import MATCH, Op, Row
from flowmap.solve.lookup import constructor_fields, member_node, provider
from flowmap.solve.records import KEYED, NAMED
from flowmap.solve.state import State
from flowmap.solve.values import Kind

FIELDS = "__dict__"
METHODS_OF_KEYED = {"get": (READ, LOADED), "pop": (WRITE, DROPPED), "setdefault": (WRITE, STORED)}  # by their first argument


ANY_NUMBER = -1  # of parts that something is taken apart into


class Item(NamedTuple):
    """A field that is touched as an item."""

    field: str
    receiver: Receiver


class ByItem:
    """Finds the fields that items are."""

    def __init__(self, state: State, receivers: Receivers) -> None:
        self.state = state
        self.receivers = receivers
        self.keyed = self.below(KEYED)
        self.named = self.below(NAMED)
        self.keys = frozenset(name for fields in self.keyed.values() for name in fields)

    def below(self, bases: tuple[str, ...]) -> dict[int, list[str]]:
        """The classes below some of outside, each with its fields in their order."""
        outside = self.state.variants.classes.outside_bases
        classes = self.state.program.classes.order
        return {cls: constructor_fields(self.state, cls) for cls in classes if not set(bases).isdisjoint(outside(cls))}

    def of_row(self, at: tuple[int, int], row: Row, n_parts: int) -> Iterator[Item]:
        """The fields that `x[key]` (a row of facts that reads or stores) touches. `at`: its scope, and where the nodes of its
        file begin; `n_parts`: how many `x` is taken apart into."""
        scope, base = at
        thing, key = row[1 if row[0] == Op.SETITEM else 2], row[2 if row[0] == Op.SETITEM else 3]
        if isinstance(key, str):
            yield from self.of_key(scope, thing + base, key)
        elif isinstance(key, int):
            yield from self.at_position((scope, thing + base), key, n_parts)
        elif isinstance(key, tuple) and key[0] == MATCH:
            yield from self.matched(scope, thing + base, key[1])

    def of_method(self, scope: int, call: Row, base: int, method: Method) -> Iterator[Named]:
        """The keys that a call of a method of a TypedDict takes."""
        for node in call[3][:1]:
            key = self.text_at(node + base) if node >= 0 else ""
            for item in self.of_key(scope, method.thing + base, key) if key else ():
                yield Named(item.field, *METHODS_OF_KEYED[method.name], item.receiver)

    def of_key(self, scope: int, node: int, key: str) -> Iterator[Item]:
        """A key of a TypedDict, or of the fields of an object."""
        if key in self.keys:
            receiver = self.among(scope, node, {cls for cls, fields in self.keyed.items() if key in fields})
            if receiver.classes:
                yield Item(key, receiver)
        values = self.state.values
        held = [one for one in self.state.comings(node) if values.kinds[one[0]] == Kind.METHOD]
        methods = ((values.payloads[value], come) for value, come in held)
        owners = {thing: come for (thing, name), come in methods if name == FIELDS}
        if owners:
            yield Item(key, self.receivers.of_values(owners))

    def at_position(self, at: tuple[int, int], position: int, n_parts: int) -> Iterator[Item]:
        """A position of what is a named tuple, and nothing else as far as is known. `at`: a scope and a node."""
        if not self.named:
            return
        receiver = self.receivers.at(*at)
        if not receiver.classes or not all(cls in self.named for cls in receiver.classes) or not self.are_instances(*at):
            return
        names: dict[str, list[int]] = {}
        for cls in receiver.classes:
            fields = self.named[cls]
            if -len(fields) <= position < len(fields) and n_parts in (ANY_NUMBER, len(fields)):
                names.setdefault(fields[position], []).append(cls)
        yield from self.named_items(names, receiver)

    def are_instances(self, scope: int, node: int) -> bool:
        """Whether all that is known at a node are instances of indexed classes."""
        kinds, points = self.state.values.kinds, self.state.points
        places = self.receivers.places(scope, node)
        return all(kinds[value] in INSTANCES for place in places for value in points[place] or ())

    def named_items(self, names: Mapping[str, list[int]], receiver: Receiver) -> Iterator[Item]:
        """Fields of a receiver, each with the classes that have it there."""
        for name, classes in names.items():
            yield Item(name, Receiver(tuple(classes), receiver.stage, True))

    def matched(self, scope: int, node: int, position: int) -> Iterator[Item]:
        """What a class pattern takes by position."""
        receiver = self.receivers.at(scope, node)
        found: dict[str, list[int]] = {}
        for cls in receiver.classes:
            names = self.match_names(cls)
            if position < len(names) and names[position]:
                found.setdefault(names[position], []).append(cls)
        yield from self.named_items(found, receiver)

    def match_names(self, cls: int) -> list[str]:
        """The names that `__match_args__` gives, or the order of declaration; "" where one is not known."""
        state = self.state
        found = provider(state, cls, "__match_args__")
        if found is None:
            return constructor_fields(state, cls)
        held = state.points[member_node(state, found, "__match_args__")] or ()
        slots = next((state.slots.nodes[value] for value in held if value in state.slots.nodes), {})
        nodes = [slots[key] for key in sorted(key for key in slots if isinstance(key, int) and key >= 0)]
        return [self.text_at(node) for node in nodes]

    def text_at(self, node: int) -> str:
        """The one text at a node, "" where there is none."""
        values = self.state.values
        texts = [values.payloads[value] for value in self.state.points[node] or () if values.kinds[value] == Kind.STRING]
        return texts[0] if len(texts) == 1 else ""

    def among(self, scope: int, node: int, classes: Container[int]) -> Receiver:
        """The receiver at a node, as far as it is of some classes."""
        found = self.receivers.at(scope, node)
        return found._replace(classes=tuple(cls for cls in found.classes if cls in classes), number=-1)


def unpackings(rows: Iterable[Row]) -> list[tuple[int, list[Row]]]:
    """Where something is taken apart (`a, b = x`), among the rows that read, store and iterate: its site, and a row for each
    part."""
    found: list[tuple[int, list[Row]]] = []
    last: dict[int, int] = {}  # by what is taken apart
    for row in rows:
        if row[0] == Op.ELEMENT:
            last[row[2]] = len(found)
            found.append((row[3], []))
        elif row[0] == Op.GETITEM and row[5] < 0 and row[2] in last:
            found[last[row[2]]][1].append(row)
    return [(site, parts) for site, parts in found if parts and site >= 0]
