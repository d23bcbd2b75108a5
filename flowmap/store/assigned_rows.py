"""The names that class bodies assign, where that hides a method or property, or holds one: what these classes provide."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flowmap.link.program import Layout
from flowmap.model.facts import Binding, Row, ScopeFlag, ScopeKind
from flowmap.model.program import Held
from flowmap.solve.definitions import definitions_at
from flowmap.solve.state import State
from flowmap.solve.values import Kind

ACCESSOR = ScopeFlag.PROPERTY | ScopeFlag.SETTER | ScopeFlag.DELETER


def assigned_rows(state: State) -> list[Row]:
    """The rows of `assigned`, by class and name."""
    own: dict[tuple[int, str], list[int]] = {}
    for method, at in state.program.methods.items():
        own.setdefault(at, []).append(method)
    names = {name for _, name in own}
    rows: list[Row] = []
    for cls, order in sorted(state.program.classes.order.items()):
        for name, line in sorted(assigned_last(state.layout, cls)):
            holds, symbols = held(state, cls, name)
            hides = name in names and any((one, name) in own for one in order)
            if symbols == own.get((cls, name)) or not (hides or holds in (Held.FUNCTION, Held.PROPERTY)):
                continue
            rows.append((len(rows), cls, name, line, holds.value, json.dumps(symbols)))
    return rows


def assigned_last(layout: Layout, cls: int) -> Iterator[tuple[str, int]]:
    """The names of a class whose last binding is no method, with the line of that. One that is only declared has no line."""
    scope, lines = layout.scopes[cls], layout.files[layout.scope_file[cls]].node_lines
    for name, bindings in scope.bindings.items():
        if name in scope.names and not is_method(layout, cls, bindings[-1]):
            line = lines[scope.names[name]]
            if line:
                yield name, line


def is_method(layout: Layout, cls: int, binding: Row) -> bool:
    """Whether a binding of a class body is a `def`."""
    base = layout.scope_base[layout.scope_file[cls]]
    return bool(binding[0] == Binding.DEFINITION and layout.scopes[binding[1] + base].kind == ScopeKind.FUNCTION)


def held(state: State, cls: int, name: str) -> tuple[Held, list[int]]:
    """What a class holds under a name, and the definitions of that: of a property those that read it."""
    layout = state.layout
    node = layout.scopes[cls].names[name] + layout.node_base[layout.scope_file[cls]]
    found = list(definitions_at(state, node))
    if any(layout.scopes[one].kind == ScopeKind.CLASS for one in found):
        return Held.CLASS, found
    if found:
        is_property = any(layout.scopes[one].flags & ACCESSOR for one in found)
        return Held.PROPERTY if is_property else Held.FUNCTION, found
    return held_object(state, node)


def held_object(state: State, node: int) -> tuple[Held, list[int]]:
    """The same of objects that stand for a function: those that `property`, `classmethod` and `staticmethod` make."""
    for value in state.points[node] or ():
        kind, payload = state.values.kinds[value], state.values.payloads[value]
        if kind == Kind.PROPERTY:
            return Held.PROPERTY, list(definitions_at(state, payload[0]))
        if kind in (Kind.CLASSMETHOD, Kind.PARTIAL):
            function = payload if kind == Kind.CLASSMETHOD else state.partials[payload].function
            return Held.FUNCTION, list(definitions_at(state, function))
    return Held.VALUE, []
