"""What a row of moves takes and what it makes."""

from __future__ import annotations

from flowmap.model.flow import NOWHERE, Move, Row


def nodes_made(row: Row) -> int:
    """The node that a row gives a value; NOWHERE for one that gives none."""
    kind = row[0]
    return NOWHERE if kind in (Move.STORE, Move.SETITEM, Move.DELETE) else int(row[2])


def nodes_used(row: Row) -> list[int]:
    """The nodes whose values a row takes."""
    kind = row[0]
    if kind == Move.COPY:
        return [row[3]]
    if kind == Move.CALL:
        given = [node if node >= 0 else ~node for node in row[5] if node != NOWHERE]
        return [node for node in (row[4], *given, *(node for _, node in row[6])) if node != NOWHERE]
    if kind == Move.LOAD:
        return [row[3]]
    if kind == Move.ITEM:
        return [row[3]] if row[5] == NOWHERE else [row[3], row[5]]
    if kind == Move.STORE:
        return [row[2], row[4]]
    if kind == Move.SETITEM:
        return [row[2], row[4]]
    if kind == Move.DISPLAY:
        return [node for _, node in row[3]]
    if kind == Move.DERIVE:
        return list(row[4])
    return [row[2]]
