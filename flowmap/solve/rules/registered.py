"""Functions that are registered under a string, and what runs them by that name."""

from __future__ import annotations

from flowmap.model.facts import COMPUTED, Row
from flowmap.solve.lookup import deliver, outside_base, provider
from flowmap.solve.state import PROVEN, SEED, STAGE_MASK, Partial, State
from flowmap.solve.values import Kind
from flowmap.subject.library import Given

NOTHING = 0  # the node of an argument of which nothing is known


def register(state: State, called: str, row: Row) -> None:
    """A call that may register a function: rows of calls; `called` as the library table names it."""
    known = state.library.registers.get(called)
    if known is None:
        return
    name, function = known
    functions = given(function, row)
    for node in given(name, row):
        state.watch(node, state.tables["registered name"], (row[0], node, functions[0] if functions else -1))


def given(where: Given, row: Row) -> list[int]:
    """The nodes of the arguments that may be meant."""
    by_position = [row[2][one] for one in where.positions if one < len(row[2])]
    return [one for one in (*by_position, *(node for name, node in row[3] if name in where.keywords)) if one >= 0]


def name_of_registered(state: State, value: int, row: Row) -> None:
    """The string under which a function is registered; only one that is certain. Rows (dst, node, function or -1)."""
    dst, node, function = row
    text = state.values.payloads[value]
    if COMPUTED in text or state.came(node, value) & STAGE_MASK != PROVEN:
        return
    if function >= 0:
        state.flow(function, named(state, text, function))
    else:
        state.turn(dst, state.values.of(Kind.REGISTRAR, text), (node, value))


def register_by_decorator(state: State, value: int, row: Row) -> None:
    """What registers is called with the function, and gives it back."""
    dst, _, arguments, _, _ = row
    text = state.values.payloads[value]
    for argument in arguments[:1]:
        if argument >= 0:
            state.flow(argument, dst)
            if text:
                state.flow(argument, named(state, text, argument))


def named(state: State, text: str, origin: int) -> int:
    """The node of what is registered under a string; it stands beside the first that asks."""
    found = state.elsewhere.named.get(text)
    if found is None:
        found = state.elsewhere.named[text] = state.new_node(origin, f"registered as {text}")
    return found


def run_named(state: State, dotted: str, row: Row) -> None:
    """`torch.ops.NAMESPACE.NAME(...)`: what is registered under that name, with the namespace or without."""
    for space in state.library.namespaces:
        inner = dotted.removeprefix(space).split(".")
        if len(inner) > 2 and not inner[0]:  # noqa: PLR2004 - namespace and name behind the dot
            for text in (f"{inner[1]}::{inner[2]}", inner[2]):
                state.watch(named(state, text, row[1]), state.tables["call"], row)


def applied(state: State, value: int, row: Row) -> bool:
    """`C.apply` of a class from outside that calls a method of C, an argument of its own first. Rows of attributes."""
    dst, base, name, _ = row
    cls = state.values.payloads[value]
    method = state.library.applied.get((outside_base(state, cls) or "", name))
    found = None if method is None else provider(state, cls, method)
    if method is None or found is None:
        return False
    partial = state.elsewhere.applied.get(cls)
    if partial is None:
        function = state.side_node(base, method, value)
        deliver(state, found, method, (function, value, -1, (base, value)))
        partial = state.elsewhere.applied[cls] = state.values.of(Kind.PARTIAL, len(state.partials))
        state.partials.append(Partial(function, (NOTHING,), (), binds=False))
    state.add(dst, partial, SEED)
    return True
