"""Displays with stars, copies, starred arguments and `**`: what is spread out element by element."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.families import SILENT_BASES
from flowmap.solve.lookup import (
    call_special,
    only,
)
from flowmap.solve.rules.elements import ask_length, ask_length_of_view, element_of_container, element_of_instance, iterate_view
from flowmap.solve.slots import KEYS, Mirror
from flowmap.solve.state import State
from flowmap.solve.values import Kind


def spread_container(state: State, value: int, row: Row) -> None:
    """`[*items]`, `{**mapping}`, what `update` and `extend` are given. Rows (container, node, keys set later, site)."""
    container, _, later, _ = row
    type_name, _ = state.values.payloads[value]
    if state.stubs.is_mapping(type_name):
        state.slots.mirror(value, Mirror(container, without=later))
    else:
        element_of_container(state, value, (state.slots.node(container, None), row[1], -1))


def spread_instance(state: State, value: int, row: Row) -> None:
    """`[*items]` runs `__iter__` and asks for the length; `{**mapping}` runs `keys` and `__getitem__`. Rows as of
    `spread_container`."""
    container, node, _, site = row
    if state.values.payloads[container][0] == "dict":
        spread_mapping(state, value, row)
    else:
        element_of_instance(state, value, (state.slots.node(container, None), node, site))
        ask_length(state, value, node, site)


def spread_mapping(state: State, value: int, row: Row) -> None:
    """What an object gives to a dict that is one as far as `keys` goes; any other gives pairs. Rows as of `spread_container`."""
    container, node, _, site = row
    keys = state.slots.node(container, KEYS)
    listed = state.side_node(node, "keys", value)
    if call_special(state, value, "keys", (listed, node, (), (), site)):
        state.watch(listed, state.tables["element"], (keys, listed, site))
    elif is_mapping(state, value):
        element_of_instance(state, value, (keys, node, site))
    else:
        pair = state.side_node(node, "pair", value)
        element_of_instance(state, value, (pair, node, site))
        state.watch(pair, state.tables["item"], (state.slots.node(container, None), pair, 1, pair, -1))
        state.watch(pair, state.tables["item"], (keys, pair, 0, pair, -1))
        return
    call_special(state, value, "__getitem__", (state.slots.node(container, None), node, (keys,), (), site))


def is_mapping(state: State, value: int) -> bool:
    """Whether an instance is a mapping by a base outside."""
    bases = state.variants.classes.outside_bases(state.values.payloads[value])
    return any(base not in SILENT_BASES and state.stubs.is_below(base, "typing.Mapping") for base in bases)


def copy_container(state: State, value: int, row: Row) -> None:
    """`tuple(x)`, `list(x)` keep the positions of x. Rows (container, node, site)."""
    container, node, site = row
    type_name, _ = state.values.payloads[value]
    if type_name in POSITIONED and value not in state.slots.views and state.values.payloads[container][0] in POSITIONED:
        state.slots.mirror(value, Mirror(container))
        if value in state.slots.lengths:
            state.slots.lengths.setdefault(container, state.slots.lengths[value])
    else:
        element_of_container(state, value, (state.slots.node(container, None), node, site))
        ask_length_of_view(state, value, site)


POSITIONED = frozenset(("list", "tuple"))


def copy_elements(state: State, value: int, row: Row) -> None:
    """`tuple(x)`, `list(x)` ask anything else how long it is, and iterate over it. Rows (container, node, site)."""
    container, node, site = row
    state.watch(only(state, node, value), state.tables["element"], (state.slots.node(container, None), node, site))
    if state.values.kinds[value] in (Kind.INSTANCE, Kind.FAMILY):
        ask_length(state, value, node, site)


def spread_into_parameters(state: State, value: int, row: Row) -> None:
    """`f(*items)`: by position as far as positions are known. Rows (parameters, variadic or -1, shift, node): the element at a
    position stands in `*args` at the position plus the shift."""
    params, variadic, shift, _ = row
    for index, param in enumerate(params):
        state.slots.hand(value, index, param)
    if variadic >= 0:
        state.slots.mirror(value, Mirror(state.slots.made("tuple", variadic), start=-shift))


def starred_instance(state: State, value: int, row: Row) -> None:
    """`f(*items)` iterates, and asks for the length. Rows (node, site)."""
    node, site = row
    element_of_instance(state, value, (state.side_node(node, "element", value), node, site))
    ask_length(state, value, node, site)


def starred_container(state: State, value: int, row: Row) -> None:
    """`f(*mapping.keys())`. Rows (node, site)."""
    iterate_view(state, value, row[1])
    ask_length_of_view(state, value, row[1])


def spread_instance_into_parameters(state: State, value: int, row: Row) -> None:
    """`f(*items)`: any element into any of the parameters. Rows as of `spread_into_parameters`."""
    params, variadic, _, node = row
    element = state.side_node(node, "element", value)
    for param in params:
        state.flow_weakly(element, param)
    if variadic >= 0:
        state.flow_weakly(element, state.slots.node(state.slots.made("tuple", variadic), None))


def spread_keywords(state: State, value: int, row: Row) -> None:
    """`f(**mapping)`: by name. Rows (signature, node)."""
    signature, _ = row
    for name, node in signature.by_name.items():
        state.slots.hand(value, name, node)
    if signature.keywords >= 0:
        state.slots.mirror(value, Mirror(state.slots.made("dict", signature.keywords)))
