"""What `base.name` may be, by what `base` is. Rows: (dst, base, name, site)."""

from __future__ import annotations

import builtins
import collections
import queue

from flowmap.model.facts import Row, ScopeFlag
from flowmap.solve.lookup import (
    call_with_name,
    defines_function,
    deliver,
    is_enum,
    is_property,
    member_node,
    metaclass,
    provider,
)
from flowmap.solve.records import METHODS_OF_NAMED, held_container, is_named_tuple
from flowmap.solve.rules.bases import attribute_of_base
from flowmap.solve.rules.borders import method_of_package, starts_elsewhere
from flowmap.solve.rules.callbacks import called_back
from flowmap.solve.rules.descriptors import PARTS, PROPERTY
from flowmap.solve.rules.registered import applied
from flowmap.solve.rules.stdlib import member_of_value, read_member
from flowmap.solve.slots import NAMESPACE
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind

LONGEST_DOTTED = 8  # parts; a longer chain of outside names says nothing more


def attribute_of_instance(state: State, value: int, row: Row) -> None:
    """A field, or what the class order provides: a method is bound, a property runs."""
    dst, base, name, site = row
    cls = state.values.payloads[value]
    if name == "__class__":
        state.turn(dst, state.values.of(Kind.CLASS, state.variants.base(cls)), (base, value))
        return
    call_with_name(state, value, "__getattribute__", row)
    found = provider(state, cls, name)
    if is_enum(state, cls) and attribute_of_member(state, value, row, found):
        return
    if found is not None:
        deliver(state, found, name, (dst, value, site, (base, value)))
        read_class_fields(state, up_to(state, cls, found), value, row)
        if is_property(state, found, name):
            return
    elif state.fields.may_be_stored(name):
        read_class_fields(state, order_of(state, cls), value, row)
    if found is None and is_missing(state, value, row):
        return
    read_field(state, value, row, found)


def is_missing(state: State, value: int, row: Row) -> bool:
    """Whether `__getattr__` alone says what an attribute is that no class provides. It is asked, too, where a field of that name
    is only possibly there."""
    _, base, name, site = row
    cls = state.values.payloads[value]
    if name == "__dict__":
        state.turn(row[0], state.values.of(Kind.METHOD, (value, name)), (base, value))
    if name.startswith("__") or has_field(state, cls, name) or provider(state, cls, "__getattr__") is None:
        return False
    if not state.fields.may_be_stored(name):
        return call_with_name(state, value, "__getattr__", row)
    possibly = state.side_node(base, f"unless {name} is stored", value)
    state.watch(possibly, state.tables["missing"], (row[0], possibly, name, site))
    state.add_weakly(possibly, value, base)
    return False


def missing_attribute(state: State, value: int, row: Row) -> None:
    """An attribute that is possibly not there: `__getattr__` is asked."""
    call_with_name(state, value, "__getattr__", row)


def attribute_of_member(state: State, value: int, row: Row, found: int | None) -> bool:
    """What a member of an enumeration has beside its methods: the other members, and its value."""
    dst, base, name, _ = row
    cls = state.values.payloads[value]
    if found is not None and not defines_function(state, found, name):
        state.turn(dst, value, (base, value))
        return True
    if found is None and name in ("value", "_value_"):
        for member in state.layout.scopes[state.variants.base(cls)].names:
            if not defines_function(state, cls, member):
                state.flow(member_node(state, cls, member), dst)
        return True
    return False


def read_field(state: State, value: int, row: Row, found: int | None) -> None:
    """What is stored on the instance, or where nothing is what a base outside may have."""
    dst, _, name, _ = row
    cls = state.values.payloads[value]
    if state.fields.is_stored(name) or name in state.fields.declared(cls):
        outward = state.fields.instance(cls, name)[1]
        if state.fields.stored_once(name) and (found is None or not defines_function(state, found, name)):
            state.flow(outward, dst)
        else:
            state.flow_weakly(outward, dst)
        return
    if found is None and name in state.fields.possible_stores:
        state.flow_weakly(state.fields.instance(cls, name)[1], dst)
    for pattern in state.fields.patterns(name) if found is None else ():
        state.flow_weakly(state.fields.instance(cls, pattern)[1], dst)
    if found is None:
        attribute_not_found(state, value, row)


def has_field(state: State, cls: int, name: str) -> bool:
    """Whether a class of the order declares a field, or assigns it in its methods."""
    fields = state.variants.classes.fields
    return any(isinstance(one, int) and name in fields[one] for one in order_of(state, cls))


def order_of(state: State, cls: int) -> tuple[int | str, ...]:
    """The class order."""
    return state.variants.classes.order[cls]


def up_to(state: State, cls: int, found: int | str | None) -> tuple[int | str, ...]:
    """The class order as far as the class that provides a name, that one included: what is stored on those behind it is
    hidden."""
    order = order_of(state, cls)
    if found not in order or found == order[-1]:
        return order
    return state.fields.first_of(order, order.index(found) + 1)


