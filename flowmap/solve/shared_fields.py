"""Fields that families write and read.

What a method shared by many classes stores on `self` is stored once, beside the class whose method it is; each class that is
met by itself reads it there. What such a method reads is gathered once, too. So the edges grow with the classes that touch a
field, not with their pairs.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from flowmap.link.program import FEW
from flowmap.solve.state import State

Field = tuple[int, int]  # (node that stores enter, node that reads leave)


class SharedFields:
    """The fields of all classes that have more classes below them than are told apart."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.single: defaultdict[str, dict[int, Field]] = defaultdict(dict)  # name → class → its own field
        self.stored: defaultdict[str, dict[int, Field]] = defaultdict(dict)  # name → root → what its family stores
        self.read: defaultdict[str, dict[int, int]] = defaultdict(dict)  # name → root → what its family reads
        self.roots = lru_cache(maxsize=None)(self.find_roots)

    def find_roots(self, cls: int) -> frozenset[int]:
        """The classes of an order that families are made of."""
        below = self.state.program.classes.below
        return frozenset(one for one in self.state.variants.classes.order[cls] if isinstance(one, int) and len(below[one]) > FEW)

    def add_single(self, cls: int, name: str, field: Field) -> None:
        """The field of one class takes part in those of the families above it."""
        roots = self.roots(cls)
        if not roots:
            return
        self.single[name][cls] = field
        for root, (_, outward) in self.stored[name].items():
            if root in roots:
                self.connect(name, outward, field[0])
        for root, node in self.read[name].items():
            if root in roots:
                self.connect(name, field[1], node)

    def write_node(self, root: int, name: str) -> int:
        """The node that stores on a family enter."""
        if root not in self.stored[name]:
            field = self.state.fields.make(root, name)
            self.stored[name][root] = field
            for cls, (inward, _) in self.single[name].items():
                if root in self.roots(cls):
                    self.connect(name, field[1], inward)
            for other, node in self.read[name].items():
                if self.are_related(root, other):
                    self.connect(name, field[1], node)
        return self.stored[name][root][0]

    def read_node(self, root: int, name: str) -> int:
        """The node that reads on a family leave."""
        if root not in self.read[name]:
            node = self.read[name][root] = self.state.fields.make(root, name)[0]
            for cls, (_, outward) in self.single[name].items():
                if root in self.roots(cls):
                    self.connect(name, outward, node)
            for other, (_, outward) in self.stored[name].items():
                if self.are_related(root, other):
                    self.connect(name, outward, node)
        return self.read[name][root]

    def are_related(self, one: int, other: int) -> bool:
        """Whether one of two classes inherits from the other, or is it."""
        return one in self.roots(other) or other in self.roots(one)

    def connect(self, name: str, src: int, dst: int) -> None:
        """An edge as sure as the field is: proven where one place alone stores it."""
        if self.state.fields.stored_once(name):
            self.state.flow(src, dst)
        else:
            self.state.flow_weakly(src, dst)
