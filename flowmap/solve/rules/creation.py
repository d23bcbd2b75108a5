"""What runs when a `class` statement has made its class. Rows: (node of the class, keywords, site)."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.families import provider_after
from flowmap.solve.lookup import (
    call_member,
    call_special,
    defines_function,
    is_enum,
    member_node,
    metaclass,
    provider,
)
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind


def subclass_is_announced(state: State, value: int, row: Row) -> None:
    """`__init_subclass__` of the next class of the order that has it."""
    made, keywords, site = row
    cls = state.values.payloads[value]
    found = provider_after(state.program.classes, cls, cls, "__init_subclass__")
    if isinstance(found, int):
        call_member(state, (found, "__init_subclass__"), value, (state.side_node(made, "announced"), made, (), keywords, site))


def metaclass_makes_class(state: State, value: int, row: Row) -> None:
    """`__prepare__`, `__new__` and `__init__` of the metaclass."""
    made, keywords, site = row
    meta = metaclass(state, value)
    if meta is None:
        return
    for name in ("__prepare__", "__new__"):
        found = provider(state, meta, name)
        if found is not None:
            maker = state.values.of(Kind.CLASS, meta)
            own = state.side_node(made, "metaclass")
            state.add(own, maker, SEED)
            arguments = (own,) if name == "__new__" else ()
            call_member(state, (found, name), maker, (state.side_node(made, f"from {name}"), own, arguments, keywords, site))
    call_special(state, value, "__init__", (state.side_node(made, "begun"), made, (), keywords, site))


def members_are_named(state: State, value: int, row: Row) -> None:
    """`__set_name__` of what the body of the class binds."""
    made, _, site = row
    if "__set_name__" in state.program.member_names:
        cls = state.values.payloads[value]
        for name in state.layout.scopes[cls].names:
            state.watch(member_node(state, cls, name), state.tables["name set"], (made, name, site))


def descriptor_is_named(state: State, value: int, row: Row) -> None:
    """A descriptor hears of the class that it stands in. Rows (node of the class, name, site)."""
    made, name, site = row
    text = state.side_node(made, f"name {name}")
    state.add(text, state.values.of(Kind.STRING, name), SEED)
    call_special(state, value, "__set_name__", (state.side_node(made, f"named {name}"), made, (made, text), (), site))


def members_are_made(state: State, value: int, row: Row) -> None:
    """An enumeration makes its members where it is defined: `__new__` and `__init__` get what stands in the body."""
    made, _, site = row
    cls = state.values.payloads[value]
    if not is_enum(state, cls):
        return
    member = state.values.of(Kind.INSTANCE, cls)
    for name in state.layout.scopes[cls].names:
        if not defines_function(state, cls, name):
            given = (~member_node(state, cls, name),)
            call_special(state, member, "__init__", (state.side_node(made, f"made {name}"), made, given, (), site))
