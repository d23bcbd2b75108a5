"""Rows of dispatch tables: from the type or key in a table to the handlers that a call of the dispatcher may run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flowmap.model.facts import KEYED, Op, Row
from flowmap.model.program import Status
from flowmap.solve.definitions import definitions_at
from flowmap.solve.outcome import Outcome
from flowmap.solve.state import INFERRED, Found, State
from flowmap.solve.values import Kind


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A row of a table, and a call of the dispatcher that was made with it."""

    site: int  # the call
    file: int  # where the row stands
    line: int
    col: int
    name_line: int  # line of the handler
    key: str
    outcome: Outcome


def dispatch_rows(state: State) -> Iterator[Dispatch]:
    """For each call of a callable object that was made with a table, the rows of the table."""
    tables = tables_by_node(state)
    makers = calls_that_make(state)
    for site, variants in sorted(state.dispatched.items()):
        if not 0 <= site < state.layout.n_sites:
            continue
        for variant in sorted(variants):
            for node in makers.get(state.variants.site(variant), ()):
                for table in tables_at(state, node, tables):
                    yield from rows_of(state, site, table)


Table = tuple[int, Row]  # (file, row of FileFacts.tables)


def tables_by_node(state: State) -> dict[int, Table]:
    """All tables by the node of their display."""
    return {
        table[4] + state.layout.node_base[file]: (file, table)
        for file, facts in enumerate(state.layout.files)
        for table in facts.tables
    }


def calls_that_make(state: State) -> dict[int, list[int]]:
    """The arguments' nodes of the calls that make told-apart objects, by site."""
    wanted = {site for _, site in state.variants.origins if site >= 0}
    found: dict[int, list[int]] = {}
    for file in sorted({state.layout.site_at(site)[0] for site in wanted}):
        nodes, sites = state.layout.node_base[file], state.layout.site_base[file]
        for row in (row for rows in state.layout.files[file].ops for row in rows):
            if row[0] == Op.CALL and row[5] + sites in wanted:
                given = [*(a if a >= 0 else ~a for a in row[3]), *(node for _, node in row[4])]
                found[row[5] + sites] = [node + nodes for node in given]
    return found


def tables_at(state: State, node: int, tables: dict[int, Table]) -> Iterator[Table]:
    """The tables among the values at a node."""
    for value in state.points[node] or ():
        if state.values.kinds[value] == Kind.CONTAINER:
            table = tables.get(state.values.payloads[value][1])
            if table is not None:
                yield table


def rows_of(state: State, site: int, table: Table) -> Iterator[Dispatch]:
    """The rows of one table under one call."""
    file, (_, _, _, _, _, shape, rows) = table
    base = state.layout.node_base[file]
    for key, node, line, col, name_line in rows:
        place = node + base if shape == KEYED else state.slots.known(state.slots.made("tuple", node + base), 1)
        targets = handlers(state, place)
        if targets:
            yield Dispatch(site, file, line, col, name_line, key, Outcome(Status.RESOLVED, "", targets))


def handlers(state: State, node: int) -> tuple[tuple[int, Found], ...]:
    """The functions and classes at a node, each with its evidence."""
    return tuple((number, Found(INFERRED, node, value)) for number, value in definitions_at(state, node).items())
