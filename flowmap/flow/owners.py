"""The classes that own a field that a row touches, and which classes its object may be of."""

from __future__ import annotations

from flowmap.flow.field_owners import NO_FIELD, FieldOwners
from flowmap.flow.receivers import Receiver, Receivers
from flowmap.solve.state import State

MOST_TOLD_APART = 8  # classes of one receiver; more stand for whatever has the same owners
NO_CLASSES: tuple[int, ...] = ()
Owned = tuple[tuple[int, ...], tuple[int, ...]]  # owners of a field, and the classes of the receiver
NOT_OWNED: Owned = (NO_CLASSES, NO_CLASSES)


class Owners:
    """Owners of fields, in all activations of the functions that touch them."""

    def __init__(self, state: State) -> None:
        self.receivers = Receivers(state)
        self.owners = FieldOwners(state, self.receivers)
        self.known: dict[tuple[int, str], Owned] = {}

    def of(self, scope: int, base: int, name: str) -> Owned:
        """The owners of `base.name` in a scope, by number, and the classes that `base` may be of: one owner each where they are
        few, else none are named."""
        receiver = self.receivers.at(scope, base)
        if not receiver.classes:
            return NOT_OWNED
        key = (receiver.number, name)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self.owned(receiver, name)
        return found

    def owned(self, receiver: Receiver, name: str) -> Owned:
        """As `of`, without remembering. A class whose order does not have the field owns what others store on its objects."""
        classes = receiver.classes
        owners = [self.owners.owner(cls, name) for cls in classes]
        given = tuple(cls if owner == NO_FIELD else owner for owner, cls in zip(owners, classes, strict=True))
        return (given, classes) if len(classes) <= MOST_TOLD_APART else (tuple(sorted(set(given))), NO_CLASSES)
