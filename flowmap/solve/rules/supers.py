"""`super()`: for whom it looks, and what it finds."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.families import Part, provider_after
from flowmap.solve.lookup import deliver, metaclass, provider
from flowmap.solve.records import HOLDERS
from flowmap.solve.rules.attributes import method_of_held, order_of, read_class_fields
from flowmap.solve.rules.bases import member_of_base
from flowmap.solve.rules.borders import starts_elsewhere
from flowmap.solve.rules.callbacks import called_back
from flowmap.solve.rules.descriptors import PROPERTY, PROPERTY_INIT
from flowmap.solve.state import State
from flowmap.solve.values import Kind


def super_of_receiver(state: State, value: int, row: Row) -> None:
    """`super()` in a method: rows (dst, first parameter, class of the method)."""
    dst, first, cls = row
    receiver = state.values.payloads[value]
    meta = metaclass(state, value)
    if cls in order_of(state, receiver) or (meta is not None and cls in order_of(state, meta)):
        state.turn(dst, state.values.of(Kind.SUPER, (cls, value)), (first, value))


def attribute_of_super(state: State, value: int, row: Row) -> None:
    """`super().name`: the next class of the receiver's order that has it."""
    dst, _, name, _ = row
    after, receiver = state.values.payloads[value]
    for found, part in found_after(state, receiver, after, name):
        read_class_fields(state, behind(state, part, after, found), part, row)
        above(state, (dst, value, part, row), found)


def behind(state: State, receiver: int, after: int, found: int | str | None) -> tuple[int | str, ...]:
    """The classes where `super()` looks for a name, those that may have it stored: behind a class, up to what provides it."""
    order = order_of(state, state.values.payloads[receiver])
    if after not in order:
        return ()
    rest = order[order.index(after) + 1 :]
    return rest[: rest.index(found) + 1] if found in rest else rest


def above(state: State, at: tuple[int, int, int, Row], found: int | str | None) -> None:
    """What `super().name` gives, found in a class or outside. `at` is (dst, value, receiver, row)."""
    dst, value, receiver, row = at
    _, base, name, site = row
    if found == "builtins.type" and name == "__call__":
        state.turn(dst, state.values.of(Kind.CONSTRUCTOR, receiver), (base, value))
    elif found == PROPERTY and name == "__init__":
        state.turn(dst, state.values.of(Kind.METHOD, (receiver, PROPERTY_INIT)), (base, value))
    elif found in HOLDERS and state.values.kinds[receiver] == Kind.INSTANCE and method_of_held(state, receiver, row):
        return
    elif isinstance(found, str):
        above_outside(state, at, found)
    elif found is not None:
        deliver(state, found, name, (dst, receiver, site, (base, value)))
    elif name in OF_OBJECT:
        state.turn(dst, state.values.of(Kind.OUTSIDE, f"builtins.object.{name}"), (base, value))


def above_outside(state: State, at: tuple[int, int, int, Row], found: str) -> None:
    """What `super().name` gives, found in a class outside. `at` as of `above`."""
    dst, value, receiver, row = at
    _, base, name, site = row
    for called in called_back(state, state.values.payloads[receiver], name):
        owner = provider(state, state.values.payloads[receiver], called)
        if owner is not None:
            deliver(state, owner, called, (dst, receiver, site, (base, value)))
    if starts_elsewhere(state, receiver, (dst, base, name, site)):
        return
    if state.values.kinds[receiver] != Kind.INSTANCE or not member_of_base(state, (receiver, found), row):
        state.turn(dst, state.values.of(Kind.OUTSIDE, f"{found}.{name}"), (base, value))


def found_after(state: State, receiver: int, after: int, name: str) -> tuple[Part, ...]:
    """What `super()` finds behind a class, for a receiver or the parts of a family; in a metaclass behind that."""
    if state.families.is_family(receiver):
        return state.families.parts_after(receiver, after, name)
    cls = state.values.payloads[receiver]
    meta = metaclass(state, receiver)
    if meta is not None and after not in state.variants.classes.order[cls]:
        cls = meta
    return ((provider_after(state.variants.classes, cls, after, name), receiver),)


OF_OBJECT = frozenset(dir(object))
