"""Arguments of constructors that become fields: of a dataclass or its kin, or stored under their name by `__init__`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import TypeVar

from flowmap.model.facts import Op, Row
from flowmap.solve.connect import reaches
from flowmap.solve.lookup import constructor_fields, only_function
from flowmap.solve.rules.calls import is_init_only, written_constructor
from flowmap.solve.state import State

Key = TypeVar("Key", int, str)
PASSES = frozenset((Op.COPY, Op.FILTER))
Argument = tuple[int, str]  # its position in the call, keywords behind the others; the field that it becomes


class Constructors:
    """What the parameters of each class's constructor become."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.file, self.displays = -1, dict[int, tuple[int | str | None, ...]]()  # of the file that was read last
        self.parameters: dict[int, tuple[tuple[str, ...], frozenset[str]]] = {}

    def arguments(self, cls: int, call: Row, base: int) -> Iterator[Argument]:
        """The arguments of a call (a row of facts) of a class that become its fields; of `*a` and `**d` those that are known.
        `base` is where the nodes of the call's file begin."""
        known = self.parameters.get(cls)
        if known is None:
            known = self.parameters[cls] = self.read(cls)
        positional, fields = known
        _, _, _, given, keywords, _ = call
        for index, node in enumerate(given[: len(positional)]):
            if node < 0:
                behind = positional[index:]
                keys = (key for key in self.keys(~node + base, int) if 0 <= key < len(behind))
                yield from ((index, behind[key]) for key in keys if behind[key])
                break
            if positional[index]:
                yield index, positional[index]
        for index, (name, node) in enumerate(keywords, len(given)):
            names = self.keys(node + base, str) if name is None else (name,)
            yield from ((index, one) for one in names if one in fields)

    def keys(self, node: int, kind: type[Key]) -> list[Key]:
        """The constant keys, or positions, of the containers at a node."""
        state = self.state
        held = [value for value in state.points[node] or () if value in state.slots.nodes]
        found: dict[int | str | None, None] = {}
        for value in held:
            found.update(dict.fromkeys(self.display(state.values.payloads[value][1])))
            found.update((key, None) for key, slot in state.slots.nodes[value].items() if state.points[slot])
        return [key for key in found if isinstance(key, kind)]

    def display(self, node: int) -> tuple[int | str | None, ...]:
        """The keys of the display at a node; none where no display of the text is."""
        layout = self.state.layout
        file = bisect_right(layout.node_base, node) - 1
        if file != self.file:
            rows = (row for scope in layout.files[file].ops for row in scope if row[0] == Op.DISPLAY and row[2] != "keys")
            self.displays = {row[1] + layout.node_base[file]: tuple(key for key, _ in row[3]) for row in rows}
            self.file = file
        return self.displays.get(node, ())

    def read(self, cls: int) -> tuple[tuple[str, ...], frozenset[str]]:
        """The fields that a class's constructor takes by position ("" for what only `__post_init__` gets), and those that it
        takes by keyword. What an `__init__` of the text takes by position has its write there."""
        state = self.state
        found = written_constructor(state, cls)
        if found is None:
            fields = tuple("" if is_init_only(state, cls, name) else name for name in constructor_fields(state, cls))
            return fields, frozenset(fields) - {""}
        scope = only_function(state, found, "__init__")
        if scope < 0:
            return (), frozenset()
        return (), stored_parameters(state, scope)


def stored_parameters(state: State, scope: int) -> frozenset[str]:
    """The parameters of an `__init__` that it stores under their own names."""
    layout = state.layout
    row = layout.scopes[scope]
    nodes = {name: node for name, node, _, _ in row.params}
    feeds: dict[int, list[int]] = {}
    stores: list[tuple[str, int]] = []
    for op in layout.rows(scope):
        if op[0] in PASSES:
            feeds.setdefault(op[1], []).append(op[2])
        elif op[0] == Op.ANNOTATE:
            feeds.setdefault(op[2], []).append(op[1])
        elif op[0] == Op.SETATTR and op[2] in nodes:
            stores.append((op[2], op[3]))
    return frozenset(name for name, src in stores if reaches(src, feeds, {nodes[name]}))
