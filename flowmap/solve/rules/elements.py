"""What iterating over containers, objects and their views gives, and what `next` does."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import (
    call_special,
    class_asked,
    is_enum,
    metaclass,
)
from flowmap.solve.records import held_container
from flowmap.solve.rules.bases import do_as_base
from flowmap.solve.rules.callbacks import ask_wrapped
from flowmap.solve.rules.stdlib import iterate_object, step_object
from flowmap.solve.slots import KEYS
from flowmap.solve.state import State
from flowmap.solve.stubs import HOMES
from flowmap.solve.values import Kind


def element_of_container(state: State, value: int, row: Row) -> None:
    """What iterating gives: a dict's keys, all else's elements. Rows (dst, base, site)."""
    type_name, _ = state.values.payloads[value]
    iterate_view(state, value, row[2])
    if type_name == "dict":
        state.flow(state.slots.node(value, KEYS), row[0])
    elif type_name in HOMES or not iterate_object(state, value, row):
        state.slots.read_all(value, row[0])
    else:
        ask_wrapped(state, value, "__next__", (row[0], row[1], (), (), row[2]))


def next_of_container(state: State, value: int, row: Row) -> None:
    """`__next__` of a generator, or of an iterator from outside."""
    type_name, _ = state.values.payloads[value]
    if type_name in HOMES:
        state.slots.read_all(value, row[0])
    else:
        step_object(state, value, row)
        ask_wrapped(state, value, "__next__", (row[0], row[1], (), (), row[2]))


def element_of_instance(state: State, value: int, row: Row) -> None:
    """`__iter__`, then `__next__` of what it gives; or `__getitem__`."""
    dst, base, site = row
    cls = class_asked(state, value)
    special = "__aiter__" if cls is not None and "__aiter__" in state.variants.classes.provides[cls] else "__iter__"
    iterator = state.side_node(dst, special, value)
    if call_special(state, value, special, (iterator, base, (), (), site)):
        state.watch(iterator, state.tables["next"], (dst, iterator, site))
    elif is_held_object(state, value):
        element_of_held(state, value, row)
    elif not any(call_special(state, value, name, (dst, base, (), (), site)) for name in ("__next__", "__getitem__")):
        do_as_base(state, "element", value, row)


def is_held_object(state: State, value: int) -> bool:
    """Whether a value is an instance that is a container by a base outside."""
    return state.values.kinds[value] == Kind.INSTANCE and held_container(state, state.values.payloads[value]) is not None


def element_of_held(state: State, value: int, row: Row) -> None:
    """An element of an instance that is a container by a base outside."""
    held = held_container(state, state.values.payloads[value])
    if held is not None:
        element_of_container(state, held, row)


def next_of_instance(state: State, value: int, row: Row) -> None:
    """`__next__` of an iterator; what `__anext__` gives is awaited."""
    dst, base, site = row
    if not call_special(state, value, "__next__", (dst, base, (), (), site)):
        coming = state.side_node(dst, "__anext__", value)
        if call_special(state, value, "__anext__", (coming, base, (), (), site)):
            state.watch(coming, state.tables["await"], (dst, coming, -1))
        else:
            do_as_base(state, "next", value, row)


def element_of_class(state: State, value: int, row: Row) -> None:
    """Iterating over an enumeration gives its members; a metaclass may say what iterating over a class gives."""
    cls = state.values.payloads[value]
    if metaclass(state, value) is not None:
        element_of_instance(state, value, row)
    if is_enum(state, cls):
        state.turn(row[0], state.values.of(Kind.INSTANCE, cls), (row[1], value))


def element_of_outside(state: State, value: int, row: Row) -> None:
    """An element of something outside."""
    if iterate_object(state, value, row):
        return
    dotted = state.values.payloads[value]
    state.turn(row[0], state.values.of(Kind.THING, dotted.partition(".")[0]), (row[1], value))


def ask_length(state: State, value: int, node: int, site: int) -> None:
    """What makes a list or tuple asks an object at a node how long it is, so that what is made need not grow."""
    row = (state.side_node(node, "__len__", value), node, (), (), site)
    if not call_special(state, value, "__len__", row):
        call_special(state, value, "__length_hint__", row)


def view_node(state: State, method: int, row: Row) -> int:
    """The node that makes a view of a container: the call's, or, where iterating over the view runs methods of an instance that
    is the container by a base outside, one beside it, from which the view goes on to the call's."""
    dst: int = row[0]
    callee: int = row[1]
    container, name = state.values.payloads[method]
    owner = state.slots.owners.get(container)
    if owner is None:
        return dst
    node, held = state.side_node(dst, name, owner), state.side_node(dst, f"{name}\0 of", owner)
    state.slots.views[state.slots.made("list", node)] = (container, held)
    state.turn(held, owner, (callee, method))
    state.flow(node, dst)
    return node


def iterate_view(state: State, view: int, site: int) -> None:
    """Iterating over a view of an instance runs its `__iter__`, and `__getitem__` where the view shows more than the keys."""
    if view not in state.slots.views:
        return
    container, held = state.slots.views[view]
    owner, keys = state.slots.owners[container], state.slots.node(container, KEYS)
    element_of_instance(state, owner, (keys, held, site))
    if state.origin(held)[1] != "keys":
        call_special(state, owner, "__getitem__", (state.slots.node(container, None), held, (keys,), (), site))


def ask_length_of_view(state: State, view: int, site: int) -> None:
    """A view is as long as the instance that it shows."""
    if view in state.slots.views:
        container, held = state.slots.views[view]
        ask_length(state, state.slots.owners[container], held, site)


def view_items(state: State, container: int, dst: int) -> None:
    """`dict.items()`: pairs of keys and elements."""
    pair = state.slots.made("tuple", dst)
    state.flow(state.slots.node(container, KEYS), state.slots.node(pair, 0))
    state.slots.read_all(container, state.slots.node(pair, 1))
    view = state.slots.made("list", dst)
    state.add(state.slots.node(view, None), pair, dst)
    state.add(dst, view, dst)


def view_values(state: State, container: int, dst: int) -> None:
    """`dict.values()`"""
    view = state.slots.made("list", dst)
    state.slots.read_all(container, state.slots.node(view, None))
    state.add(dst, view, dst)


def view_keys(state: State, container: int, dst: int) -> None:
    """`dict.keys()`"""
    view = state.slots.made("list", dst)
    state.flow(state.slots.node(container, KEYS), state.slots.node(view, None))
    state.add(dst, view, dst)


VIEWS = {"items": view_items, "values": view_values, "keys": view_keys}
