"""What stands in a node of a picture, line by line."""

from __future__ import annotations

from flowmap.model.graph import GraphNode

_LONGEST_NOTE = 30


def lines_of(node: GraphNode) -> tuple[str, ...]:
    """What stands in a node: its name, what is said of it, what is cut."""
    cuts = (", ".join(map(str, node.cuts)),) if node.cuts else ()
    return (node.label, *(_short(each) for each in node.notes), *cuts)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_NOTE else f"{text[: _LONGEST_NOTE - 1]}…"
