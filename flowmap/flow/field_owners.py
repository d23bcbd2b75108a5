"""Which class a field belongs to, for each class that its receiver may be."""

from __future__ import annotations

from collections.abc import Iterable

from flowmap.flow.receivers import Receiver, Receivers
from flowmap.model.facts import Binding
from flowmap.solve.state import State

DEFINES = frozenset((Binding.DEFINITION, Binding.IMPORT))
NO_FIELD = -1


class FieldOwners:
    """The owner of a field is the nearest class of the receiver's order that declares it in its body or assigns it through
    `self`. Where only classes that are never made assign it (mixins, abstract bases), or only code outside of them does, it
    is the receiver's own class."""

    def __init__(self, state: State, receivers: Receivers) -> None:
        self.layout = state.layout
        self.classes = state.program.classes
        self.receivers = receivers
        self.known: dict[tuple[int, str], int] = {}
        self.given: dict[tuple[int, str], tuple[int, ...]] = {}  # (number of a receiver, name)
        self.bodies: dict[int, frozenset[str]] = {}
        self.outside: dict[str, dict[int, None]] = {}  # name → classes on whose instances code outside of them stores it

    def of(self, receiver: Receiver, name: str) -> tuple[int, ...]:
        """The owners of a field of a receiver, sorted; classes that do not have it give none."""
        if receiver.number < 0:
            return self.of_classes(receiver.classes, name)
        key = (receiver.number, name)
        found = self.given.get(key)
        if found is None:
            found = self.given[key] = self.of_classes(receiver.classes, name)
        return found

    def of_classes(self, classes: tuple[int, ...], name: str) -> tuple[int, ...]:
        """The owners of a field of some classes."""
        owners = {self.owner(cls, name) for cls in classes}
        owners.discard(NO_FIELD)
        return tuple(sorted(owners))

    def owner(self, cls: int, name: str) -> int:
        """The owner for one class; NO_FIELD where its order does not have the field."""
        key = (cls, name)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self.find(cls, name)
        return found

    def find(self, cls: int, name: str) -> int:
        """As `owner`, without remembering."""
        order = [one for one in self.classes.order[cls] if isinstance(one, int)]
        having = [one for one in order if self.has(one, name)]
        if not having:
            return NO_FIELD
        lasting = (one for one in having if name in self.body(one) or self.receivers.is_made(one))
        return having[0] if any(True for _ in lasting) else cls

    def has(self, cls: int, name: str) -> bool:
        """Whether a class declares a field in its body or assigns it through `self`."""
        return name in self.layout.scopes[cls].assigned or name in self.body(cls)

    def body(self, cls: int) -> frozenset[str]:
        """The fields that a class's body declares: no methods, inner classes or imports."""
        found = self.bodies.get(cls)
        if found is None:
            scope = self.layout.scopes[cls]
            values = (name for name in scope.names if not defines(scope.bindings.get(name, ())))
            found = self.bodies[cls] = frozenset((*scope.declared, *values))
        return found

    def defines(self, cls: int, name: str) -> bool:
        """Whether the class order gives a method, property or inner class for a name."""
        provider = self.classes.provides[cls].get(name)
        return provider is not None and name not in self.body(provider)

    def store_outside(self, classes: Iterable[int], name: str) -> None:
        """Code outside stores a field that no class of these has."""
        known = self.outside.setdefault(name, {})
        known.update((cls, None) for cls in classes if not self.defines(cls, name))

    def stored_outside(self, classes: tuple[int, ...], name: str) -> tuple[int, ...]:
        """Those of some classes on whose instances code outside stores a field: each is its own owner."""
        known = self.outside.get(name)
        return tuple(cls for cls in classes if cls in known) if known else ()


def defines(bindings: tuple[tuple[object, ...], ...]) -> bool:
    """Whether the text binds a name to definitions alone."""
    return bool(bindings) and all(kind in DEFINES for kind, *_ in bindings)
