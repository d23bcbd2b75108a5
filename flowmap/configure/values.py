"""What an expression may be under a configuration: a few constants, or nothing that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

from flowmap.model.literals import Scalar
from flowmap.model.outline import Comparison

MOST_KNOWN = 8  # constants of one value; more say nothing


@dataclass(frozen=True, slots=True)
class Known:
    """A constant of the text, or a member of an enumeration: `cls` is its class then, and `value` its name."""

    type_name: str
    value: Scalar
    cls: int = -1


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression may be. `known` is None where it may be anything; `because` are the assumptions that it rests on."""

    known: frozenset[Known] | None
    because: frozenset[str] = frozenset()

    @property
    def truth(self) -> bool | None:
        """Whether it is true; None where that is not known."""
        if not self.known:
            return None
        found = {truth(one) for one in self.known}
        return found.pop() if len(found) == 1 else None


ANYTHING = Value(None)
NOTHING = Value(frozenset())  # what has not been reached yet


def constant(value: Scalar, because: frozenset[str] = frozenset()) -> Value:
    """The value of a constant."""
    return Value(frozenset((Known(type(value).__name__, value),)), because)


def member(cls: int, name: str, because: frozenset[str] = frozenset()) -> Value:
    """The value of a member of an enumeration."""
    return Value(frozenset((Known("enum", name, cls),)), because)


def truth(one: Known) -> bool | None:
    """Whether a constant is true; members of an enumeration are unless it says otherwise, which is not read."""
    return None if one.cls >= 0 else bool(one.value)


def join(values: Iterable[Value]) -> Value:
    """One of several; anything when one of them may be anything."""
    known: set[Known] = set()
    because: set[str] = set()
    for value in values:
        if value.known is None:
            return ANYTHING
        known |= value.known
        because |= value.because
    return Value(frozenset(known), frozenset(because)) if len(known) <= MOST_KNOWN else ANYTHING


def each(value: Value, apply: Callable[[Known], Scalar]) -> Value:
    """What a function gives for each of the constants."""
    if value.known is None:
        return ANYTHING
    return Value(frozenset(Known(type(got).__name__, got) for got in map(apply, value.known)), value.because)


def negate(value: Value) -> Value:
    """`not value`"""
    outcome = value.truth
    return ANYTHING if outcome is None else constant(not outcome, value.because)


def compare(how: Comparison, left: Value, right: Value) -> Value:
    """A comparison of two values, three-valued."""
    if left.known is None or right.known is None:
        return ANYTHING
    found = {holds(how, one, other) for one, other in product(left.known, right.known)}
    return outcome_of(found, left.because | right.because)


def contains(value: Value, parts: Iterable[Value]) -> Value:
    """`value in (parts)`"""
    tests = [compare(Comparison.SAME, value, part) for part in parts]
    sure = [test for test in tests if test.truth is True]
    if sure:
        return sure[0]
    if any(test.truth is None for test in tests):
        return ANYTHING
    return constant(False, value.because.union(*(test.because for test in tests)))


def outcome_of(found: set[bool | None], because: frozenset[str]) -> Value:
    """The value of a test with these outcomes."""
    return constant(bool(found.pop()), because) if len(found) == 1 and None not in found else ANYTHING


def holds(how: Comparison, one: Known, other: Known) -> bool | None:
    """A comparison of two constants; None where it cannot be told."""
    match how:
        case Comparison.SAME:
            return same(one, other)
        case Comparison.DIFFERENT:
            equal = same(one, other)
            return None if equal is None else not equal
        case Comparison.LESS | Comparison.AT_MOST | Comparison.MORE | Comparison.AT_LEAST:
            return ordered(how, one.value, other.value)
        case _:
            return None


def same(one: Known, other: Known) -> bool | None:
    """Whether two constants are equal. A member and a plain constant: not told, since some enumerations are numbers."""
    if (one.cls >= 0) != (other.cls >= 0):
        return False if None in (one.value, other.value) else None
    return (one.cls, one.value) == (other.cls, other.value)


def ordered(how: Comparison, one: Scalar, other: Scalar) -> bool | None:
    """`<` and its kin, of numbers."""
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return None
    below, above = one < other, one > other
    match how:
        case Comparison.LESS:
            return below
        case Comparison.MORE:
            return above
        case Comparison.AT_MOST:
            return not above
        case _:
            return not below
