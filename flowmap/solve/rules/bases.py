"""Instances of indexed classes whose base is of the standard library: what that base gives them."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.model.stubs import Said
from flowmap.solve.families import SILENT_BASES
from flowmap.solve.records import HOLDERS, METHODS_OF_NAMED, held_container
from flowmap.solve.rules.stdlib import member_of_value, read_member
from flowmap.solve.rules.typed import StubCall, call_by_stub
from flowmap.solve.state import State
from flowmap.solve.stub_members import SHORT
from flowmap.solve.values import Kind


def part_of(state: State, cls: int, base: str) -> int:
    """What instances of a class are to a base from outside: a container with what they hold, or an object of that base; -1 where
    no stub describes the base."""
    found = state.stubs.class_(base)
    if found is None:
        return -1
    if not found.parameters:
        return state.values.of(Kind.THING, base)
    layout = state.layout
    own = state.variants.base(cls)
    origin = layout.scopes[own].node + layout.node_base[layout.scope_file[own]]
    part = state.slots.made(SHORT.get(found.name, found.name), state.side_node(origin, base, cls))
    state.slots.owners.setdefault(part, state.values.of(Kind.INSTANCE, cls))
    return part


def outside_parts(state: State, value: int) -> tuple[int, ...]:
    """What an instance is to its bases from outside that stubs describe."""
    cls = state.values.payloads[value]
    bases = (base for base in state.variants.classes.outside_bases(cls) if base not in SILENT_BASES and base not in HOLDERS)
    return tuple(part for base in bases if (part := part_of(state, cls, base)) >= 0)


def do_as_base(state: State, place: str, value: int, row: Row) -> None:
    """What is done with an instance is done as its bases from outside do it."""
    for part in outside_parts(state, value):
        for handler in state.tables[place][state.values.kinds[part]]:
            handler(state, part, row)


def attribute_of_base(state: State, value: int, row: Row) -> None:
    """The first base from outside that has the attribute, or of which nothing is known. Rows (dst, base, name, site)."""
    cls = state.values.payloads[value]
    for base in state.variants.classes.outside_bases(cls):
        if base not in SILENT_BASES and member_of_base(state, (value, base), row):
            return


def member_of_base(state: State, at: tuple[int, str], row: Row) -> bool:
    """An attribute as one base from outside gives it. False where the base is known and has none."""
    value, base = at
    dst, node, name, _ = row
    part = part_of(state, state.values.payloads[value], base)
    if part >= 0:
        if member_of_value(state, part, name) is None:
            return False
        if read_member(state, part, name, row):
            return True
    held = part >= 0 and state.values.kinds[part] == Kind.CONTAINER
    if part >= 0 and not held and gives_self(state, part, name):
        state.turn(dst, state.values.of(Kind.METHOD, (value, name)), (node, value))
        return True
    found = state.values.of(Kind.METHOD, (part, name)) if held else state.values.of(Kind.OUTSIDE, f"{base}.{name}")
    state.turn(dst, found, (node, value))
    return True


def gives_self(state: State, part: int, name: str) -> bool:
    """Whether a method of a base from outside gives back the object that it is called on."""
    member = member_of_value(state, part, name)
    return member is not None and any(one.result[0] == Said.SELF for one in member.signatures)


def method_of_base(state: State, value: int, row: Row) -> None:
    """A method that a base from outside gives, called: the object comes back."""
    dst, callee, _, _, site = row
    owner, name = state.values.payloads[value]
    if state.values.kinds[owner] == Kind.INSTANCE and name not in METHODS_OF_NAMED:
        base = next((one for one in state.variants.classes.outside_bases(state.values.payloads[owner])), "builtins.object")
        state.target(site, f"ext:{base}.{name}", (callee, value))
        state.turn(dst, owner, (callee, value))


def construct_parts(state: State, instance: int, row: Row) -> None:
    """A constructor that the base from outside provides: a container keeps what it is given."""
    for part in (*outside_parts(state, instance), *held_parts(state, instance)):
        for name in ("__new__", "__init__") if state.values.kinds[part] == Kind.CONTAINER else ():
            member = member_of_value(state, part, name)
            if member is not None:
                made = (state.side_node(row[0], f"base's {name}", instance), *row[1:])
                call_by_stub(state, member, StubCall(made, part, member.name, -1, (row[1], instance), 1))


def held_parts(state: State, instance: int) -> tuple[int, ...]:
    """The list, dict or set that an instance is; those whose fields are its elements are filled by fields."""
    cls = state.values.payloads[instance]
    held = held_container(state, cls)
    return () if held is None or held in state.slots.lengths else (held,)
