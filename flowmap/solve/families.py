"""Families: the classes that share a method, as one value.

A method of a base class with hundreds of subclasses would see an instance of each at `self`, and each of its calls would run
once for each. A family stands for all of them at once. Asked for a name, it falls into parts, one for each class whose
body provides that name, so nothing is lost in who runs.
"""

from __future__ import annotations

from collections.abc import Callable

from flowmap.link.program import FEW, Classes
from flowmap.solve.state import State
from flowmap.solve.values import Kind

SILENT_BASES = frozenset(("abc.ABC", "typing.Generic", "typing.Protocol", "builtins.object", "typing_extensions.Protocol"))
MEMBER_KIND: dict[int, Kind] = {Kind.FAMILY: Kind.INSTANCE, Kind.CLASS_FAMILY: Kind.CLASS}
FAMILY_KIND: dict[int, Kind] = {Kind.INSTANCE: Kind.FAMILY, Kind.CLASS: Kind.CLASS_FAMILY}
Part = tuple[int | str | None, int]  # (what provides a name, the value of those classes)


class Families:
    """All families met so far. A family has a class number of its own, whose order is that of its root."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.numbers: dict[tuple[int, int, tuple[int, ...]], int] = {}  # (root, method, members) → class number
        self.members: dict[int, tuple[int, ...]] = {}  # by class number, in program order
        self.sets: dict[int, frozenset[int]] = {}  # the same
        self.methods: dict[int, int] = {}  # by class number: the method whose `self` it is, -1 for none
        self.summaries: dict[int, int] = {}
        self.known: dict[tuple[int, str], tuple[Part, ...]] = {}  # (value, name) → its parts

    def of(self, kind: Kind, root: int, members: tuple[int, ...], method: int = -1) -> int:
        """The value for the instances (or, by kind, the classes themselves) of some classes below a root. One is no family."""
        values = self.state.values
        if len(members) == 1:
            return values.of(MEMBER_KIND[kind], members[0])
        key = (root, method, members)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = self.state.variants.alias(root)
            self.members[number] = members
            self.sets[number] = frozenset(members)
            self.methods[number] = method
        return values.of(kind, number)

    def every(self, kind: Kind, root: int) -> tuple[int, ...]:
        """The values for a class and all below it: one each, or one family where they are many. `kind` is that of a member."""
        below = self.state.program.classes.below[root]
        if len(below) > FEW:
            return (self.of(FAMILY_KIND[kind], root, below),)
        return tuple(self.state.values.of(kind, one) for one in below)

    def summary(self, value: int) -> int:
        """The family of all below the topmost class that many inherit from; the value itself where there is none."""
        found = self.summaries.get(value)
        if found is None:
            found = self.summaries[value] = self.summarize(value)
        return found

    def summarize(self, value: int) -> int:
        """As `summary`, worked out."""
        cls = self.state.values.payloads[value]
        root = next((one for one in reversed(self.state.variants.classes.order[cls]) if self.is_root(one)), -1)
        if not isinstance(root, int) or root < 0:
            return value
        kind = self.state.values.kinds[value]
        return self.of(FAMILY_KIND.get(kind, Kind(kind)), root, self.state.program.classes.below[root])

    def is_root(self, cls: int | str) -> bool:
        """Whether more classes than are told apart inherit from a class."""
        return isinstance(cls, int) and len(self.state.program.classes.below.get(cls, ())) > FEW

    def is_family(self, value: int) -> bool:
        """Whether a value stands for many classes."""
        return self.state.values.kinds[value] in MEMBER_KIND

    def is_large(self, value: int) -> bool:
        """Whether a value stands for more classes than are told apart."""
        return self.is_family(value) and len(self.members[self.state.values.payloads[value]]) > FEW

    def each(self, value: int) -> tuple[int, ...]:
        """The values that a family stands for, one a class; any other value itself."""
        if not self.is_family(value):
            return (value,)
        kind = MEMBER_KIND[self.state.values.kinds[value]]
        return tuple(self.state.values.of(kind, one) for one in self.members[self.state.values.payloads[value]])

    def holds(self, value: int, other: int) -> bool:
        """Whether all that `other` stands for is in a family."""
        values = self.state.values
        if values.kinds[value] != FAMILY_KIND.get(values.kinds[other], values.kinds[other]):
            return False
        held = self.sets[values.payloads[value]]
        number = values.payloads[other]
        return held.issuperset(self.members[number]) if self.is_family(other) else self.state.variants.base(number) in held

    def root(self, value: int) -> int:
        """The class above all of a family."""
        return self.state.variants.base(self.state.values.payloads[value])

    def as_kind(self, value: int, kind: Kind) -> int:
        """The classes of a family of instances, or the other way round."""
        number = self.state.values.payloads[value]
        return self.of(kind, self.root(value), self.members[number])

    def unbound(self, value: int) -> int:
        """A family that is no longer the `self` of a very method."""
        if not self.is_family(value):
            return value
        number = self.state.values.payloads[value]
        if self.methods[number] < 0:
            return value
        return self.of(Kind(self.state.values.kinds[value]), self.root(value), self.members[number])

    def within(self, value: int, classes: frozenset[int]) -> int:
        """The part of a family that is among some classes; -1 when nothing is."""
        number = self.state.values.payloads[value]
        members = self.members[number]
        kept = tuple(one for one in members if one in classes)
        if len(kept) == len(members):
            return value
        return self.of(Kind(self.state.values.kinds[value]), self.root(value), kept) if kept else -1

    def parts(self, value: int, name: str) -> tuple[Part, ...]:
        """For each class whose body provides the name to some of a family, that class and the value of these."""
        key = (value, name)
        found = self.known.get(key)
        if found is None:
            provides = self.state.variants.classes.provides
            found = self.known[key] = self.split(value, lambda one: provides[one].get(name))
        return found

    def parts_after(self, value: int, after: int, name: str) -> tuple[Part, ...]:
        """As `parts`, for what `super()` finds behind the class `after`."""
        key = (value, f"{after} {name}")
        found = self.known.get(key)
        if found is None:
            classes = self.state.variants.classes
            found = self.known[key] = self.split(value, lambda one: provider_after(classes, one, after, name))
        return found

    def split(self, value: int, provider_of: Callable[[int], int | str | None]) -> tuple[Part, ...]:
        """The members by what provides for them. A family that stays whole stays the `self` of its method."""
        number = self.state.values.payloads[value]
        groups: dict[int | str | None, list[int]] = {}
        for one in self.members[number]:
            groups.setdefault(provider_of(one), []).append(one)
        if len(groups) == 1:
            return tuple((provider, value) for provider in groups)
        kind, own = Kind(self.state.values.kinds[value]), self.root(value)
        return tuple(
            (provider, self.of(kind, provider if isinstance(provider, int) else own, tuple(members)))
            for provider, members in groups.items()
        )


def provider_after(classes: Classes, cls: int, after: int, name: str) -> int | str | None:
    """What `super()` finds: the next class of `cls`'s order behind `after` that has the name, or the next one outside."""
    order = classes.order[cls]
    if after not in order:
        return None
    rest = order[order.index(after) + 1 :]
    for one in rest:
        if isinstance(one, str):
            if one not in SILENT_BASES:
                return one
        elif classes.provides[one].get(name) == one:
            return one
    return None
