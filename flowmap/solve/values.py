"""Abstract values, interned to numbers."""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Kind(IntEnum):
    """What a value is; the payload after each."""

    MODULE = 0  # file
    PACKAGE = 1  # dotted name of a package without a file
    CLASS = 2  # class
    FUNCTION = 3  # (scope, activation that defined it)
    BOUND = 4  # (value of a function, value of the receiver)
    INSTANCE = 5  # class
    OUTSIDE = 6  # dotted name of something that is not indexed
    THING = 7  # an object of an outside class: its dotted name, or the package that made it
    CONTAINER = 8  # (type name, node that made it)
    METHOD = 9  # (value of a container or thing, name)
    SUPER = 10  # (class after which to look, value of the receiver)
    STRING = 11  # text; a computed part is COMPUTED
    PARTIAL = 12  # number of the partial call
    FAMILY = 13  # instances of many classes: class number of the family
    CLASS_FAMILY = 14  # many classes: class number of the family
    PROPERTY = 15  # (node of the function that reads, that writes, that deletes); -1 for none
    CONSTRUCTOR = 16  # value of a class: what makes its instances, whatever its metaclass puts before it
    ALIAS = 17  # annotation that a name stands for
    TYPED = 18  # annotation of what a call gives: something that is only declared
    FIELD = 19  # (node of the default, node of the factory) of `field(...)`; -1 for none
    CLASSMETHOD = 20  # node of the function in `classmethod(f)`
    REGISTRAR = 21  # a decorator that gives back what it is given: the string under which it registers that, "" for none
    VARIANT = 22  # a class as `__new__` gets it where it makes a variant: class number of the variant


class Values:
    """The table of all values met so far. The same value always has the same number."""

    __slots__ = ("alone", "kinds", "known", "payloads")

    def __init__(self) -> None:
        self.known: dict[tuple[Kind, object], int] = {}
        self.kinds: list[int] = []
        self.payloads: list[Any] = []  # as Kind says
        self.alone: list[tuple[int]] = []  # each number as what a node holds that holds nothing else

    def of(self, kind: Kind, payload: object) -> int:
        """The number of a value."""
        key = (kind, payload)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = len(self.kinds)
            self.kinds.append(int(kind))
            self.payloads.append(payload)
            self.alone.append((found,))
        return found
