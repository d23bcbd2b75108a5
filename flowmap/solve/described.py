"""Nodes that stand beside those of the text, in columns: there are hundreds of thousands, and few are ever asked about."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from sys import intern


class Described:
    """The nodes that rules make, each with the node that it stands beside and a label."""

    def __init__(self) -> None:
        self.nodes = array("q")  # in their order
        self.origins = array("q")
        self.labels: list[str] = []

    def add(self, node: int, origin: int, label: str) -> None:
        """A new node; it has a higher number than all before."""
        self.nodes.append(node)
        self.origins.append(origin)
        self.labels.append(intern(label))

    def find(self, node: int) -> tuple[int, str] | None:
        """The node that one stands beside, and its label; None for a node that no rule made."""
        at = bisect_left(self.nodes, node)
        if at == len(self.nodes) or self.nodes[at] != node:
            return None
        return self.origins[at], self.labels[at]
