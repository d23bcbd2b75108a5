"""`container[key]`, read and written, and what a class pattern takes by position."""

from __future__ import annotations

from flowmap.model.facts import MATCH, SLICE, Row
from flowmap.solve.lookup import (
    call_member,
    call_special,
    constructor_fields,
    is_enum,
    member_node,
    only,
    provider,
)
from flowmap.solve.records import held_container
from flowmap.solve.rules.bases import do_as_base
from flowmap.solve.rules.elements import element_of_instance
from flowmap.solve.rules.modules import file_of_members
from flowmap.solve.rules.stdlib import call_known
from flowmap.solve.slots import KEYS, Mirror
from flowmap.solve.state import State
from flowmap.solve.stubs import HOMES
from flowmap.solve.values import Kind


def item_of_container(state: State, value: int, row: Row) -> None:
    """`container[key]`. Rows (dst, base, key, index node, site)."""
    dst, base, key, index, site = row
    if value in state.slots.factories:
        state.watch(state.slots.factories[value], state.tables["factory"], (dst, value, site))
    if isinstance(key, tuple):
        if key[0] == SLICE:
            slice_of_container(state, value, (dst, base, key[1]))
        return
    file = file_of_members(state, value) if key is None else None
    if file is not None:
        state.watch(index, state.tables["member by name"], (dst, value, file))
    elif key is not None or state.values.payloads[value][0] in HOMES or not got_by_stub(state, value, (dst, base, index)):
        from_end = isinstance(key, int) and key < 0 and state.values.payloads[value][0] != "dict"
        state.slots.read(value, state.slots.from_end(value, key) if from_end else key, dst)


def item_by_factory(state: State, value: int, row: Row) -> None:
    """`table[key]` of a `defaultdict` makes what is not there yet. Rows (dst, container, site)."""
    _, container, site = row
    factory = state.slots.factories[container]
    for handler in state.tables["call"][state.values.kinds[value]]:
        handler(state, value, (state.slots.node(container, None), factory, (), (), site))


def got_by_stub(state: State, value: int, row: Row) -> bool:
    """`container[key]` as the stub of its class says. Rows (dst, base, index node)."""
    dst, base, index = row
    return call_known(state, value, "__getitem__", (dst, base, (index,), (), -1))


def slice_of_container(state: State, value: int, row: Row) -> None:
    """`container[start:]`: another of its kind, positions moved as far as they are known. Rows (dst, base, start)."""
    dst, base, start = row
    type_name, _ = state.values.payloads[value]
    part = state.slots.made(type_name, dst)
    if start is None:
        state.slots.read_all(value, state.slots.node(part, None))
    else:
        state.slots.mirror(value, Mirror(part, start))
    state.turn(dst, part, (base, value))


def item_of_instance(state: State, value: int, row: Row) -> None:
    """`__getitem__`; unpacking without an index iterates."""
    dst, base, key, index, site = row
    if isinstance(key, tuple) and key[0] == MATCH:
        matched_by_position(state, value, row)
    elif site < 0 and index in state.nothing and not is_held(state, value):
        rest = dst
        if isinstance(key, tuple):  # `*rest` in an unpacking
            rest = state.slots.node(state.slots.made("list", dst), None)
            state.turn(dst, state.slots.made("list", dst), (base, value))
        element_of_instance(state, value, (rest, base, site))
    elif not call_special(state, value, "__getitem__", (dst, base, (index,), (), site)):
        call_special(state, value, "__missing__", (dst, base, (index,), (), site))
        item_of_held(state, value, row)


def is_held(state: State, value: int) -> bool:
    """Whether an instance is a container by a base outside, and iterates as that does."""
    cls = state.values.payloads[value]
    return provider(state, cls, "__iter__") is None and held_container(state, cls) is not None


def item_of_held(state: State, value: int, row: Row) -> None:
    """An item of an instance that is a container by a base outside."""
    held = held_container(state, state.values.payloads[value])
    if held is not None:
        item_of_container(state, held, row)
    else:
        do_as_base(state, "item", value, row)


def matched_by_position(state: State, value: int, row: Row) -> None:
    """`case C(name)`: the field that `__match_args__`, or the order of declaration, gives."""
    dst, base, (_, position), _, site = row
    cls = state.values.payloads[value]
    found = provider(state, cls, "__match_args__")
    if found is not None:
        names = state.side_node(dst, "__match_args__", value)
        state.watch(member_node(state, found, "__match_args__"), state.tables["item"], (names, base, position, base, -1))
        state.watch(names, state.tables["attribute by name"], (dst, only(state, base, value), site))
        return
    fields = constructor_fields(state, cls)
    if position < len(fields):
        state.watch(only(state, base, value), state.tables["attribute"], (dst, base, fields[position], site))


def item_of_class(state: State, value: int, row: Row) -> None:
    """`Enum["NAME"]` is a member, `Generic[T]` the class itself."""
    dst, base, _, index, site = row
    cls = state.values.payloads[value]
    call = (dst, base, (index,), (), site)
    if call_special(state, value, "__getitem__", call):
        return
    found = provider(state, cls, "__class_getitem__")
    if found is not None:
        call_member(state, (found, "__class_getitem__"), value, call)
        return
    turned = state.values.of(Kind.INSTANCE, cls) if is_enum(state, cls) else value
    state.turn(dst, turned, (base, value))


def item_is_itself(state: State, value: int, row: Row) -> None:
    """`kernel[grid]` launches the kernel; an item of something outside is something of its package."""
    dst, base, key, index, _ = row
    turned = value
    if not isinstance(key, tuple) and state.values.kinds[value] in (Kind.OUTSIDE, Kind.THING):
        if got_by_stub(state, value, (dst, base, index)):
            return
        turned = state.values.of(Kind.THING, state.values.payloads[value].partition(".")[0])
    state.turn(dst, turned, (base, value))


def store_item_in_container(state: State, value: int, row: Row) -> None:
    """`container[key] = src`. Rows (base, key, src, site, index node)."""
    _, key, src, site, index = row
    if isinstance(key, tuple):  # `container[start:end] = elements`
        state.watch(src, state.tables["element"], (state.slots.node(value, None), src, site))
        state.slots.shift(value)
        return
    state.flow_weakly(src, state.slots.node(value, key))
    state.flow_weakly(index, state.slots.node(value, KEYS))


def store_item_on_instance(state: State, value: int, row: Row) -> None:
    """`__setitem__`; an instance that is a container by a base outside holds what is stored."""
    base, _, src, site, index = row
    call = (state.side_node(base, f"item {src} {index}"), base, (index, src), (), site)
    if not call_special(state, value, "__setitem__", call):
        held = held_container(state, state.values.payloads[value])
        if held is not None:
            store_item_in_container(state, held, row)
        else:
            do_as_base(state, "store item", value, row)
