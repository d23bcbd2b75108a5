"""Classes whose instances are told apart by where they are made.

One abstract instance a class is enough for nearly all of them. Callable objects are different: a dispatcher or a wrapper is
what it was made with, and merging all of a class would let each stand for all. Such a class has a variant for each site
that makes one: a class number of its own, with the same order and the same members.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from flowmap.link.program import Program
from flowmap.model.facts import Binding

MOST_VARIANTS = 64  # of one class, or as many as can be read within a bound; further ones share the class's own number
MOST_NODES_OF_MAKER = 1 << 18  # for reading a method that makes the variants of a class
MADE_BY = ("__new__", "__init__")
TOLD_APART = frozenset(("typing.Generic", "builtins.property"))  # bases outside that hide nothing


class Variants:
    """The classes of the program, and the variants made so far."""

    def __init__(self, program: Program) -> None:
        given = program.classes
        self.layout = program.layout
        self.first = len(program.layout.scopes)
        self.classes = replace(given, order=dict(given.order), provides=dict(given.provides), fields=dict(given.fields))
        self.made: dict[tuple[int, int], int] = {}
        self.origins: list[tuple[int, int]] = []  # by variant: (class, site)
        self.counts: Counter[int] = Counter()
        self.limits: dict[int, int] = {}

    def at(self, cls: int, site: int) -> int:
        """The class number of an instance made at a site."""
        if site < 0 or not self.is_told_apart(cls):
            return cls
        found = self.made.get((cls, site))
        if found is None:
            if self.counts[cls] >= self.most(cls):
                return cls
            found = self.made[cls, site] = self.make(cls, site)
        return found

    def most(self, cls: int) -> int:
        """How many variants of a class are made: many where little has to be read for each."""
        found = self.limits.get(cls)
        if found is None:
            size = sum(self.size(cls, name) for name in MADE_BY)
            found = self.limits[cls] = max(MOST_VARIANTS, MOST_NODES_OF_MAKER // max(size, 1) if size else 0)
        return found

    def size(self, cls: int, name: str) -> int:
        """How many nodes a method has that the class order provides, 0 where it is none of the text."""
        layout = self.layout
        found = self.classes.provides[cls].get(name)
        bindings = () if found is None else layout.scopes[found].bindings.get(name, ())
        base = 0 if found is None else layout.scope_base[layout.scope_file[found]]
        return sum(layout.nodes_of(rest[0] + base) for kind, *rest in bindings if kind == Binding.DEFINITION)

    def make(self, cls: int, site: int) -> int:
        """A new variant."""
        number = self.first + len(self.origins)
        self.origins.append((cls, site))
        self.counts[cls] += 1
        classes = self.classes
        classes.order[number] = classes.order[cls]
        classes.provides[number] = classes.provides[cls]
        classes.fields[number] = classes.fields[cls]
        return number

    def alias(self, cls: int) -> int:
        """A further number for a class, of no site."""
        return self.make(cls, -1)

    def is_told_apart(self, cls: int) -> bool:
        """Whether instances of a class are called, or give what fields hold, by its own text."""
        provides = self.classes.provides[cls]
        return ("__call__" in provides or "__get__" in provides) and TOLD_APART.issuperset(self.classes.outside_bases(cls))

    def base(self, number: int) -> int:
        """The class itself."""
        return number if number < self.first else self.origins[number - self.first][0]

    def site(self, number: int) -> int:
        """The site that makes a variant's instances, -1 for a class itself."""
        return -1 if number < self.first else self.origins[number - self.first][1]
