"""Fields that a call names by a string: `getattr`, `setattr`, `delattr`, the methods behind them and `attrgetter`; and by a
keyword: copies with other values, by `dataclasses.replace` and `_replace`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flowmap.flow.marks import DROPPED, LOADED, READ, STORED, WRITE
from flowmap.flow.receivers import Receiver, Receivers
from flowmap.model.facts import COMPUTED, Row
from flowmap.solve.records import is_named_tuple
from flowmap.solve.state import INFERRED, STAGE_MASK, State
from flowmap.solve.values import Kind

BY_STRING = {
    "builtins.getattr": (READ, LOADED),
    "builtins.setattr": (WRITE, STORED),
    "builtins.object.__setattr__": (WRITE, STORED),
    "builtins.delattr": (WRITE, DROPPED),
    "builtins.object.__getattribute__": (READ, LOADED),
    "builtins.object.__delattr__": (WRITE, DROPPED),
}
BY_METHOD = {  # each with the number of its arguments
    "__getattribute__": (1, READ, LOADED),
    "__setattr__": (2, WRITE, STORED),
    "__delattr__": (1, WRITE, DROPPED),
}
REPLACERS = ("dataclasses.replace", "copy.replace")
TUPLE_REPLACER = "_replace"
GETTER = "operator.attrgetter"
METHODS = frozenset((*BY_METHOD, TUPLE_REPLACER))
OF_OBJECT = "builtins.object."
ANY_PART = "*"  # stands for a computed part of a name


class Named(NamedTuple):
    """A field that a call names. `keyword` is the position of the argument that names it; -1 for a string."""

    field: str
    kind: int
    stage: int
    receiver: Receiver
    keyword: int = -1


class Method(NamedTuple):
    """A method that is called: the node of what it is read off, and its name."""

    thing: int
    name: str


class ByName:
    """Finds the fields that calls name."""

    def __init__(self, state: State, receivers: Receivers) -> None:
        self.state = state
        self.receivers = receivers
        known = state.values.known
        texts = (*BY_STRING, *REPLACERS, GETTER)
        values = {known.get((Kind.OUTSIDE, text)): text for text in texts}
        self.callees = {value: text for value, text in values.items() if value is not None}

    def of_call(self, scope: int, call: Row, base: int) -> Iterator[Named]:
        """The fields that a call (a row of facts) names; `base` is where the nodes of its file begin."""
        for value in self.state.points[call[2] + base] or ():
            text = self.callees.get(value)
            if text is None or not call[3] or call[3][0] < 0:
                continue
            receiver = self.receivers.at(scope, call[3][0] + base)
            if text in REPLACERS:
                yield from replaced(call, receiver)
            elif text == GETTER:
                yield from self.got(scope, call, base)
            elif len(call[3]) > 1 and call[3][1] >= 0:
                yield from self.by_string(call[3][1] + base, BY_STRING[text], receiver)

    def of_method(self, scope: int, call: Row, base: int, method: Method) -> Iterator[Named]:
        """The fields that a call of a method of every object, or of a named tuple, names."""
        receiver = self.receivers.at(scope, method.thing + base)
        if not receiver.classes:
            return
        if method.name == TUPLE_REPLACER:
            named = tuple(cls for cls in receiver.classes if is_named_tuple(self.state, cls))
            yield from replaced(call, Receiver(named, receiver.stage, is_object=bool(named)))
            return
        n_arguments, kind, stage = BY_METHOD[method.name]
        if len(call[3]) == n_arguments and call[3][0] >= 0 and self.is_of_object(call[2] + base, method.name):
            yield from self.by_string(call[3][0] + base, (kind, stage), receiver)

    def is_of_object(self, callee: int, name: str) -> bool:
        """Whether what is called is the method that every object has, as far as is known."""
        values = self.state.values
        held = self.state.points[callee] or ()
        return all((values.kinds[one], values.payloads[one]) == (Kind.OUTSIDE, OF_OBJECT + name) for one in held)

    def got(self, scope: int, call: Row, base: int) -> Iterator[Named]:
        """What `attrgetter` reads, off all that its functions are given."""
        for node in (node + base for node in call[3] if node >= 0):
            places = self.receivers.places(scope, node)
            things = (thing for place in places for thing in self.state.read_by_name.get(place, ()))
            for named in self.by_string(node, (READ, LOADED), self.receivers.at_any(things)):
                yield named._replace(field=named.field.partition(".")[0])

    def by_string(self, node: int, done: tuple[int, int], receiver: Receiver) -> Iterator[Named]:
        """What the strings at a node name. `done`: the kind of access, and its stage."""
        kind, stage = done
        held = tuple(self.state.comings(node))
        strings = {value: come for value, come in held if self.state.values.kinds[value] == Kind.STRING}
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
