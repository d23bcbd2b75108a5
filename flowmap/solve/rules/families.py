"""What holds for the instances of many classes at once, and for many classes at once."""

from __future__ import annotations

from flowmap.model.facts import Row, Test
from flowmap.solve.families import Part
from flowmap.solve.lookup import deliver, member_node, outside_base
from flowmap.solve.rules import attributes, narrowing
from flowmap.solve.state import State
from flowmap.solve.values import Kind


def attribute_of_family(state: State, value: int, row: Row) -> None:
    """A field, or what the class order of each member provides."""
    dst, base, name, site = row
    families = state.families
    if name == "__class__":
        state.turn(dst, families.as_kind(value, Kind.CLASS_FAMILY), (base, value))
        return
    parts = families.parts(value, name)
    for found, part in parts:
        if isinstance(found, int):
            deliver(state, found, name, (dst, part, site, (base, value)))
    read_class_fields(state, value, parts, row)
    if is_field(state, value, name):
        read_field(state, value, name, dst)
    elif all(found is None for found, _ in parts):
        attributes.attribute_not_found(state, value, row)


def read_class_fields(state: State, value: int, parts: tuple[Part, ...], row: Row) -> None:
    """What was stored on the classes above a family from outside, as far as no class below hides it."""
    order = attributes.order_of(state, state.families.root(value))
    hidden = [order.index(found) + 1 if found in order else 0 if isinstance(found, int) else len(order) for found, _ in parts]
    attributes.read_class_fields(state, order[: max(hidden, default=0)], value, row)


def is_field(state: State, value: int, name: str) -> bool:
    """Whether a name may be a field of a family's members."""
    order = attributes.order_of(state, state.values.payloads[value])
    return state.fields.is_stored(name) or any(
        isinstance(one, int) and name in state.layout.scopes[one].declared for one in order
    )


def read_field(state: State, value: int, name: str, dst: int) -> None:
    """What the members' fields hold."""
    if state.families.is_large(value):
        state.shared_fields.connect(name, state.shared_fields.read_node(state.families.root(value), name), dst)
        return
    for one in state.families.each(value):
        state.shared_fields.connect(name, state.fields.instance(state.values.payloads[one], name)[1], dst)


def attribute_of_class_family(state: State, value: int, row: Row) -> None:
    """What the classes give: functions unbound, class methods bound."""
    dst, base, name, site = row
    parts = state.families.parts(value, name)
    for found, part in parts:
        if isinstance(found, int):
            deliver(state, found, name, (dst, part, site, (base, value)))
    root = state.families.root(value)
    read_class_fields(state, value, parts, row)
    outside = outside_base(state, root)
    if outside is not None and all(found is None for found, _ in parts):
        state.turn(dst, state.values.of(Kind.OUTSIDE, f"{outside}.{name}"), (base, value))


def store_on_family(state: State, value: int, row: Row) -> None:
    """`base.name = src` on each member. Rows (base, name, src, site)."""
    base, name, src, site = row
    families = state.families
    for found, part in families.parts(value, name):
        if isinstance(found, int):
            state.watch(member_node(state, found, name), state.tables["set"], (part, src, site, base))
    if families.is_large(value):
        inward = [state.shared_fields.write_node(families.root(value), name)]
    else:
        inward = [state.fields.instance(state.values.payloads[one], name)[0] for one in families.each(value)]
    for node in inward:
        state.shared_fields.connect(name, src, node)


def delete_on_family(state: State, value: int, row: Row) -> None:
    """`del base.name` on each member. Rows (base, name, site)."""
    for one in state.families.each(value):
        for handler in state.tables["delete"][Kind.INSTANCE]:
            handler(state, one, row)


def store_on_class_family(state: State, value: int, row: Row) -> None:
    """`cls.name = src`: on the class above all of them."""
    _, name, src, _ = row
    state.flow_weakly(src, state.fields.class_(state.families.root(value), name))


def call_of_class_family(state: State, value: int, row: Row) -> None:
    """A constructor of each."""
    for one in state.families.each(value):
        for handler in state.tables["call"][Kind.CLASS]:
            handler(state, one, row)


def call_of_family(state: State, value: int, row: Row) -> None:
    """`__call__` of each."""
    for one in state.families.each(value):
        for handler in state.tables["call"][Kind.INSTANCE]:
            handler(state, one, row)


def filter_family(state: State, value: int, row: Row) -> None:
    """Those of a family that pass a test. Rows (dst, src, test, operands)."""
    dst, src, test, operands = row
    if test == Test.INSTANCE:
        narrowing.let_through_by_class(state, value, row)
        return
    kept = frozenset(
        one for one in state.families.members[state.values.payloads[value]] if narrowing.passes(state, one, test, operands)
    )
    part = state.families.within(value, kept)
    if part >= 0:
        state.add(dst, part, src)


def bounded_family(state: State, value: int, row: Row) -> None:
    """Those of a family that an annotation lets through. Rows (outward, inward, number of the annotation)."""
    outward, inward, number = row
    part = state.declared.admitted_part(number, value)
    if part == value or narrowing.is_given_surely(state, value, inward):
        state.add(outward, value, inward)
        return
    if part >= 0:
        state.add(outward, part, inward)
    else:
        state.declared.hold_back(number, value)


def result_of_family(state: State, value: int, row: Row) -> None:
    """What a shared method returns: its own `self` is the very receiver. Rows (dst, result, receiver, method)."""
    dst, result, receiver, method = row
    if state.families.methods[state.values.payloads[value]] == method:
        state.add(dst, receiver, result)
    else:
        state.add(dst, state.families.unbound(value), result)


def result_as_it_is(state: State, value: int, row: Row) -> None:
    """Anything else that a shared method returns."""
    state.add(row[0], value, row[1])


def type_of_family(state: State, value: int, row: Row) -> None:
    """The classes of a family's instances. Rows (dst, node)."""
    state.turn(row[0], state.families.as_kind(value, Kind.CLASS_FAMILY), (row[1], value))


def instances_of_family(state: State, value: int, row: Row) -> None:
    """Instances of a family's classes. Rows (dst, node)."""
    state.turn(row[0], state.families.as_kind(value, Kind.FAMILY), (row[1], value))
