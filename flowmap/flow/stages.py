"""At which stage of a value's life an access is, as far as the rows around it tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from flowmap.flow.marks import BORN, DERIVED, DROPPED, LOADED, STORED
from flowmap.model.facts import Op, Row
from flowmap.solve.state import State
from flowmap.solve.values import Kind

COMPUTES = frozenset((Op.CALL, Op.DISPLAY, Op.OPERATOR, Op.STRING, Op.AWAIT, Op.TEXT))
COMPARES = frozenset(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "contains", "bool", "len"))
FUNCTIONS = (Kind.BOUND, Kind.FUNCTION)
NOTHING = 0  # the node of None, and of a read whose value is narrowed
Given = tuple[frozenset[int], Mapping[int, str]]  # the nodes of a file's literals, and those that have a name


class Stages:
    """The nodes of one scope that are computed, and those of which something is computed at once. `base` is where the nodes of
    its file begin."""

    def __init__(self, state: State, rows: Sequence[Row], base: int, given: Given) -> None:
        self.state = state
        self.base = base
        self.literals, self.named = given
        self.made: set[int] = set()
        self.copies: dict[int, int] = {}
        self.annotated: dict[int, int] = {}  # by the node of what an annotation bounds: what it bounds
        self.used: set[int] = set()
        self.methods: defaultdict[int, list[int]] = defaultdict(list)  # by node: what its called attributes give
        self.narrowed: dict[int, int] = {}  # by the site of a read: the node by which what is narrowed goes on
        waiting = -1
        for row in rows:
            kind = row[0]
            if kind == Op.COPY:
                self.copies[row[1]] = row[2]
                if waiting >= 0:
                    self.narrowed[waiting] = row[1]
            waiting = row[4] if kind == Op.ATTR and row[1] == NOTHING else -1
            if kind in COMPUTES:
                self.made.add(row[1])
                if kind == Op.OPERATOR and row[2][0] not in COMPARES:
                    self.used.update(row[3:5])
            elif kind == Op.ANNOTATE:
                self.annotated[row[2]] = row[1]
            elif kind == Op.METHOD:
                self.methods[row[2]].append(row[1])
            elif kind == Op.GETITEM and row[5] >= 0:
                self.used.add(row[2])

    def of_read(self, row: Row) -> int:
        """The stage of an attribute read (a row of facts)."""
        node = row[1] or self.narrowed.get(row[4], NOTHING)
        if node == NOTHING:
            return LOADED
        is_used = node in self.used or (node in self.methods and not all(map(self.runs_inside, self.methods[node])))
        return DERIVED if is_used else LOADED

    def of_write(self, node: int) -> int:
        """The stage of a write of what is at a node."""
        node = self.annotated.get(node, node)
        if node not in self.named:
            node = self.copies.get(node, node)
        if node == NOTHING:
            return DROPPED
        return BORN if node in self.made or node in self.literals else STORED

    def runs_inside(self, node: int) -> bool:
        """Whether a called attribute is a method of the indexed code."""
        kinds = self.state.values.kinds
        return any(kinds[value] in FUNCTIONS for value in self.state.points[node + self.base] or ())
