"""How values move, out of the index: a scope's rows, who touches a field, who calls a function."""

from __future__ import annotations

import marshal
import zlib

from flowmap.model.flow import ScopeMoves, unpack_moves
from flowmap.store.index import Index

_CALLERS = """
SELECT s.caller FROM target t JOIN site s ON s.id = t.site WHERE t.symbol = ? AND t.confidence <> 'possible'
UNION SELECT s.caller FROM made m JOIN site s ON s.id = m.site WHERE m.class = ? AND m.confidence <> 'possible' ORDER BY 1
"""


def scope_moves(index: Index, scope: int) -> ScopeMoves | None:
    """The rows of a scope; None for a symbol outside the indexed code."""
    return next((unpack_moves(body) for (body,) in index.rows("SELECT body FROM flow_scope WHERE scope = ?", scope)), None)


def touches(index: Index, name: str) -> tuple[tuple[int, int, int], ...]:
    """Who touches fields of a name: (owner, scope, Touch), by owner and scope."""
    for (body,) in index.rows("SELECT body FROM flow_field WHERE name = ?", name):
        found: tuple[tuple[int, int, int], ...] = marshal.loads(zlib.decompress(body))
        return found
    return ()


def first_nodes(index: Index) -> tuple[tuple[int, int], ...]:
    """(first node, file) of every file with rows, in order."""
    return tuple((first, file) for file, first in index.rows("SELECT file, first_node FROM flow_file ORDER BY first_node"))


def node_ranges(index: Index, file: int) -> tuple[int, tuple[tuple[int, int, int], ...]]:
    """The module's scope, and (first node, end, scope) of each function of a file, in order."""
    for (body,) in index.rows("SELECT body FROM flow_file WHERE file = ?", file):
        found: tuple[int, tuple[tuple[int, int, int], ...]] = marshal.loads(zlib.decompress(body))
        return found
    return -1, ()


def scopes_calling(index: Index, symbol: int) -> tuple[int, ...]:
    """The scopes with a site that runs a function, or makes a class."""
    return tuple(row[0] for row in index.rows(_CALLERS, symbol, symbol))


def class_order(index: Index, cls: int) -> tuple[int, ...]:
    """The classes of a class's order, by number."""
    return tuple(row[0] for row in index.rows("SELECT symbol FROM class_order WHERE class = ? ORDER BY position", cls))


def classes_below(index: Index, cls: int) -> tuple[int, ...]:
    """A class and those that inherit from it."""
    return tuple(row[0] for row in index.rows("SELECT class FROM class_order WHERE symbol = ? ORDER BY class", cls))
