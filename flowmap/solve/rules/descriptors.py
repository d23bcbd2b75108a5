"""What a class binds to a name decides what reading, writing and deleting that attribute runs.

Rows: of a read (dst, receiver, site, at), of a write (receiver, src, site, base), of a deletion (receiver, site, base).
"""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import call_special, class_of, member_node, only, provider
from flowmap.solve.state import SEED, Partial, State
from flowmap.solve.values import Kind

PROPERTY = "builtins.property"
PROPERTY_INIT = "property.__init__"
PARTS = ("fget", "fset", "fdel")  # in the order in which a property takes them


def property_is_made(state: State, value: int, row: Row) -> None:
    """`super().__init__(read, write, delete)` in a class below `property`. Rows of a call."""
    receiver, name = state.values.payloads[value]
    if name == PROPERTY_INIT:
        state.target(row[4], f"ext:builtins.{PROPERTY_INIT}", (row[1], value))
        fill_property(state, state.values.payloads[receiver], row)


def fill_property(state: State, cls: int, row: Row) -> None:
    """The parts of a property that are given to its constructor."""
    given = dict(zip(PARTS, (one for one in row[2] if one >= 0), strict=False))
    for name, node in (*given.items(), *row[3]):
        if name in PARTS:
            state.flow_weakly(node, state.fields.instance(cls, name)[0])


def read_by_descriptor(state: State, value: int, row: Row) -> None:
    """`__get__` of an object that the class holds; one without it is what it is."""
    dst, receiver, site, at = row
    got = state.side_node(dst, "got", receiver)
    owner = state.side_node(at[0], "owner", receiver)
    state.add(owner, class_of(state, receiver), SEED)
    on_instance = state.values.kinds[receiver] == Kind.INSTANCE
    asked = only(state, at[0], receiver) if on_instance else -1
    arguments = (asked, owner) if on_instance else (state.side_node(at[0], "none"), owner)
    if call_special(state, value, "__get__", (got, at[0], arguments, (), site)):
        state.flow(got, dst)
    else:
        state.turn(dst, value, at)


def write_by_descriptor(state: State, value: int, row: Row) -> None:
    """`__set__` of an object that the class holds."""
    receiver, src, site, base = row
    result = state.side_node(base, f"set {src}", receiver)
    call_special(state, value, "__set__", (result, base, (only(state, base, receiver), src), (), site))


def delete_by_descriptor(state: State, value: int, row: Row) -> None:
    """`__delete__` of an object that the class holds."""
    receiver, site, base = row
    call_special(state, value, "__delete__", (state.side_node(base, "deleted"), base, (only(state, base, receiver),), (), site))


def read_by_property_object(state: State, value: int, row: Row) -> None:
    """`name = property(read)`: the function is called with the instance; on the class it is the property itself."""
    dst, receiver, site, at = row
    read, _, _ = state.values.payloads[value]
    if state.values.kinds[receiver] != Kind.INSTANCE:
        state.turn(dst, value, at)
    elif read >= 0:
        state.watch(read, state.tables["call"], (dst, read, (only(state, at[0], receiver),), (), site))


def read_class_method(state: State, value: int, row: Row) -> None:
    """`name = classmethod(f)`: f with the class before its arguments."""
    dst, receiver, _, at = row
    key = (value, class_of(state, receiver))
    if key not in state.bound_partials:
        function = state.values.payloads[value]
        cls = state.side_node(function, "owner", key[1])
        state.add(cls, key[1], SEED)
        state.bound_partials[key] = len(state.partials)
        state.partials.append(Partial(function, (cls,), (), binds=False))
    state.turn(dst, state.values.of(Kind.PARTIAL, state.bound_partials[key]), at)


def read_field_default(state: State, value: int, row: Row) -> None:
    """`name = field(default=x)`: the class has the default."""
    default, _ = state.values.payloads[value]
    if default >= 0:
        state.flow(default, row[0])


def write_by_property_object(state: State, value: int, row: Row) -> None:
    """`name = property(read, write)`"""
    receiver, src, site, base = row
    _, write, _ = state.values.payloads[value]
    if write >= 0:
        result = state.side_node(base, f"set {src}", receiver)
        state.watch(write, state.tables["call"], (result, write, (only(state, base, receiver), src), (), site))


def delete_by_property_object(state: State, value: int, row: Row) -> None:
    """`name = property(read, write, delete)`"""
    receiver, site, base = row
    _, _, delete = state.values.payloads[value]
    if delete >= 0:
        result = state.side_node(base, "deleted", receiver)
        state.watch(delete, state.tables["call"], (result, delete, (only(state, base, receiver),), (), site))


def delete_on_instance(state: State, value: int, row: Row) -> None:
    """`del obj.name`. Rows (base, name, site)."""
    base, name, site = row
    asked = state.side_node(base, f"name {name}")
    state.add(asked, state.values.of(Kind.STRING, name), SEED)
    call_special(state, value, "__delattr__", (state.side_node(base, "deleted"), base, (asked,), (), site))
    found = provider(state, state.values.payloads[value], name)
    if found is not None:
        state.watch(member_node(state, found, name), state.tables["unset"], (value, site, base))
