"""Operators: the special methods that they run. Rows: (dst, names, left, right, site)."""

from __future__ import annotations

from flowmap.model.facts import RIGHT, Row
from flowmap.solve.lookup import call_special, class_asked, provider
from flowmap.solve.rules.elements import element_of_instance, iterate_view
from flowmap.solve.rules.stdlib import call_known
from flowmap.solve.slots import Mirror
from flowmap.solve.state import State
from flowmap.solve.values import Kind


def operator_of_instance(state: State, value: int, row: Row) -> None:
    """The left side's special method: the first of the names that its class has."""
    dst, names, left, right, site = row
    forward = names[: names.index(RIGHT)] if RIGHT in names else names
    for name in forward:
        if name == "__iter__" and class_asked(state, value) is not None:
            element_of_instance(state, value, (dst, left, site))  # `in` looks through what iterating gives
            return
        if call_special(state, value, name, (dst, left, (right,), (), site)):
            return
    if not order_by_others(state, value, row) and names[0] in ORDERINGS:
        state.watch(right, state.tables["compared with object"], row)


def order_by_others(state: State, value: int, row: Row) -> bool:
    """`functools.total_ordering` makes a comparison out of another one and `__eq__`. False where it does not."""
    dst, names, left, right, site = row
    cls = class_asked(state, value)
    if names[0] not in ORDERINGS or cls is None:
        return False
    base = state.variants.base(cls)
    root = next((name for name in ORDERINGS if provider(state, cls, name) is not None), None)
    if root is not None and any(text.endswith("total_ordering") for text in state.layout.scopes[base].decorators):
        used = (root,) if OPPOSITES[root] == names[0] else (root, "__eq__")
        for name in used:
            call_special(state, value, name, (state.side_node(dst, name), left, (right,), (), site))
        return True
    return False


ORDERINGS = ("__lt__", "__le__", "__gt__", "__ge__")
OPPOSITES = {"__lt__": "__ge__", "__le__": "__gt__", "__gt__": "__le__", "__ge__": "__lt__"}


def reflected_of_instance(state: State, value: int, row: Row) -> None:
    """The right side's reflected method, which runs where the left side has none."""
    _, names, left, _, _ = row
    if names[0] in COMPARED:
        state.watch(left, state.tables["compared"], (value, row))
    else:
        state.reflections.add(value, row)


def run_reflected(state: State) -> bool:
    """Runs the reflected methods of which it is known by now that they run. False when there are none."""
    taken = state.reflections.take()
    for value, row in taken:
        reflect(state, value, row)
    return bool(taken)


COMPARED = frozenset((*ORDERINGS, "__eq__", "__ne__"))


def reflect(state: State, value: int, row: Row) -> None:
    """Runs the right side's method."""
    dst, names, left, right, site = row
    for name in names[names.index(RIGHT) + 1 :]:
        if call_special(state, value, name, (dst, right, (left,), (), site)):
            return


def compared_with_object(state: State, value: int, row: Row) -> None:
    """An ordering that the left side's class lacks asks the right side's, be it of the same class: `a > b` runs `b.__lt__(a)`."""
    if RIGHT in row[1]:
        reflect(state, value, row)


def compared_with_builtin(state: State, value: int, row: Row) -> None:  # noqa: ARG001 - a rule's signature
    """A comparison whose left side is a number, a string or the like asks the right side. Rows (right side's value, row)."""
    reflect(state, *row)


def operator_of_container(state: State, value: int, row: Row) -> None:
    """`list + list`, `dict | dict`: the elements of both; in place, the left side gets those of the right one."""
    dst, names, left, right, site = row
    name = names[0]
    if name in OF_SETS:
        iterate_view(state, value, site)
    if name in IN_PLACE:
        state.watch(right, state.tables["spread"], (value, right, frozenset(), -1))
        state.add(dst, value, left)
    elif name == "__delitem__" and state.values.payloads[value][0] == "list":
        state.slots.shift(value)
    elif name in JOINS:
        type_name, _ = state.values.payloads[value]
        joined = state.slots.made(type_name, dst)
        state.slots.mirror(value, Mirror(joined))
        state.watch(right, state.tables["join"], (joined, state.slots.lengths.get(value, -1)))
        state.add(dst, joined, left)
    elif name == "__mul__":
        repeat(state, value, (dst, left))
    elif name in ("__sub__", "__and__"):
        state.add(dst, value, left)


def repeat(state: State, value: int, at: tuple[int, int]) -> None:
    """`list * 3`: each element anywhere. `at`: the nodes of the result and of the list."""
    dst, node = at
    repeated = state.slots.made(state.values.payloads[value][0], dst)
    state.slots.read_all(value, state.slots.node(repeated, None))
    state.add(dst, repeated, node)


def repeated_on_the_right(state: State, value: int, row: Row) -> None:
    """`3 * list`"""
    dst, names, _, right, _ = row
    if names[0] == "__mul__":
        repeat(state, value, (dst, right))


OF_SETS = frozenset(("__and__", "__or__", "__sub__", "__xor__"))
IN_PLACE = frozenset(("__iadd__", "__ior__"))
JOINS = frozenset(("__add__", "__or__"))


def join_container(state: State, value: int, row: Row) -> None:
    """The right side of `+` and `|`: behind the left side's elements, where their number is known. Rows (container, length)."""
    joined, length = row
    if state.values.payloads[value][0] == "dict":
        state.slots.mirror(value, Mirror(joined))
    elif length >= 0:
        state.slots.mirror(value, Mirror(joined, start=-length))
    else:
        state.slots.read_all(value, state.slots.node(joined, None))


def operator_of_outside(state: State, value: int, row: Row) -> None:
    """An operator on something outside gives something of its package."""
    dst, names, left, right, _ = row
    dotted = state.values.payloads[value]
    told = not dotted.startswith("builtins.")  # what numbers give among themselves is not worth the asking
    if told and call_known(state, value, names[0], (dst, left, (right,), (), -1)):
        return
    root = dotted if dotted.startswith("builtins.") else dotted.partition(".")[0]
    state.turn(dst, state.values.of(Kind.THING, root), (left, value))
