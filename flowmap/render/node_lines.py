"""What stands in a node of a picture, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from flowmap.model.graph import GraphNode, GraphRow, RowKind

_LONGEST_NOTE = 30
MOST_ROWS = 14


def lines_of(node: GraphNode) -> tuple[str, ...]:
    """What stands in a node: its name, what is said of it, what is cut."""
    return (node.label, *notes_of(node))


def notes_of(node: GraphNode) -> tuple[str, ...]:
    """What is said of a node below its name: notes, and what is cut."""
    cuts = (", ".join(map(str, node.cuts)),) if node.cuts else ()
    return (*(_short(each) for each in node.notes), *cuts)


def drawn_rows(node: GraphNode) -> tuple[GraphRow, ...]:
    """The lines of a node that a picture has room for: the first and the last, what runs something before what does not; one line
    says how many are left out. The last stays, since what leads on from the node stands there."""
    rows = node.rows
    if len(rows) <= MOST_ROWS:
        return rows
    ranked = sorted(range(len(rows)), key=lambda place: (not _tells(rows, place), place))
    kept = sorted({0, len(rows) - 1, *ranked[: MOST_ROWS - 3]})
    shown: list[GraphRow] = []
    for before, place in zip([-1, *kept], kept, strict=False):
        if place - before > 1:
            shown.append(_left_out(rows[before + 1 : place]))
        shown.append(rows[place])
    return tuple(shown)


def _tells(rows: Sequence[GraphRow], place: int) -> bool:
    """Whether a line is a call, or the statement right above one."""
    return any(row.kind is RowKind.CALL for row in rows[place : place + 2])


def _left_out(rows: Sequence[GraphRow]) -> GraphRow:
    first = rows[0]
    told = tuple(row.text for row in rows)
    label = f"… {len(rows)} more"
    return GraphRow(f"{first.id}more", first.kind, label, label, first.place, first.at, told)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_NOTE else f"{text[: _LONGEST_NOTE - 1]}…"
