"""Fields that are named by a string: `getattr`, `setattr`, `delattr`; and copies with other values: `dataclasses.replace`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flowmap.flow.marks import DROPPED, LOADED, READ, STORED, WRITE
from flowmap.flow.receivers import Receiver, Receivers
from flowmap.model.facts import COMPUTED, Row
from flowmap.solve.state import INFERRED, STAGE_MASK, State
from flowmap.solve.values import Kind

BY_STRING = {
    "builtins.getattr": (READ, LOADED),
    "builtins.setattr": (WRITE, STORED),
    "builtins.object.__setattr__": (WRITE, STORED),
    "builtins.delattr": (WRITE, DROPPED),
}
REPLACERS = ("dataclasses.replace", "copy.replace")
TUPLE_REPLACER = "typing.NamedTuple._replace"
ANY_PART = "*"  # stands for a computed part of a name


class Named(NamedTuple):
    """A field that a call names. `keyword` is the position of the argument that names it; -1 for a string."""

    field: str
    kind: int
    stage: int
    receiver: Receiver
    keyword: int = -1


class ByName:
    """Finds the fields that calls name."""

    def __init__(self, state: State, receivers: Receivers) -> None:
        self.state = state
        self.receivers = receivers
        known = state.values.known
        texts = (*BY_STRING, *REPLACERS, TUPLE_REPLACER)
        values = {known.get((Kind.OUTSIDE, text)): text for text in texts}
        self.callees = {value: text for value, text in values.items() if value is not None}

    def of_call(self, scope: int, call: Row, base: int) -> Iterator[Named]:
        """The fields that a call (a row of facts) names; `base` is where the nodes of its file begin."""
        for value in self.state.points[call[2] + base] or ():
            text = self.callees.get(value)
            if text is None or not call[3] or call[3][0] < 0:
                continue
            receiver = self.receivers.at(scope, call[3][0] + base)
            if text in BY_STRING:
                yield from self.by_string(call, base, text, receiver)
            elif text in REPLACERS:
                yield from replaced(call, receiver)

    def by_string(self, call: Row, base: int, text: str, receiver: Receiver) -> Iterator[Named]:
        """What the strings at the second argument name."""
        kind, stage = BY_STRING[text]
        if len(call[3]) == 1 or call[3][1] < 0:
            return
        held = self.state.points[call[3][1] + base] or {}
        strings = {value: come for value, come in held.items() if self.state.values.kinds[value] == Kind.STRING}
        if len(strings) < len(held) or not held:
            yield Named(ANY_PART, kind, stage, receiver)
        for value, come in strings.items():
            sure = come & STAGE_MASK < INFERRED and len(held) == 1
            name = self.state.values.payloads[value].replace(COMPUTED * 2, COMPUTED).replace(COMPUTED, ANY_PART)
            yield Named(name, kind, stage, receiver if sure else receiver._replace(stage=INFERRED))


def replaced(call: Row, receiver: Receiver) -> Iterator[Named]:
    """The fields that the keywords of `replace` name."""
    for position, (name, _) in enumerate(call[4], len(call[3])):
        if name is not None:
            yield Named(name, WRITE, STORED, receiver, position)
