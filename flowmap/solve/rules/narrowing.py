"""What tests and annotations let through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flowmap.link.program import FEW
from flowmap.model.facts import Row, Test
from flowmap.solve.lookup import outside_base, provider
from flowmap.solve.state import PROVEN, STAGE_MASK, State
from flowmap.solve.values import Kind


def filter_instance(state: State, value: int, row: Row) -> None:
    """An instance in front of a test. Rows (dst, src, test, operands)."""
    dst, src, test, operands = row
    if test == Test.INSTANCE:
        let_through_by_class(state, value, row)
    elif passes(state, state.values.payloads[value], test, operands):
        state.add(dst, value, src)


def passes(state: State, cls: int, test: int, operands: tuple[Any, ...]) -> bool:
    """Whether an instance of a class may pass a test."""
    match test:
        case Test.NOT_INSTANCE:
            return not any(is_below(state, cls, known) for known in classes_at(state, operands))
        case Test.EXACT:
            return any(is_exactly(state, cls, known) for known in classes_at(state, operands))
        case Test.NOT_EXACT:
            return not any(is_exactly(state, cls, known) for known in classes_at(state, operands))
        case Test.HAS:
            return has_attribute(state, cls, operands[0])
        case Test.NOT_HAS:
            return provider(state, cls, operands[0]) is None
        case Test.CALLABLE:
            return provider(state, cls, "__call__") is not None or outside_base(state, cls) is not None
        case Test.NOT_CALLABLE:
            return provider(state, cls, "__call__") is None
        case _:
            return False  # an instance is no class


def classes_at(state: State, operands: tuple[int, ...]) -> tuple[int, ...]:
    """What is known at the nodes of a test's classes."""
    return tuple(known for node in operands for known in state.points[node] or ())


def is_exactly(state: State, cls: int, known: int) -> bool:
    """Whether a value is the very class."""
    return state.values.kinds[known] == Kind.CLASS and state.values.payloads[known] == state.variants.base(cls)


def filter_class(state: State, value: int, row: Row) -> None:
    """A class in front of a test: `issubclass` asks for it, and it is an instance of its metaclass alone."""
    dst, src, test, operands = row
    cls = state.values.payloads[value]
    below = any(is_below(state, cls, known) for known in classes_at(state, operands)) if test in OF_SUBCLASSES else False
    if (test == Test.SUBCLASS and below) or (test == Test.NOT_SUBCLASS and not below) or test not in OF_SUBCLASSES:
        state.add(dst, value, src)


OF_SUBCLASSES = (Test.SUBCLASS, Test.NOT_SUBCLASS)


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
    order = state.variants.classes.order[cls]
    return any(state.values.payloads[one] in order for one in classes_in(state, known))


def classes_in(state: State, value: int) -> Iterator[int]:
    """The classes that a value stands for: itself, or what a container holds, containers that hold one another included."""
    seen, waiting = {value}, [value]
    while waiting:
        value = waiting.pop()
        if state.values.kinds[value] in (Kind.CLASS, Kind.OUTSIDE):
            yield value
        elif state.values.kinds[value] == Kind.CONTAINER:
            inside = {inner: None for node in state.slots.nodes[value].values() for inner in state.points[node] or ()}
            waiting.extend(inner for inner in inside if inner not in seen)
            seen.update(inside)


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
    """A tuple of classes in the test's second argument, asked once, for tuples may hold one another."""
    key = (row[0], "classes", value, row[2])
    if key in state.specials:
        return
    state.specials.add(key)
    inner = state.side_node(row[0], "classes", value)
    state.slots.read_all(value, inner)
    state.watch(inner, state.tables["filter class"], row)


def filter_other(state: State, value: int, row: Row) -> None:
    """Anything but an instance or a class: let through unless the test surely excludes its type."""
    dst, src, test, operands = row
    known = classes_at(state, operands) if test in (Test.INSTANCE, Test.NOT_INSTANCE, Test.EXACT) else ()
    type_name = builtin_type(state, value)
    if known and type_name:
        wanted = {state.values.payloads[one] for one in known if state.values.kinds[one] == Kind.OUTSIDE}
        unknown = any(state.values.kinds[one] not in (Kind.OUTSIDE, Kind.CLASS) for one in known)
        is_in = may_be(type_name, wanted) or unknown
        if (test != Test.NOT_INSTANCE and not is_in) or (test == Test.NOT_INSTANCE and type_name in wanted):
            return
    if test == Test.NOT_CALLABLE and state.values.kinds[value] in (Kind.FUNCTION, Kind.BOUND):
        return
    state.add(dst, value, src)


def builtin_type(state: State, value: int) -> str:
    """The builtin type of a value, "" where that is not known."""
    match state.values.kinds[value]:
        case Kind.STRING:
            return "builtins.str"
        case Kind.CONTAINER:
            type_name, _ = state.values.payloads[value]
            return "" if "." in type_name or type_name in ("generator", "coroutine") else f"builtins.{type_name}"
        case Kind.THING:
            dotted: str = state.values.payloads[value]
            return dotted if dotted.startswith("builtins.") else ""
        case _:
            return ""


def may_be(type_name: str, wanted: set[str]) -> bool:
    """Whether something of a builtin type may be an instance of one of these outside classes."""
    return any(not dotted.startswith("builtins.") or dotted in (type_name, "builtins.object") for dotted in wanted)


def bounded(state: State, value: int, row: Row) -> None:
    """A value in front of an annotation. Rows (outward, inward, number of the annotation)."""
    outward, inward, number = row
    if state.declared.admits(number, value) or is_given_surely(state, value, inward):
        state.add(outward, value, inward)
        state.declared.note_elements(number, value)
    else:
        state.declared.hold_back(number, value)


def is_given_surely(state: State, value: int, inward: int) -> bool:
    """Whether the very thing that hands a value over is proven to hold it, as when a method passes its own `self`: then the
    annotation lies, and both are kept."""
    giver = state.parent_of(inward, value)
    given = state.points[giver] if giver >= 0 else None
    return given is not None and value in given and state.came(giver, value) & STAGE_MASK == PROVEN
