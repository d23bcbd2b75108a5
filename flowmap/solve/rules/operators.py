"""Operators: the special methods that they run. Rows: (dst, names, left, right, site)."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import call_special
from flowmap.solve.state import State
from flowmap.solve.values import Kind


def operator_of_instance(state: State, value: int, row: Row) -> None:
    """The left side's special method: the first of the names that its class has."""
    dst, names, left, right, site = row
    forward = [name for name in names if not is_reflected(name)]
    for name in forward:
        if call_special(state, value, name, (dst, left, (right,), (), site)):
            return


def is_reflected(name: str) -> bool:
    """Whether a special method belongs to the right side (`__radd__`)."""
    return name.startswith("__r") and name not in ("__round__", "__reversed__", "__rshift__")


def reflected_of_instance(state: State, value: int, row: Row) -> None:
    """The right side's reflected method, which runs where the left side has none."""
    dst, names, left, right, site = row
    if is_reflected(names[-1]):
        call_special(state, value, names[-1], (dst, right, (left,), (), site))


def operator_of_container(state: State, value: int, row: Row) -> None:
    """`list + list`, `dict | dict`: the elements of both."""
    dst, names, left, _, _ = row
    if names[0] in ("__add__", "__or__", "__iadd__", "__ior__", "__mul__", "__sub__", "__and__"):
        state.add(dst, value, left)


def operator_of_outside(state: State, value: int, row: Row) -> None:
    """An operator on something outside gives something of its package."""
    dst, _, left, _, _ = row
    dotted = state.values.payloads[value]
    root = dotted if dotted.startswith("builtins.") else dotted.partition(".")[0]
    state.turn(dst, state.values.of(Kind.THING, root), (left, value))
