"""What is let go, and what is summarized, where much comes together.

One parameter that takes everything would make all that it reaches worthless and slow. The classes of a family become that
family; outside things lose their names; containers, strings and callables beyond the first few are let go, which
`State.widened` tells.
"""

from __future__ import annotations

from collections.abc import Sized

from flowmap.link.program import FEW
from flowmap.solve.state import HELD_ALREADY, LET_GO, State
from flowmap.solve.values import Kind

ANYTHING = "?"  # an object from outside, of no package that is known
MOST_VALUES = 24  # followed at one parameter, field or element; what registries and plugin loaders collect is never let go
NEVER_LET_GO = frozenset((int(Kind.CLASS), int(Kind.MODULE)))
MOST_TOLD_APART = 6  # containers at one parameter, field or element; strings likewise
MOST_CALLABLES = 144  # likewise functions and bound methods; registries and dispatch tables are made of them
MOST_FAMILIES = 4  # likewise families; further ones become the widest
CALLABLES = frozenset((Kind.FUNCTION, Kind.BOUND, Kind.PARTIAL, Kind.METHOD))
NOT_COUNTED = NEVER_LET_GO | frozenset(map(int, CALLABLES))  # these have a bound of their own, or none
MOST_OF_A_KIND: dict[int, int] = {
    Kind.CONTAINER: MOST_TOLD_APART,
    Kind.STRING: MOST_TOLD_APART,
    **dict.fromkeys(CALLABLES, MOST_CALLABLES),
}
GROUPS: dict[int, int] = {int(Kind.CONTAINER): 0, int(Kind.STRING): 1, **dict.fromkeys(map(int, CALLABLES), 2)}
TOLD_APART = frozenset((int(Kind.INSTANCE), int(Kind.CLASS)))
FAMILY_KINDS = frozenset((int(Kind.FAMILY), int(Kind.CLASS_FAMILY)))
UNKNOWN = frozenset((int(Kind.OUTSIDE), int(Kind.THING)))
CLASSES, THINGS = 3, 4  # further groups
MOST_THINGS = 4  # objects of the standard library's classes at one node


class Bounds:
    """What has come to each parameter, field and element, by groups of kinds."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.anything = state.values.of(Kind.THING, ANYTHING)
        self.telling: dict[int, bool] = {self.anything: False}  # outside things → whether their stubs tell more than that
        self.arrived: tuple[dict[int, int], ...] = ({}, {}, {}, {}, {})  # group → node → how many came
        self.families: dict[int, list[int]] = {}  # node → the families that came

    def admitted(self, node: int, value: int, held: Sized | None) -> int:
        """What comes to a node for a value: itself, what stands for it and others, LET_GO or HELD_ALREADY."""
        kind = self.state.values.kinds[value]
        if held is not None and len(held) >= MOST_VALUES and kind not in NOT_COUNTED:
            return LET_GO
        if value in self.state.stubs.dull:
            return self.anything
        if kind in GROUPS:
            return value if self.has_room(node, kind) else LET_GO
        if kind in TOLD_APART:
            return self.summarized(node, value)
        if kind in UNKNOWN:
            return value if self.is_followed(node, value) else self.anything
        return self.merged(node, value) if kind in FAMILY_KINDS else value

    def has_room(self, node: int, kind: int) -> bool:
        """Whether a further one of its kind is still followed at a node."""
        return self.has_come(GROUPS[kind], node) <= MOST_OF_A_KIND[kind]

    def has_come(self, group: int, node: int) -> int:
        """How many of a group have come to a node, this one included. What a node holds is not asked about again."""
        counts = self.arrived[group]
        count = counts[node] = counts.get(node, 0) + 1
        return count

    def is_followed(self, node: int, value: int) -> bool:
        """Whether an outside object keeps the name of its class at a node: those that borders name, and the first few whose
        stubs tell more than that."""
        tells = self.telling.get(value)
        if tells is None:
            tells = self.telling[value] = self.asks_stub(value)
        if not tells:
            return self.state.values.payloads[value] in self.state.library.followed
        return self.has_come(THINGS, node) <= MOST_THINGS

    def asks_stub(self, value: int) -> bool:
        """Whether a value is an object of a class whose stub tells more of it."""
        return self.state.values.kinds[value] == Kind.THING and self.state.stubs.tells(self.state.values.payloads[value])

    def summarized(self, node: int, value: int) -> int:
        """The value itself, or its family where more classes have come to a node than are told apart."""
        return value if self.has_come(CLASSES, node) <= FEW else self.state.families.summary(value)

    def merged(self, node: int, family: int) -> int:
        """The family itself, or the widest where there are many."""
        families = self.state.families
        known = self.families.setdefault(node, [])
        if any(families.holds(one, family) for one in known):
            return HELD_ALREADY
        chosen = families.unbound(family) if len(known) < MOST_FAMILIES else families.summary(family)
        known.append(chosen)
        return chosen

    def forget(self) -> None:
        """Lets go of what only the work needed."""
        self.families.clear()
        for counts in self.arrived:
            counts.clear()
