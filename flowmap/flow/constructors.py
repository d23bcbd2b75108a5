"""Arguments of constructors that become fields: of a dataclass or its kin, or stored under their name by `__init__`."""

from __future__ import annotations

from collections.abc import Iterator

from flowmap.model.facts import Op, Row
from flowmap.solve.connect import reaches
from flowmap.solve.lookup import constructor_fields, only_function
from flowmap.solve.rules.calls import written_constructor
from flowmap.solve.state import State

PASSES = frozenset((Op.COPY, Op.FILTER))
Argument = tuple[int, str]  # its position in the call, keywords behind the others; the field that it becomes


class Constructors:
    """What the parameters of each class's constructor become."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.parameters: dict[int, tuple[tuple[str, ...], frozenset[str]]] = {}

    def arguments(self, cls: int, call: Row) -> Iterator[Argument]:
        """The arguments of a call (a row of facts) of a class that become its fields."""
        known = self.parameters.get(cls)
        if known is None:
            known = self.parameters[cls] = self.read(cls)
        positional, fields = known
        _, _, _, given, keywords, _ = call
        for index, node in enumerate(given[: len(positional)]):
            if node < 0:
                break
            yield index, positional[index]
        for index, (name, _) in enumerate(keywords, len(given)):
            if name in fields:
                yield index, name

    def read(self, cls: int) -> tuple[tuple[str, ...], frozenset[str]]:
        """The fields that a class's constructor takes by position, and those that it takes by keyword. What an `__init__` of the
        text takes by position has its write there."""
        state = self.state
        found = written_constructor(state, cls)
        if found is None:
            fields = tuple(constructor_fields(state, cls))
            return fields, frozenset(fields)
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
    for op in layout.files[layout.scope_file[scope]].ops[scope - layout.scope_base[layout.scope_file[scope]]]:
        if op[0] in PASSES:
            feeds.setdefault(op[1], []).append(op[2])
        elif op[0] == Op.ANNOTATE:
            feeds.setdefault(op[2], []).append(op[1])
        elif op[0] == Op.SETATTR and op[2] in nodes:
            stores.append((op[2], op[3]))
    return frozenset(name for name, src in stores if reaches(src, feeds, {nodes[name]}))
