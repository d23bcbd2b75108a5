"""What constructors that no text writes take: those of dataclasses and named tuples."""

from __future__ import annotations

from flowmap.model.facts import Row, Scope, ScopeFlag
from flowmap.solve.rules.calls import generates_constructor
from flowmap.solve.state import State
from flowmap.solve.values import Kind

NAMED_TUPLE = "typing.NamedTuple"
ONLY_BY_NAME = "_"  # `_: KW_ONLY`: those behind it are keywords


def generated_rows(state: State) -> list[Row]:
    """The rows of `generated`: every class whose constructor is made from its fields, unless its own body has one."""
    scopes = state.layout.scopes
    return [
        (cls, ", ".join(parameters(state, cls)))
        for cls in sorted(state.program.classes.order)
        if (generates_constructor(state, cls) or is_named_tuple(state, cls)) and "__init__" not in scopes[cls].bindings
    ]


def is_named_tuple(state: State, cls: int) -> bool:
    """Whether the fields of a class are those of a named tuple."""
    return state.program.classes.order[cls][1:2] == (NAMED_TUPLE,)


def has_fields(state: State, cls: int) -> bool:
    """Whether what a class declares are parameters of the constructors that are made for it and those below it."""
    return bool(state.layout.scopes[cls].flags & ScopeFlag.DATACLASS) or is_named_tuple(state, cls)


def parameters(state: State, cls: int) -> list[str]:
    """The parameters of a generated constructor: fields along the order, those of the bases first."""
    found: dict[str, str] = {}
    for one in reversed(state.program.classes.order[cls]):
        if not isinstance(one, int) or not has_fields(state, one):
            continue
        scope = state.layout.scopes[one]
        for name in scope.declared:
            if name == ONLY_BY_NAME:
                found[name] = "*"
            elif name not in scope.not_given:
                found[name] = f"{name}=…" if has_default(state, one, scope, name) else name
    return list(found.values())


def has_default(state: State, cls: int, scope: Scope, name: str) -> bool:
    """Whether a field need not be given: its class holds a value, and that is no `field()` without default and factory."""
    facts = state.layout.files[state.layout.scope_file[cls]]
    node = scope.names.get(name, 0)
    if not facts.node_lines[node]:
        return False
    values = state.points[node + state.layout.node_base[state.layout.scope_file[cls]]] or ()
    fields = [state.values.payloads[value] for value in values if state.values.kinds[value] == Kind.FIELD]
    return not fields or any(max(parts) >= 0 for parts in fields)
