"""Reflected operators: the right side is asked where the left side is of another class.

What the left side is must be known first, so these wait until nothing else arrives. What comes later only adds to them.
"""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.state import INFERRED, State
from flowmap.solve.values import Kind


class Reflections:
    """Right sides that have a reflected method, until it is known whether it runs."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.waiting: dict[tuple[int, Row], None] = {}  # (value of the right side, operator)

    def add(self, value: int, row: Row) -> None:
        """Keeps the right side of an operator."""
        self.waiting[value, row] = None

    def take(self) -> list[tuple[int, Row]]:
        """Those that run by what is known now. While more is to be proven, an unknown left side tells nothing."""
        taken = [one for one in self.waiting if self.runs(*one)]
        for one in taken:
            del self.waiting[one]
        return taken

    def runs(self, value: int, row: Row) -> bool:
        """Whether the left side may be of another class."""
        held = self.state.points[row[2]]
        if not held:
            return self.state.stage == INFERRED
        return not all(self.is_like(one, value) for one in held)

    def is_like(self, left: int, right: int) -> bool:
        """Whether two values are instances of one class."""
        kinds, payloads = self.state.values.kinds, self.state.values.payloads
        if kinds[left] != Kind.INSTANCE or kinds[right] != Kind.INSTANCE:
            return False
        return self.state.variants.base(payloads[left]) == self.state.variants.base(payloads[right])
