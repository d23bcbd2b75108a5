"""`await` and `with`."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import (
    call_special,
    provider,
)
from flowmap.solve.rules.bases import do_as_base
from flowmap.solve.rules.callbacks import ask_wrapped
from flowmap.solve.rules.stdlib import await_object, enter_object
from flowmap.solve.slots import AWAITED
from flowmap.solve.state import State
from flowmap.solve.stubs import HOMES
from flowmap.solve.values import Kind


def await_of_container(state: State, value: int, row: Row) -> None:
    """`await coroutine`. Rows (dst, src, site)."""
    state.flow(state.slots.node(value, AWAITED), row[0])


def await_of_instance(state: State, value: int, row: Row) -> None:
    """`__await__`"""
    dst, src, site = row
    if not call_special(state, value, "__await__", (dst, src, (), (), site)):
        do_as_base(state, "await", value, row)


def await_of_outside(state: State, value: int, row: Row) -> None:
    """Awaiting something outside."""
    if not await_object(state, value, row):
        give_of_package(state, value, row)


def enter_of_outside(state: State, value: int, row: Row) -> None:
    """`with` something outside; a stack of exits gives itself."""
    if state.values.payloads[value] in STACKS:
        state.turn(row[0], value, (row[1], value))
    elif not enter_object(state, value, row):
        give_of_package(state, value, row)


STACKS = frozenset(("contextlib.ExitStack", "contextlib.AsyncExitStack"))


def give_of_package(state: State, value: int, row: Row) -> None:
    """Something of the same package. Rows (dst, node, site)."""
    dst, src, _ = row
    dotted = state.values.payloads[value]
    state.turn(dst, state.values.of(Kind.THING, dotted.partition(".")[0]), (src, value))


def enter_container(state: State, value: int, row: Row) -> None:
    """`with f() as x` where f yields: what it yields. Where the generator was made before, it begins to run here."""
    type_name, made_at = state.values.payloads[value]
    if type_name in ("generator", "coroutine"):
        state.slots.read_all(value, row[0])
        scope = state.elsewhere.generators.get(value)
        if scope is not None and state.parent_of(row[1], value) != made_at:  # its call stands elsewhere
            state.target(row[2], scope, (row[1], value))
    elif type_name not in HOMES:
        enter_object(state, value, row)
        ask_wrapped(state, value, "__exit__", (row[0], row[1], (), (), row[2]))


def enter_instance(state: State, value: int, row: Row) -> None:
    """`__enter__` and `__exit__`, or their asynchronous kin."""
    dst, src, site = row
    enters = call_special(state, value, "__enter__", (dst, src, (), (), site))
    if not enters and provider(state, state.values.payloads[value], "__exit__") is not None:
        state.turn(dst, value, (src, value))  # a base outside enters, as `contextlib.AbstractContextManager` does
        enters = True
    if enters:
        call_special(state, value, "__exit__", (state.side_node(dst, "__exit__", value), src, (), (), site))
        return
    entered = state.side_node(dst, "__aenter__", value)
    if call_special(state, value, "__aenter__", (entered, src, (), (), site)):
        state.watch(entered, state.tables["await"], (dst, entered, -1))
        call_special(state, value, "__aexit__", (state.side_node(dst, "__aexit__", value), src, (), (), site))
    else:
        do_as_base(state, "enter", value, row)
