"""The classes that own a field, for what solving found at a receiver."""

from __future__ import annotations

from collections import defaultdict

from flowmap.solve.install import Frame
from flowmap.solve.state import State
from flowmap.solve.values import Kind

MOST_TOLD_APART = 8  # classes of one receiver; more stand for whatever has the same owners
NO_CLASSES: tuple[int, ...] = ()
Owned = tuple[tuple[int, ...], tuple[int, ...]]  # owners of a field, and the classes of the receiver
NOT_OWNED: Owned = (NO_CLASSES, NO_CLASSES)


class Owners:
    """Owners of fields, in all activations of the functions that touch them."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.frames: defaultdict[int, list[Frame]] = defaultdict(list)  # by scope, those beside the text's own nodes
        for scope, frame in zip(state.activations.scopes[1:], state.activations.frames[1:], strict=True):
            self.frames[scope].append(frame)
        self.known: dict[tuple[tuple[int, ...], str], Owned] = {}
        self.receivers: dict[int, tuple[int, ...]] = {}
        self.scope = -1

    def of(self, scope: int, base: int, name: str) -> Owned:
        """The owners of `base.name` in a scope, by number, and the classes that `base` may be of: one owner each where they are
        few, else none are named."""
        classes = self.classes(scope, base)
        if not classes:
            return NOT_OWNED
        found = self.known.get((classes, name))
        if found is None:
            owner = self.state.program.classes.field_owner
            if len(classes) <= MOST_TOLD_APART:
                found = (tuple(owner(cls, name) for cls in classes), classes)
            else:
                found = (tuple(sorted({owner(cls, name) for cls in classes})), NO_CLASSES)
            self.known[classes, name] = found
        return found

    def classes(self, scope: int, base: int) -> tuple[int, ...]:
        """The classes that a receiver may be of. Those of the last scope are kept: `self` is asked for many times."""
        if scope != self.scope:
            self.scope, self.receivers = scope, {}
        found = self.receivers.get(base)
        if found is None:
            found = self.receivers[base] = self.read_classes(scope, base)
        return found

    def read_classes(self, scope: int, base: int) -> tuple[int, ...]:
        """Reads them off the values at the receiver's nodes."""
        classes: set[int] = set()
        nodes = {base, *(frame.place(base) for frame in self.frames.get(scope, ()))}
        for node in nodes:
            for value in self.state.points[node] or ():
                self.add_classes(classes, value)
        return tuple(sorted(classes))

    def add_classes(self, classes: set[int], value: int) -> None:
        """The classes of one value."""
        state = self.state
        kind, payload = state.values.kinds[value], state.values.payloads[value]
        if kind in (Kind.INSTANCE, Kind.CLASS):
            classes.add(state.variants.base(payload))
        elif kind in (Kind.FAMILY, Kind.CLASS_FAMILY):
            classes.update(state.variants.base(one) for one in state.families.members[payload])
