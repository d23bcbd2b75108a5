"""`iter(x)`: the iterator that an object gives, and the elements of all else."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import call_special
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind


def iter_(state: State, row: Row) -> None:
    """`iter(x)`; `iter(f, end)` gives what f gives, called without arguments."""
    ask_for_iterator(state, row, "__iter__")


def aiter_(state: State, row: Row) -> None:
    """`aiter(x)`"""
    ask_for_iterator(state, row, "__aiter__")


def ask_for_iterator(state: State, row: Row, special: str) -> None:
    """The iterator of the first argument as the call's result."""
    dst, _, arguments, _, site = row
    match arguments:
        case [source] if source >= 0:
            state.watch(source, state.tables["iterator"], (dst, source, special, site))
        case [function, _] if function >= 0:
            made = state.slots.made("generator", dst)
            state.watch(function, state.tables["call"], (state.slots.node(made, None), function, (), (), site))
            state.add(dst, made, SEED)
        case _:
            pass


def iterator_of_instance(state: State, value: int, row: Row) -> None:
    """What `__iter__` gives; an object that has none is taken apart. Rows (dst, node, special method, site)."""
    dst, node, special, site = row
    if not call_special(state, value, special, (dst, node, (), (), site)):
        iterator_of_elements(state, value, row)


def iterator_of_elements(state: State, value: int, row: Row) -> None:
    """An iterator over the elements; a generator is its own."""
    dst, node, _, site = row
    if state.values.kinds[value] == Kind.CONTAINER and state.values.payloads[value][0] == "generator":
        state.add(dst, value, node)
        return
    made = state.slots.made("list", dst)
    for handler in state.tables["element"][state.values.kinds[value]]:
        handler(state, value, (state.slots.node(made, None), node, site))
    state.add(dst, made, node)


def reversed_(state: State, row: Row) -> None:
    """`reversed(x)`"""
    dst, _, arguments, _, site = row
    made = state.slots.made("list", dst)
    for source in arguments[:1]:
        if source >= 0:
            state.watch(source, state.tables["reversed"], (state.slots.node(made, None), source, site))
    state.add(dst, made, SEED)


def reversed_of_instance(state: State, value: int, row: Row) -> None:
    """`__reversed__`; of an object that has none, items from the last to the first. Rows (dst, node, site)."""
    dst, node, site = row
    iterator = state.side_node(dst, "__reversed__", value)
    if call_special(state, value, "__reversed__", (iterator, node, (), (), site)):
        state.watch(iterator, state.tables["next"], (dst, iterator, -1))
    elif not call_special(state, value, "__getitem__", (dst, node, (), (), site)):
        reversed_elements(state, value, (dst, node, -1))


def reversed_elements(state: State, value: int, row: Row) -> None:
    """The elements of anything else. Rows (dst, node, site)."""
    for handler in state.tables["element"][state.values.kinds[value]]:
        handler(state, value, row)
