"""Looking a name up on a class, and what a function found there becomes."""

from __future__ import annotations

from flowmap.model.facts import Binding, Row, ScopeFlag, ScopeKind
from flowmap.solve.connect import call_method
from flowmap.solve.families import SILENT_BASES
from flowmap.solve.state import State
from flowmap.solve.values import Kind

ENUM_BASES = frozenset(f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"))


def provider(state: State, cls: int, name: str) -> int | None:
    """The class of the order whose body binds a name."""
    return state.variants.classes.provides[cls].get(name)


def member_node(state: State, cls: int, name: str) -> int:
    """The node of a name in a class body."""
    layout = state.layout
    return layout.scopes[cls].names[name] + layout.node_base[layout.scope_file[cls]]


def only_function(state: State, cls: int, name: str) -> int:
    """The function that a class binds to a name when text leaves no doubt: one plain definition. -1 otherwise."""
    layout = state.layout
    bindings = layout.scopes[cls].bindings.get(name, ())
    if len(bindings) != 1 or bindings[0][0] != Binding.DEFINITION:
        return -1
    scope = bindings[0][1] + layout.scope_base[layout.scope_file[cls]]
    row = layout.scopes[scope]
    is_plain = row.kind == ScopeKind.FUNCTION and not row.flags & ScopeFlag.DECORATED
    return scope if is_plain else -1


def deliver(state: State, cls: int, name: str, row: Row) -> None:
    """Brings what a class binds to a name to an access. `row` is (dst, receiver, site, at)."""
    scope = only_function(state, cls, name)
    if scope >= 0:
        bind_function(state, state.values.of(Kind.FUNCTION, (scope, 0)), row)
    else:
        state.watch(member_node(state, cls, name), state.tables["bind"], row)


def bind_function(state: State, value: int, row: Row) -> None:
    """A function read off a class or an instance: bound, called as a property, or itself."""
    dst, receiver, site, at = row
    scope, _ = state.values.payloads[value]
    flags = state.layout.scopes[scope].flags
    on_instance = state.values.kinds[receiver] in (Kind.INSTANCE, Kind.FAMILY)
    if flags & (ScopeFlag.SETTER | ScopeFlag.DELETER | ScopeFlag.OVERLOAD):
        return
    if flags & ScopeFlag.PROPERTY:
        if on_instance:
            state.target(site, scope, at)
            call_method(state, value, receiver, (dst, at[0], (), (), -1))
    elif flags & ScopeFlag.STATIC:
        state.turn(dst, value, at)
    elif flags & ScopeFlag.CLASSMETHOD or state.layout.scopes[scope].name in IMPLICIT_CLASSMETHODS:
        state.turn(dst, bound(state, value, class_of(state, receiver)), at)
    elif on_instance:
        state.turn(dst, bound(state, value, receiver), at)
    else:
        state.turn(dst, value, at)


IMPLICIT_CLASSMETHODS = frozenset(("__init_subclass__", "__class_getitem__"))


def bound(state: State, function: int, receiver: int) -> int:
    """The value of a bound method."""
    return state.values.of(Kind.BOUND, (function, receiver))


def class_of(state: State, value: int) -> int:
    """The value of an instance's class; a class stays itself."""
    if state.values.kinds[value] == Kind.INSTANCE:
        return state.values.of(Kind.CLASS, state.variants.base(state.values.payloads[value]))
    if state.values.kinds[value] == Kind.FAMILY:
        return state.families.as_kind(value, Kind.CLASS_FAMILY)
    return value


def outside_base(state: State, cls: int) -> str | None:
    """The first class of the order that is not indexed and may have members of its own."""
    return next((base for base in state.variants.classes.outside_bases(cls) if base not in SILENT_BASES), None)


def is_enum(state: State, cls: int) -> bool:
    """Whether a class is an enumeration."""
    return any(base in ENUM_BASES for base in state.variants.classes.outside_bases(cls))


def call_special(state: State, receiver: int, name: str, row: Row) -> bool:
    """Calls a special method of an instance at a site, as the interpreter does: on the class alone. False when it has none."""
    if state.families.is_family(receiver):
        return call_special_of_family(state, receiver, name, row)
    found = provider(state, state.values.payloads[receiver], name)
    if found is None:
        return False
    call_found(state, (receiver, found), name, row)
    return True


def call_special_of_family(state: State, receiver: int, name: str, row: Row) -> bool:
    """As `call_special`, for each part of a family that has the method."""
    parts = [(part, found) for found, part in state.families.parts(receiver, name) if isinstance(found, int)]
    for part in parts:
        call_found(state, part, name, row)
    return bool(parts)


def call_found(state: State, part: tuple[int, int], name: str, row: Row) -> None:
    """Calls a special method on (receiver, class that provides it), once a site."""
    receiver, found = part
    key = (row[0], name, receiver, row[4])
    if key in state.specials:
        return
    state.specials.add(key)
    method = state.side_node(row[0], name, receiver)
    deliver(state, found, name, (method, receiver, -1, (row[1], receiver)))
    state.watch(method, state.tables["call"], row)
