"""Activations: a scope's body, instantiated for one context.

A method is read once for each class that `self` may be of (type sensitivity: Y. Smaragdakis, M. Bravenboer, O. Lhoták,
"Pick your contexts well", POPL 2011), a function that makes functions once for each site that calls it, a nested function
once for each activation of the one around it. Everything else is read once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from flowmap.link.program import FEW
from flowmap.solve.install import Frame, install
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind
from flowmap.solve.variants import MADE_BY, MOST_NODES_OF_MAKER
from flowmap.solve.wrapped import Wrapped

RECEIVERS = frozenset((Kind.INSTANCE, Kind.FAMILY, Kind.CLASS, Kind.CLASS_FAMILY))
VARIANTS = frozenset((Kind.INSTANCE, Kind.VARIANT))
MOST_NODES = 1 << 15  # for reading one small method with the receivers that are told apart by where they are made
SMALL = 64  # nodes
MOST_FOREIGN = 16  # receivers of other classes than its own that a function is followed with


@dataclass(frozen=True, slots=True)
class Signature:
    """The nodes through which an activation takes and gives values."""

    positional: tuple[int, ...]
    by_name: dict[str, int]
    variadic: int  # -1 without *args
    keywords: int  # -1 without **kwargs
    result: int
    yields: int  # -1 when it is no generator


class Activations:
    """All activations made so far."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.frames: list[Frame] = [Frame()]  # by activation
        self.made: dict[tuple[int, int, object], int] = {}
        self.scopes: list[int] = [-1]
        self.signatures: dict[tuple[int, int], Signature] = {}
        self.by_site: dict[int, int] = {}
        self.foreign: dict[int, set[int]] = {}  # method → receivers that are not of its class
        self.by_receiver: Counter[int] = Counter()
        self.wrapped = Wrapped(state)

    def own(self, scope: int, definer: int, context: object) -> int:
        """The activation of a scope, defined in an activation, in a context; made when first asked for."""
        key = (scope, definer, context)
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = self.make(scope, definer)
        return found

    def for_receiver(self, scope: int, definer: int, context: object) -> int:
        """As `own`, for a context that names a receiver. Where too many classes share a function they share its own nodes, too:
        deep hierarchies would be read hundreds of times over."""
        key = (scope, definer, context)
        if key in self.made:
            return self.made[key]
        self.by_receiver[scope] += 1
        if self.by_receiver[scope] > self.most(scope, context) or self.is_crowded(scope):
            return self.own(scope, definer, None) if definer else 0
        return self.own(scope, definer, context)

    def most(self, scope: int, context: object) -> int:
        """How many receivers of a method are told apart: of those that are told apart by where they are made, as many as can
        be read within a bound."""
        receiver = context[0] if isinstance(context, tuple) else context
        if not isinstance(receiver, int) or not self.is_variant(receiver):
            return FEW
        layout = self.state.layout
        size = layout.nodes_of(scope)
        if layout.scopes[scope].name in MADE_BY:
            return max(FEW, MOST_NODES_OF_MAKER // size)
        return FEW if size > SMALL else max(FEW, MOST_NODES // size)

    def is_variant(self, receiver: int) -> bool:
        """Whether a receiver is told apart from others of its class."""
        state = self.state
        kind = state.values.kinds[receiver]
        return kind in VARIANTS and state.variants.site(state.values.payloads[receiver]) >= 0

    def followed(self, scope: int, definer: int, context: tuple[int, int]) -> int:
        """The receiver with which a method is read: a variant beyond those that are told apart is its class's plain instance,
        so that nothing of one becomes known of others."""
        receiver, _ = context
        if not self.is_variant(receiver) or self.is_crowded(scope):
            return receiver
        asked = (receiver, context)
        known = any((scope, definer, one) in self.made for one in asked)
        if known or self.by_receiver[scope] < self.most(scope, receiver):
            return receiver
        values = self.state.values
        kind = Kind.CLASS if values.kinds[receiver] == Kind.VARIANT else Kind.INSTANCE
        return values.of(kind, self.state.variants.base(values.payloads[receiver]))

    def receives(self, scope: int, receiver: int) -> bool:
        """Whether a method takes a receiver: any below its class, and the first few others, for what is stored on classes
        under a computed name is bound to all that read it."""
        state = self.state
        if state.values.kinds[receiver] not in RECEIVERS:
            return True
        owner = state.program.methods.get(scope, (-1,))[0]
        if owner in state.variants.classes.order[state.values.payloads[receiver]]:
            return True
        known = self.foreign.setdefault(scope, set())
        if receiver not in known and len(known) >= MOST_FOREIGN:
            return False
        known.add(receiver)
        return True

    def is_crowded(self, scope: int) -> bool:
        """Whether more classes share a method than are told apart."""
        return scope in self.state.program.crowded

    def use_text(self, scope: int, context: object) -> int:
        """Makes the scope's own nodes serve a context: nothing has to be read again."""
        self.made[scope, 0, context] = 0
        return 0

    def make(self, scope: int, definer: int) -> int:
        """A new activation: nodes, rows, nested functions."""
        state = self.state
        row = state.layout.scopes[scope]
        base = state.layout.node_base[state.layout.scope_file[scope]]
        first, end = row.first_node + base, row.end_node + base
        start = state.new_block(first, end - first)
        number = len(self.frames)
        file = state.layout.scope_file[scope]
        ranges = ((first, end, start - first), *self.frames[definer].ranges)
        self.frames.append(Frame(ranges, state.layout.shared(file)))
        self.scopes.append(scope)
        install(state, scope, self.frames[number], number)
        state.hints.reach_block(first, end, start - first)
        connect_defaults(state, self.signature(scope, number), scope, self.frames[number])
        return number

    def node(self, node: int, activation: int) -> int:
        """A node of the text as it is in an activation."""
        return self.frames[activation].place(node)

    def signature(self, scope: int, activation: int) -> Signature:
        """The signature of a scope in an activation."""
        key = (scope, activation)
        found = self.signatures.get(key)
        if found is None:
            found = self.signatures[key] = self.read_signature(scope, activation)
        return found

    def read_signature(self, scope: int, activation: int) -> Signature:
        """Reads the signature off the scope's parameters."""
        row = self.state.layout.scopes[scope]
        base = self.state.layout.node_base[self.state.layout.scope_file[scope]]
        params = [(name, self.node(node + base, activation), kind) for name, node, kind, _ in row.params]
        return Signature(
            positional=tuple(node for _, node, kind in params if kind in (0, 1)),
            by_name={name: node for name, node, kind in params if kind in (1, 3)},
            variadic=next((node for _, node, kind in params if kind == 2), -1),  # noqa: PLR2004 - VAR_POSITIONAL
            keywords=next((node for _, node, kind in params if kind == 4), -1),  # noqa: PLR2004 - VAR_KEYWORD
            result=self.node(row.result + base, activation),
            yields=-1 if row.yields < 0 else self.node(row.yields + base, activation),
        )


def connect_defaults(state: State, signature: Signature, scope: int, frame: Frame) -> None:
    """Default values flow into their parameters, and the containers of *args and **kwargs are made."""
    layout = state.layout
    base = layout.node_base[layout.scope_file[scope]]
    for _, node, _, default in layout.scopes[scope].params:
        if default >= 0:
            state.flow_weakly(frame.place(default + base), frame.place(node + base))
    if signature.variadic >= 0:
        state.add(signature.variadic, state.values.of(Kind.CONTAINER, ("tuple", signature.variadic)), SEED)
    if signature.keywords >= 0:
        state.add(signature.keywords, state.values.of(Kind.CONTAINER, ("dict", signature.keywords)), SEED)
