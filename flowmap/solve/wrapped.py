"""Wrappers whose body cannot be followed: what they say that they wrap stands in for them.

A decorator may make a function whose code is only written when the program runs, and say by `wrapper.__wrapped__ = f` what it
wraps. Where such a wrapper gives nothing, f gets the arguments and gives the result. It is no target of the call:
what runs there is the wrapper.
"""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.state import State
from flowmap.solve.values import Kind

WRAPPED = "__wrapped__"
MOST_WRAPPED = 4  # functions and objects of one wrapper
WRAPPABLE = frozenset((Kind.FUNCTION, Kind.BOUND, Kind.PARTIAL, Kind.CLASS, Kind.INSTANCE, Kind.FAMILY))


class Wrapped:
    """The calls of functions that may be such wrappers."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.waiting: list[tuple[int, Row]] = []  # (value of the function, call)
        self.stood_in: set[Row] = set()  # calls of what is wrapped; wrappers may wrap one another in a circle

    def called(self, function: int, row: Row) -> None:
        """Keeps a call of a function until it is known what it gives."""
        if self.state.fields.is_stored(WRAPPED):
            self.waiting.append((function, row))

    def stand_in(self) -> bool:
        """Lets what is wrapped stand in at the calls that are new and whose wrapper gives nothing. False when there are none."""
        waiting, self.waiting = self.waiting, []
        chosen = [(self.wrapped_by(function), row) for function, row in waiting if self.gives_nothing(function, row[4])]
        calls = {(row[0], wrapped, row[2], row[3], -1): None for wrapped, row in chosen if self.is_clear(wrapped)}
        fresh = [call for call in calls if call not in self.stood_in]
        self.stood_in.update(fresh)
        for call in fresh:
            self.state.watch(call[1], self.state.tables["call"], call)
        return bool(fresh)

    def wrapped_by(self, function: int) -> int:
        """The node of what a function wraps, -1 where it does not say."""
        return self.state.fields.of_functions.get((function, WRAPPED), -1)

    def gives_nothing(self, function: int, site: int) -> bool:
        """Whether nothing is known of what a function returns, whatever else the call of a site may run."""
        activations = self.state.activations
        scope, definer = self.state.values.payloads[function]
        entered = activations.made.get((scope, definer, site), activations.made.get((scope, definer, None), 0))
        return not self.state.points[activations.signature(scope, entered).result]

    def is_clear(self, wrapped: int) -> bool:
        """Whether it is known what is wrapped: wrappers that are not told apart wrap many, and say nothing."""
        if wrapped < 0:
            return False
        kinds = self.state.values.kinds
        return sum(kinds[value] in WRAPPABLE for value in self.state.points[wrapped] or ()) <= MOST_WRAPPED
