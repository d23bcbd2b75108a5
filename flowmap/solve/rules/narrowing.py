"""What tests and annotations let through."""

from __future__ import annotations

from flowmap.link.program import FEW
from flowmap.model.facts import Row, Test
from flowmap.solve.lookup import outside_base, provider
from flowmap.solve.state import PROVEN, SEED, STAGE_BITS, STAGE_MASK, State
from flowmap.solve.values import Kind


def filter_instance(state: State, value: int, row: Row) -> None:
    """An instance in front of a test. Rows (dst, src, test, operands)."""
    dst, src, test, operands = row
    cls = state.values.payloads[value]
    match test:
        case Test.INSTANCE:
            let_through_by_class(state, value, row)
        case Test.NOT_INSTANCE:
            if not any(is_below(state, cls, known) for node in operands for known in state.points[node] or ()):
                state.add(dst, value, src)
        case Test.HAS:
            if has_attribute(state, cls, operands[0]):
                state.add(dst, value, src)
        case Test.NOT_HAS:
            if provider(state, cls, operands[0]) is None:
                state.add(dst, value, src)
        case _:
            if provider(state, cls, "__call__") is not None or outside_base(state, cls) is not None:
                state.add(dst, value, src)


def let_through_by_class(state: State, value: int, row: Row) -> None:
    """`isinstance(x, C)`: as C says. Where C may be any of many classes the test says nothing."""
    dst, src, _, operands = row
    for node in operands:
        if len(state.points[node] or ()) > FEW:
            state.add(dst, value, src)
        else:
            state.watch(node, state.tables["filter class"], (dst, src, value))


def has_attribute(state: State, cls: int, name: str) -> bool:
    """Whether an instance may have an attribute."""
    classes = state.variants.classes
    inside = any(isinstance(one, int) and name in classes.fields[one] for one in classes.order[cls])
    return inside or outside_base(state, cls) is not None or (cls, name) in state.fields.of_instances


def is_below(state: State, cls: int, known: int) -> bool:
    """Whether a class is, or inherits from, the class that a value stands for."""
    kind, payload = state.values.kinds[known], state.values.payloads[known]
    order = state.variants.classes.order[cls]
    if kind == Kind.CONTAINER:
        inside = (inner for node in state.slots.nodes[known].values() for inner in state.points[node] or ())
        return any(is_below(state, cls, inner) for inner in inside)
    return kind in (Kind.CLASS, Kind.OUTSIDE) and payload in order


def class_admits(state: State, value: int, row: Row) -> None:
    """A class in the test's second argument lets its instances through. Rows (dst, src, instance)."""
    dst, src, instance = row
    if state.families.is_family(instance):
        members = state.families.members[state.values.payloads[instance]]
        instance = state.families.within(instance, frozenset(one for one in members if is_below(state, one, value)))
        if instance >= 0:
            state.add(dst, instance, src)
    elif is_below(state, state.values.payloads[instance], value):
        state.add(dst, instance, src)


def container_admits(state: State, value: int, row: Row) -> None:
    """A tuple of classes in the test's second argument."""
    inner = state.side_node(row[0], "classes", value)
    state.slots.read_all(value, inner)
    state.watch(inner, state.tables["filter class"], row)


def filter_other(state: State, value: int, row: Row) -> None:
    """Anything but an instance: let through unless the test speaks of the program's own classes alone."""
    dst, src, test, operands = row
    if test == Test.INSTANCE and state.values.kinds[value] in (Kind.CONTAINER, Kind.STRING):
        known = [one for node in operands for one in state.points[node] or ()]
        if known and all(state.values.kinds[one] == Kind.CLASS for one in known):
            return
        wanted = {state.values.payloads[one] for one in known if state.values.kinds[one] == Kind.OUTSIDE}
        if known and wanted and not any(may_be(state, value, dotted) for dotted in wanted):
            return
    state.add(dst, value, src)


def may_be(state: State, value: int, dotted: str) -> bool:
    """Whether a container or string may be an instance of an outside class."""
    if not dotted.startswith("builtins."):
        return True
    if state.values.kinds[value] == Kind.STRING:
        return dotted in ("builtins.str", "builtins.object")
    type_name, _ = state.values.payloads[value]
    return dotted in (f"builtins.{type_name}", "builtins.object") or type_name in ("generator", "coroutine")


def bounded(state: State, value: int, row: Row) -> None:
    """A value in front of an annotation. Rows (outward, inward, number of the annotation)."""
    outward, inward, number = row
    if state.declared.admits(number, value) or is_given_surely(state, value, inward):
        state.add(outward, value, inward)
    else:
        state.declared.hold_back(number, value)


def is_given_surely(state: State, value: int, inward: int) -> bool:
    """Whether the very thing that hands a value over is proven to hold it, as when a method passes its own `self`: then the
    annotation lies, and both are kept."""
    held = state.points[inward] or {}
    giver = held[value] >> STAGE_BITS if value in held else SEED
    given = state.points[giver] if giver >= 0 else None
    return given is not None and value in given and given[value] & STAGE_MASK == PROVEN