def read_class_fields(state: State, classes: tuple[int | str, ...], receiver: int, row: Row) -> None:
    """What was stored on some classes from outside their bodies."""
    for stored in state.fields.stored_as(row[2]):
        state.fields.read_classes(classes, stored, (receiver, row))


def attribute_not_found(state: State, value: int, row: Row) -> None:
    """No class of the order has it: perhaps a base outside does."""
    dst, base, name, site = row
    cls = state.values.payloads[value]
    for called in called_back(state, cls, name):
        found = provider(state, cls, called)
        if found is not None:
            deliver(state, found, called, (dst, value, site, (base, value)))
    if state.values.kinds[value] == Kind.CLASS and name == "_make" and is_named_tuple(state, cls):
        state.turn(dst, state.values.of(Kind.METHOD, (value, name)), (base, value))
        return
    if state.values.kinds[value] == Kind.INSTANCE and (method_of_held(state, value, row) or part_of_property(state, value, row)):
        return
    if not starts_elsewhere(state, value, row):
        attribute_of_base(state, value, row)


def method_of_held(state: State, value: int, row: Row) -> bool:
    """A container's method of an instance that is one by a base outside."""
    dst, base, name, _ = row
    cls = state.values.payloads[value]
    if name in METHODS_OF_NAMED and is_named_tuple(state, cls):
        state.turn(dst, state.values.of(Kind.METHOD, (value, name)), (base, value))
        return True
    held = held_container(state, cls)
    if held is None or name not in METHODS[state.values.payloads[held][0]]:
        return False
    state.turn(dst, state.values.of(Kind.METHOD, (held, name)), (base, value))
    return True


def part_of_property(state: State, value: int, row: Row) -> bool:
    """The function of a property that reads, writes or deletes, of an instance that is a property by its base."""
    dst, _, name, _ = row
    cls = state.values.payloads[value]
    if name not in PARTS or PROPERTY not in state.variants.classes.outside_bases(cls):
        return False
    state.flow_weakly(state.fields.instance(cls, name)[1], dst)
    return True


def attribute_of_class(state: State, value: int, row: Row) -> None:
    """What a class gives: its functions unbound, class methods bound, members of an enumeration as instances."""
    dst, base, name, site = row
    cls = state.values.payloads[value]
    found = provider(state, cls, name)
    if name == "__dict__":
        state.turn(dst, state.values.of(Kind.METHOD, (value, name)), (base, value))
    if name == "__members__" and is_enum(state, cls):
        members = state.slots.made("dict", state.side_node(dst, name, value))
        state.add(state.slots.node(members, None), state.values.of(Kind.INSTANCE, cls), SEED)
        state.turn(dst, members, (base, value))
        return
    if name == "__subclasses__":
        state.turn(dst, subclasses(state, cls, base), (base, value))
        return
    if found is not None:
        if is_enum(state, cls) and not defines_function(state, found, name):
            state.turn(dst, state.values.of(Kind.INSTANCE, cls), (base, value))
            return
        deliver(state, found, name, (dst, value, site, (base, value)))
    read_class_fields(state, up_to(state, cls, found), value, row)
    if found is None and not attribute_by_metaclass(state, value, row) and not applied(state, value, row):
        attribute_not_found(state, value, row)


def attribute_by_metaclass(state: State, value: int, row: Row) -> bool:
    """What the metaclass gives the classes that it makes. False when there is none that has it."""
    dst, base, name, site = row
    meta = metaclass(state, value)
    found = None if meta is None else provider(state, meta, name)
    if found is None:
        return meta is not None and not name.startswith("__") and call_with_name(state, value, "__getattr__", row)
    deliver(state, found, name, (dst, value, site, (base, value)))
    return True


def subclasses(state: State, cls: int, base: int) -> int:
    """The method that lists the classes which inherit from a class without another one between."""
    root = state.variants.base(cls)
    below = [one for one in state.program.classes.below[root] if one != root]
    order = state.variants.classes.order
    listed = state.slots.made("type", state.side_node(base, "__subclasses__", cls))
    for one in below:
        if not any(other in order[one] for other in below if other != one):
            state.add(state.slots.node(listed, None), state.values.of(Kind.CLASS, one), SEED)
    return state.values.of(Kind.METHOD, (listed, "__subclasses__"))


def attribute_of_module(state: State, value: int, row: Row) -> None:
    """A name of a module, or a submodule."""
    dst, base, name, site = row
    file = state.values.payloads[value]
    imports = state.imports
    special = imports.special(file, name) if name.startswith("__") else None
    if special is not None:
        state.turn(dst, special, (base, value))
        return
    inner = f"{state.layout.files[file].module}.{name}"
    if not imports.defines(file, name) and inner in state.layout.packages:
        imports.bring_module(dst, inner)
    else:
        imports.ask(file, name, (dst, site))


def attribute_of_package(state: State, value: int, row: Row) -> None:
    """A module of a package that has no text of its own."""
    inner = f"{state.values.payloads[value]}.{row[2]}"
    if inner in state.layout.packages:
        state.imports.bring_module(row[0], inner)


