"""What an `except` may catch, by the classes that it names. Rows: (dst, node of a class or a tuple of them)."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.rules.calls import call_of_outside
from flowmap.solve.state import State
from flowmap.solve.values import Kind


def catch_class(state: State, value: int, row: Row) -> None:
    """An instance of a class, or of one below it."""
    dst, kind = row
    for one in state.families.every(Kind.INSTANCE, state.values.payloads[value]):
        state.add_weakly(dst, one, kind)


def catch_any_of(state: State, value: int, row: Row) -> None:
    """An instance of one of the classes in a tuple, which may hold tuples."""
    dst, _ = row
    key = (dst, "caught", value, -1)
    if key not in state.specials:
        state.specials.add(key)
        inner = state.side_node(dst, "classes", value)
        state.slots.read_all(value, inner)
        state.watch(inner, state.tables["catch"], (dst, inner))


def catch_outside(state: State, value: int, row: Row) -> None:
    """An exception from outside."""
    dst, kind = row
    call_of_outside(state, value, (dst, kind, (), (), -1))
