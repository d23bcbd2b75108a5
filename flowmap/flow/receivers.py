"""Which classes a receiver may be of, from the values at its node in all activations of its scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from flowmap.solve.install import Frame
from flowmap.solve.state import INFERRED, STAGE_MASK, State
from flowmap.solve.values import Kind

INSTANCES = (Kind.INSTANCE, Kind.FAMILY)
CLASSES = (Kind.CLASS, Kind.CLASS_FAMILY)
NAMESPACES = frozenset((Kind.MODULE, Kind.PACKAGE, Kind.OUTSIDE))


class Receiver(NamedTuple):
    """What a receiver may be. `stage` is that of its weakest class."""

    classes: tuple[int, ...]  # by program number, those that are never made only where no other is
    stage: int
    is_object: bool  # it may be an instance or class, of the index or outside, or nothing is known of it
    number: int = -1  # tells receivers that were found at nodes apart


class Receivers:
    """The receivers of all nodes, found when first asked for."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.made = frozenset(cls for made in state.made.values() for cls in made)
        self.frames: defaultdict[int, list[Frame]] = defaultdict(list)  # by scope: its activations behind the text's own nodes
        for frame, scope in zip(state.activations.frames, state.activations.scopes, strict=True):
            if scope >= 0:
                self.frames[scope].append(frame)
        self.by_values: dict[frozenset[int], Receiver] = {}
        self.scope = -1  # the last one asked for, and what was found in it
        self.in_scope: dict[int, Receiver] = {}

    def at(self, scope: int, node: int) -> Receiver:
        """The receiver at a node of the text that a scope reads, in all activations of the scope together."""
        if scope != self.scope:
            self.scope, self.in_scope = scope, {}
        found = self.in_scope.get(node)
        if found is None:
            found = self.in_scope[node] = self.find(scope, node)
        return found

    def find(self, scope: int, node: int) -> Receiver:
        """As `at`, without remembering."""
        comings = self.state.comings
        frames = self.frames.get(scope)
        marked = {value * 2 + (come & STAGE_MASK) for value, come in comings(node)}
        for place in {frame.place(node) for frame in frames} if frames else ():
            marked.update(value * 2 + (come & STAGE_MASK) for value, come in comings(place))
        return self.of_marked(marked)

    def places(self, scope: int, node: int) -> list[int]:
        """Where a node of the text lies in all activations of a scope, the text's own first."""
        return list(dict.fromkeys((node, *(frame.place(node) for frame in self.frames.get(scope, ())))))

    def at_any(self, nodes: Iterable[int]) -> Receiver:
        """The receiver at some nodes, wherever they lie, together."""
        comings = self.state.comings
        return self.of_marked({value * 2 + (come & STAGE_MASK) for node in nodes for value, come in comings(node)})

    def of_values(self, values: Mapping[int, int]) -> Receiver:
        """The receiver that some values make, each with how it came."""
        return self.of_marked({value * 2 + (come & STAGE_MASK) for value, come in values.items()})

    def of_marked(self, marked: set[int]) -> Receiver:
        """As `read`, of values that may come again together."""
        key = frozenset(marked)
        found = self.by_values.get(key)
        if found is None:
            found = self.by_values[key] = self.read(sorted(marked))
        return found

    def read(self, marked: list[int]) -> Receiver:
        """The receiver that values make together; each is twice its number, and 1 more where it is only inferred."""
        classes: dict[int, int] = {}
        is_object = not marked
        for value, stage in (divmod(one, 2) for one in marked):
            is_object = is_object or self.state.values.kinds[value] == Kind.THING
            for cls in self.classes_of(value):
                classes[cls] = min(stage, classes.get(cls, stage))
        kept = [cls for cls in classes if self.is_made(cls)] or list(classes)
        stage = max((classes[cls] for cls in kept), default=INFERRED)
        return Receiver(tuple(sorted(kept)), stage, is_object or bool(kept), len(self.by_values))

    def classes_of(self, value: int) -> tuple[int, ...]:
        """The classes that a value is an instance of, or that it is."""
        values = self.state.values
        match values.kinds[value]:
            case Kind.INSTANCE | Kind.CLASS:
                return (self.state.variants.base(values.payloads[value]),)
            case Kind.FAMILY | Kind.CLASS_FAMILY:
                return self.state.families.members[values.payloads[value]]
            case Kind.SUPER:
                return self.classes_of(values.payloads[value][1])
            case _:
                return ()

    def is_made(self, cls: int) -> bool:
        """Whether something makes instances of a class: a call that is known, or one that is not where nothing inherits from
        it (a mixin or an abstract base is there to be inherited from)."""
        return cls in self.made or len(self.state.program.classes.below[cls]) == 1