def attribute_of_outside(state: State, value: int, row: Row) -> None:
    """A name of something that is not indexed."""
    dst, base, name, _ = row
    if state.fields.is_stored_from_outside(name):
        state.flow_weakly(state.fields.outside(value, name), dst)
    dotted = f"{state.values.payloads[value]}.{name}"
    if dotted.count(".") < LONGEST_DOTTED:
        state.turn(dst, state.values.of(Kind.OUTSIDE, dotted), (base, value))


def attribute_of_thing(state: State, value: int, row: Row) -> None:
    """An attribute of an object from outside: what its stub says, or something of the same package."""
    dst, base, name, _ = row
    if read_member(state, value, name, row):
        return
    root = state.values.payloads[value].partition(".")[0]
    state.turn(dst, state.values.of(Kind.THING, root), (base, value))


def method_of_thing(state: State, value: int, row: Row) -> None:
    """A method of an object from outside, by name where its class is known."""
    dst, base, name, _ = row
    if read_member(state, value, name, row):
        return
    dotted = state.values.payloads[value]
    module, _, last = dotted.rpartition(".")
    if module == "builtins" and not hasattr(getattr(builtins, last, object), name):
        return
    known = state.values.of(Kind.OUTSIDE, f"{dotted}.{name}") if module else method_of_package(state, value, name)
    state.turn(dst, known if known >= 0 else value, (base, value))


def attribute_of_container(state: State, value: int, row: Row) -> None:
    """A method of a list, dict, tuple, set or generator."""
    dst, base, name, _ = row
    type_name, _ = state.values.payloads[value]
    if type_name == "tuple" and state.slots.known(value, name) >= 0:  # a tuple whose positions have names
        state.flow(state.slots.known(value, name), dst)
    elif type_name == NAMESPACE:
        state.slots.read(value, name, dst)
    elif name in METHODS.get(type_name, ()) or (
        "." in type_name and member_of_value(state, value, name) is not None and not read_member(state, value, name, row)
    ):
        state.turn(dst, state.values.of(Kind.METHOD, (value, name)), (base, value))


METHODS: dict[str, frozenset[str]] = {
    "list": frozenset((*dir(list), *dir(collections.deque), *dir(queue.Queue))),
    "dict": frozenset((*dir(dict), *dir(collections.OrderedDict), *dir(collections.Counter))),
    "set": frozenset(dir(set)),
    "tuple": frozenset((*dir(tuple), *METHODS_OF_NAMED)),
    "coroutine": frozenset(("send", "throw", "close", "result", "cancel", "done", "add_done_callback")),  # and tasks of it
    "generator": frozenset(("send", "throw", "close", "__next__", "__iter__")),
}


def attribute_of_string(state: State, value: int, row: Row) -> None:
    """A method of a string; one that takes a dotted name apart keeps the parts."""
    dst, base, name, _ = row
    if name in SPLITTERS and "." in state.values.payloads[value]:
        state.turn(dst, state.values.of(Kind.METHOD, (value, name)), (base, value))
        return
    if name in OF_STRING:
        state.turn(dst, state.values.of(Kind.OUTSIDE, f"builtins.str.{name}"), (base, value))


OF_STRING = frozenset(dir(str))


def attribute_of_property(state: State, value: int, row: Row) -> None:
    """`name.setter` of a property, by which a class body gives it one more part; `name.fget` and its kin, the parts."""
    dst, base, name, _ = row
    scope, _ = state.values.payloads[value]
    if name in ACCESSORS and state.scope_has(scope, PROPERTY_PARTS):
        state.turn(dst, state.values.of(Kind.OUTSIDE, f"builtins.property.{name}"), (base, value))
    elif name in PART_FLAGS and state.scope_has(scope, PART_FLAGS[name]):
        state.turn(dst, value, (base, value))


PART_FLAGS = {"fget": ScopeFlag.PROPERTY, "fset": ScopeFlag.SETTER, "fdel": ScopeFlag.DELETER}
ACCESSORS = frozenset(("getter", "setter", "deleter"))
PROPERTY_PARTS = ScopeFlag.PROPERTY | ScopeFlag.SETTER | ScopeFlag.DELETER


SPLITTERS = ("split", "rsplit", "partition", "rpartition")


def attribute_of_function(state: State, value: int, row: Row) -> None:
    """What was stored on a function; a method has what its function has."""
    dst, base, name, _ = row
    if name in PARTS_OF_BOUND and state.values.kinds[value] == Kind.BOUND:
        state.turn(dst, state.values.payloads[value][PARTS_OF_BOUND.index(name)], (base, value))
    if state.fields.is_stored(name):
        function = state.values.payloads[value][0] if state.values.kinds[value] == Kind.BOUND else value
        state.flow_weakly(state.fields.function(function, name), dst)


PARTS_OF_BOUND = ("__func__", "__self__")


def bind_member(state: State, value: int, row: Row) -> None:
    """Anything but a function that a class body binds: it is what it is, on the class and on its instances."""
    dst, _, _, at = row
    state.turn(dst, value, at)
