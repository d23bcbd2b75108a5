"""Rows of borders: what runs elsewhere because a call hands it over, or sends a message that is handled there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flowmap.model.facts import PAIRS
from flowmap.model.program import Status
from flowmap.solve.dispatch import Table, calls_that_make, handlers, tables_at, tables_by_node
from flowmap.solve.outcome import Outcome
from flowmap.solve.state import Found, State
from flowmap.solve.values import Kind
from flowmap.subject.library import Border


@dataclass(frozen=True, slots=True)
class Crossing:
    """A call of the text that crosses a border, and what runs behind it."""

    site: int
    border: Border
    outcome: Outcome


def crossings(state: State) -> Iterator[Crossing]:
    """All calls that cross a border to something in the indexed code, in the order of sites."""
    handled = handled_types(state) if state.elsewhere.messages else {}
    for (site, border), number in sorted(state.elsewhere.borders.items(), key=lambda one: (one[0][0], one[0][1].why)):
        found = {what: one for what, one in state.targets.get(number, {}).items() if isinstance(what, int)}
        for node in state.elsewhere.messages.get(number, ()):
            found.update(handlers_of(state, node, handled))
        if found:
            yield Crossing(site, border, Outcome(Status.RESOLVED, border.why, tuple(sorted(found.items()))))


Handled = dict[int, dict[int, Found]]  # class → the handlers that a dispatcher's table has for it


def handled_types(state: State) -> Handled:
    """What the tables of all dispatchers say of types."""
    tables = tables_by_node(state)
    found: Handled = {}
    for nodes in calls_that_make(state).values():
        for node in nodes:
            for table in tables_at(state, node, tables):
                add_rows(state, table, found)
    return found


def add_rows(state: State, table: Table, into: Handled) -> None:
    """Adds the rows of one table of (type, handler) pairs."""
    file, (_, _, _, _, _, shape, rows) = table
    base = state.layout.node_base[file]
    for _, node, _, _, _ in rows if shape == PAIRS else ():
        pair = state.slots.made("tuple", node + base)
        for cls in classes_at(state, state.slots.known(pair, 0)):
            into.setdefault(cls, {}).update(handlers(state, state.slots.known(pair, 1)))


def classes_at(state: State, node: int) -> list[int]:
    """The classes at a node."""
    held = (state.points[node] if node >= 0 else None) or ()
    values = [one for value in held for one in state.families.each(value)]
    return [state.values.payloads[value] for value in values if state.values.kinds[value] == Kind.CLASS]


def handlers_of(state: State, node: int, handled: Handled) -> dict[int, Found]:
    """What handles the objects at a node: for each the handlers of its class, and of the classes that this inherits from."""
    found: dict[int, Found] = {}
    for value in (each for held in state.points[node] or () for each in state.families.each(held)):
        if state.values.kinds[value] == Kind.INSTANCE:
            for one in state.variants.classes.order[state.values.payloads[value]]:
                found.update(handled.get(one, {}) if isinstance(one, int) else {})
    return found
