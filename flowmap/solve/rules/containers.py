"""Items, elements, displays and the methods of containers."""

from __future__ import annotations

from flowmap.model.facts import MATCH, SLICE, Row
from flowmap.solve.families import SILENT_BASES
from flowmap.solve.lookup import (
    call_member,
    call_special,
    class_asked,
    constructor_fields,
    is_enum,
    member_node,
    metaclass,
    only,
    provider,
)
from flowmap.solve.records import held_container
from flowmap.solve.rules.bases import do_as_base
from flowmap.solve.rules.borders import hand_over
from flowmap.solve.rules.callbacks import ask_wrapped
from flowmap.solve.rules.modules import file_of_members
from flowmap.solve.rules.outside import OUTSIDE, border_name
from flowmap.solve.rules.stdlib import await_object, call_known, call_method_of, enter_object, iterate_object, step_object
from flowmap.solve.slots import AWAITED, KEYS, SENT, Mirror
from flowmap.solve.state import SEED, STAGE_BITS, State
from flowmap.solve.stubs import HOMES
from flowmap.solve.values import Kind


def item_of_container(state: State, value: int, row: Row) -> None:
    """`container[key]`. Rows (dst, base, key, index node, site)."""
    dst, base, key, index, site = row
    if value in state.slots.factories:
        state.watch(state.slots.factories[value], state.tables["factory"], (dst, value, site))
    if isinstance(key, tuple):
        if key[0] == SLICE:
            slice_of_container(state, value, (dst, base, key[1]))
        return
    file = file_of_members(state, value) if key is None else None
    if file is not None:
        state.watch(index, state.tables["member by name"], (dst, value, file))
    elif key is not None or state.values.payloads[value][0] in HOMES or not got_by_stub(state, value, (dst, base, index)):
        from_end = isinstance(key, int) and key < 0 and state.values.payloads[value][0] != "dict"
        state.slots.read(value, state.slots.from_end(value, key) if from_end else key, dst)


def item_by_factory(state: State, value: int, row: Row) -> None:
    """`table[key]` of a `defaultdict` makes what is not there yet. Rows (dst, container, site)."""
    _, container, site = row
    factory = state.slots.factories[container]
    for handler in state.tables["call"][state.values.kinds[value]]:
        handler(state, value, (state.slots.node(container, None), factory, (), (), site))


def got_by_stub(state: State, value: int, row: Row) -> bool:
    """`container[key]` as the stub of its class says. Rows (dst, base, index node)."""
    dst, base, index = row
    return call_known(state, value, "__getitem__", (dst, base, (index,), (), -1))


def slice_of_container(state: State, value: int, row: Row) -> None:
    """`container[start:]`: another of its kind, positions moved as far as they are known. Rows (dst, base, start)."""
    dst, base, start = row
    type_name, _ = state.values.payloads[value]
    part = state.slots.made(type_name, dst)
    if start is None:
        state.slots.read_all(value, state.slots.node(part, None))
    else:
        state.slots.mirror(value, Mirror(part, start))
    state.turn(dst, part, (base, value))


def item_of_instance(state: State, value: int, row: Row) -> None:
    """`__getitem__`; unpacking without an index iterates."""
    dst, base, key, index, site = row
    if isinstance(key, tuple) and key[0] == MATCH:
        matched_by_position(state, value, row)
    elif site < 0 and index in state.nothing and not is_held(state, value):
        rest = dst
        if isinstance(key, tuple):  # `*rest` in an unpacking
            rest = state.slots.node(state.slots.made("list", dst), None)
            state.turn(dst, state.slots.made("list", dst), (base, value))
        element_of_instance(state, value, (rest, base, site))
    elif not call_special(state, value, "__getitem__", (dst, base, (index,), (), site)):
        call_special(state, value, "__missing__", (dst, base, (index,), (), site))
        item_of_held(state, value, row)


def is_held(state: State, value: int) -> bool:
    """Whether an instance is a container by a base outside, and iterates as that does."""
    cls = state.values.payloads[value]
    return provider(state, cls, "__iter__") is None and held_container(state, cls) is not None


def item_of_held(state: State, value: int, row: Row) -> None:
    """An item of an instance that is a container by a base outside."""
    held = held_container(state, state.values.payloads[value])
    if held is not None:
        item_of_container(state, held, row)
    else:
        do_as_base(state, "item", value, row)


def matched_by_position(state: State, value: int, row: Row) -> None:
    """`case C(name)`: the field that `__match_args__`, or the order of declaration, gives."""
    dst, base, (_, position), _, _ = row
    cls = state.values.payloads[value]
    found = provider(state, cls, "__match_args__")
    if found is not None:
        names = state.side_node(dst, "__match_args__", value)
        state.watch(member_node(state, found, "__match_args__"), state.tables["item"], (names, base, position, base, -1))
        state.watch(names, state.tables["attribute by name"], (dst, only(state, base, value), -1))
        return
    fields = constructor_fields(state, cls)
    if position < len(fields):
        state.watch(only(state, base, value), state.tables["attribute"], (dst, base, fields[position], -1))


def item_of_class(state: State, value: int, row: Row) -> None:
    """`Enum["NAME"]` is a member, `Generic[T]` the class itself."""
    dst, base, _, index, site = row
    cls = state.values.payloads[value]
    call = (dst, base, (index,), (), site)
    if call_special(state, value, "__getitem__", call):
        return
    found = provider(state, cls, "__class_getitem__")
    if found is not None:
        call_member(state, (found, "__class_getitem__"), value, call)
        return
    turned = state.values.of(Kind.INSTANCE, cls) if is_enum(state, cls) else value
    state.turn(dst, turned, (base, value))


def item_is_itself(state: State, value: int, row: Row) -> None:
    """`kernel[grid]` launches the kernel; an item of something outside is something of its package."""
    dst, base, key, index, _ = row
    turned = value
    if not isinstance(key, tuple) and state.values.kinds[value] in (Kind.OUTSIDE, Kind.THING):
        if got_by_stub(state, value, (dst, base, index)):
            return
        turned = state.values.of(Kind.THING, state.values.payloads[value].partition(".")[0])
    state.turn(dst, turned, (base, value))


def store_item_in_container(state: State, value: int, row: Row) -> None:
    """`container[key] = src`. Rows (base, key, src, site, index node)."""
    _, key, src, _, index = row
    state.flow_weakly(src, state.slots.node(value, key))
    state.flow_weakly(index, state.slots.node(value, KEYS))


def store_item_on_instance(state: State, value: int, row: Row) -> None:
    """`__setitem__`; an instance that is a container by a base outside holds what is stored."""
    base, _, src, site, index = row
    call = (state.side_node(base, f"item {src} {index}"), base, (index, src), (), site)
    if not call_special(state, value, "__setitem__", call):
        held = held_container(state, state.values.payloads[value])
        if held is not None:
            store_item_in_container(state, held, row)
        else:
            do_as_base(state, "store item", value, row)


def element_of_container(state: State, value: int, row: Row) -> None:
    """What iterating gives: a dict's keys, all else's elements. Rows (dst, base, site)."""
    type_name, _ = state.values.payloads[value]
    iterate_view(state, value, row[2])
    if type_name == "dict":
        state.flow(state.slots.node(value, KEYS), row[0])
    elif type_name in HOMES or not iterate_object(state, value, row):
        state.slots.read_all(value, row[0])
    else:
        ask_wrapped(state, value, "__next__", (row[0], row[1], (), (), row[2]))


def next_of_container(state: State, value: int, row: Row) -> None:
    """`__next__` of a generator, or of an iterator from outside."""
    type_name, _ = state.values.payloads[value]
    if type_name in HOMES:
        state.slots.read_all(value, row[0])
    else:
        step_object(state, value, row)
        ask_wrapped(state, value, "__next__", (row[0], row[1], (), (), row[2]))


def element_of_instance(state: State, value: int, row: Row) -> None:
    """`__iter__`, then `__next__` of what it gives; or `__getitem__`."""
    dst, base, site = row
    cls = class_asked(state, value)
    special = "__aiter__" if cls is not None and "__aiter__" in state.variants.classes.provides[cls] else "__iter__"
    iterator = state.side_node(dst, special, value)
    if call_special(state, value, special, (iterator, base, (), (), site)):
        state.watch(iterator, state.tables["next"], (dst, iterator, site))
    elif is_held_object(state, value):
        element_of_held(state, value, row)
    elif not any(call_special(state, value, name, (dst, base, (), (), site)) for name in ("__next__", "__getitem__")):
        do_as_base(state, "element", value, row)


def is_held_object(state: State, value: int) -> bool:
    """Whether a value is an instance that is a container by a base outside."""
    return state.values.kinds[value] == Kind.INSTANCE and held_container(state, state.values.payloads[value]) is not None


def element_of_held(state: State, value: int, row: Row) -> None:
    """An element of an instance that is a container by a base outside."""
    held = held_container(state, state.values.payloads[value])
    if held is not None:
        element_of_container(state, held, row)


def next_of_instance(state: State, value: int, row: Row) -> None:
    """`__next__` of an iterator; what `__anext__` gives is awaited."""
    dst, base, site = row
    if not call_special(state, value, "__next__", (dst, base, (), (), site)):
        coming = state.side_node(dst, "__anext__", value)
        if call_special(state, value, "__anext__", (coming, base, (), (), site)):
            state.watch(coming, state.tables["await"], (dst, coming, -1))
        else:
            do_as_base(state, "next", value, row)


def element_of_class(state: State, value: int, row: Row) -> None:
    """Iterating over an enumeration gives its members; a metaclass may say what iterating over a class gives."""
    cls = state.values.payloads[value]
    if metaclass(state, value) is not None:
        element_of_instance(state, value, row)
    if is_enum(state, cls):
        state.turn(row[0], state.values.of(Kind.INSTANCE, cls), (row[1], value))


def element_of_outside(state: State, value: int, row: Row) -> None:
    """An element of something outside."""
    if iterate_object(state, value, row):
        return
    dotted = state.values.payloads[value]
    state.turn(row[0], state.values.of(Kind.THING, dotted.partition(".")[0]), (row[1], value))


def spread_container(state: State, value: int, row: Row) -> None:
    """`[*items]`, `{**mapping}`, what `update` and `extend` are given. Rows (container, node, keys set later, site)."""
    container, _, later, _ = row
    type_name, _ = state.values.payloads[value]
    if state.stubs.is_mapping(type_name):
        state.slots.mirror(value, Mirror(container, without=later))
    else:
        element_of_container(state, value, (state.slots.node(container, None), row[1], -1))


def spread_instance(state: State, value: int, row: Row) -> None:
    """`[*items]` runs `__iter__` and asks for the length; `{**mapping}` runs `keys` and `__getitem__`. Rows as of
    `spread_container`."""
    container, node, _, site = row
    if state.values.payloads[container][0] == "dict":
        spread_mapping(state, value, row)
    else:
        element_of_instance(state, value, (state.slots.node(container, None), node, site))
        ask_length(state, value, node, site)


def spread_mapping(state: State, value: int, row: Row) -> None:
    """What an object gives to a dict that is one as far as `keys` goes; any other gives pairs. Rows as of `spread_container`."""
    container, node, _, site = row
    keys = state.slots.node(container, KEYS)
    listed = state.side_node(node, "keys", value)
    if call_special(state, value, "keys", (listed, node, (), (), site)):
        state.watch(listed, state.tables["element"], (keys, listed, site))
    elif is_mapping(state, value):
        element_of_instance(state, value, (keys, node, site))
    else:
        pair = state.side_node(node, "pair", value)
        element_of_instance(state, value, (pair, node, site))
        state.watch(pair, state.tables["item"], (state.slots.node(container, None), pair, 1, pair, -1))
        state.watch(pair, state.tables["item"], (keys, pair, 0, pair, -1))
        return
    call_special(state, value, "__getitem__", (state.slots.node(container, None), node, (keys,), (), site))


def is_mapping(state: State, value: int) -> bool:
    """Whether an instance is a mapping by a base outside."""
    bases = state.variants.classes.outside_bases(state.values.payloads[value])
    return any(base not in SILENT_BASES and state.stubs.is_below(base, "typing.Mapping") for base in bases)


def copy_container(state: State, value: int, row: Row) -> None:
    """`tuple(x)`, `list(x)` keep the positions of x. Rows (container, node, site)."""
    container, node, site = row
    type_name, _ = state.values.payloads[value]
    if type_name in POSITIONED and value not in state.slots.views and state.values.payloads[container][0] in POSITIONED:
        state.slots.mirror(value, Mirror(container))
        if value in state.slots.lengths:
            state.slots.lengths.setdefault(container, state.slots.lengths[value])
    else:
        element_of_container(state, value, (state.slots.node(container, None), node, site))
        ask_length_of_view(state, value, site)


POSITIONED = frozenset(("list", "tuple"))


def copy_elements(state: State, value: int, row: Row) -> None:
    """`tuple(x)`, `list(x)` ask anything else how long it is, and iterate over it. Rows (container, node, site)."""
    container, node, site = row
    state.watch(only(state, node, value), state.tables["element"], (state.slots.node(container, None), node, site))
    if state.values.kinds[value] in (Kind.INSTANCE, Kind.FAMILY):
        ask_length(state, value, node, site)


def ask_length(state: State, value: int, node: int, site: int) -> None:
    """What makes a list or tuple asks an object at a node how long it is, so that what is made need not grow."""
    row = (state.side_node(node, "__len__", value), node, (), (), site)
    if not call_special(state, value, "__len__", row):
        call_special(state, value, "__length_hint__", row)


def spread_into_parameters(state: State, value: int, row: Row) -> None:
    """`f(*items)`: by position as far as positions are known. Rows (parameters, variadic or -1, shift, node): the element at a
    position stands in `*args` at the position plus the shift."""
    params, variadic, shift, _ = row
    for index, param in enumerate(params):
        state.slots.hand(value, index, param)
    if variadic >= 0:
        state.slots.mirror(value, Mirror(state.slots.made("tuple", variadic), start=-shift))


def starred_instance(state: State, value: int, row: Row) -> None:
    """`f(*items)` iterates, and asks for the length. Rows (node, site)."""
    node, site = row
    element_of_instance(state, value, (state.side_node(node, "element", value), node, site))
    ask_length(state, value, node, site)


def starred_container(state: State, value: int, row: Row) -> None:
    """`f(*mapping.keys())`. Rows (node, site)."""
    iterate_view(state, value, row[1])
    ask_length_of_view(state, value, row[1])


def spread_instance_into_parameters(state: State, value: int, row: Row) -> None:
    """`f(*items)`: any element into any of the parameters. Rows as of `spread_into_parameters`."""
    params, variadic, _, node = row
    element = state.side_node(node, "element", value)
    for param in params:
        state.flow_weakly(element, param)
    if variadic >= 0:
        state.flow_weakly(element, state.slots.node(state.slots.made("tuple", variadic), None))


def spread_keywords(state: State, value: int, row: Row) -> None:
    """`f(**mapping)`: by name. Rows (signature, node)."""
    signature, _ = row
    for name, node in signature.by_name.items():
        state.slots.hand(value, name, node)
    if signature.keywords >= 0:
        state.slots.mirror(value, Mirror(state.slots.made("dict", signature.keywords)))


READERS = frozenset(("get", "pop", "popleft", "setdefault", "__getitem__", "__next__", "send"))
ADDERS = frozenset(("append", "add", "appendleft", "put", "put_nowait", "insert"))
EXTENDERS = frozenset(("extend", "update", "extendleft", "union", "intersection", "difference", "__iadd__"))
SAME = frozenset(
    ("__subclasses__", "copy", "union", "difference", "intersection", "symmetric_difference", "__enter__", "__iter__", "close")
)


def call_of_method(state: State, value: int, row: Row) -> None:
    """A method of a container."""
    container, name = state.values.payloads[value]
    if state.values.kinds[container] != Kind.CONTAINER:
        return
    type_name, _ = state.values.payloads[container]
    if type_name not in HAND_KNOWN or name not in HAND_NAMES:
        method_by_stub(state, value, row)
    else:
        method_by_hand(state, value, row)


def method_by_hand(state: State, value: int, row: Row) -> None:
    """A method of a list, dict, set, tuple or generator of which more is known than its stub says: keys, what it keeps."""
    dst, callee, arguments, keywords, site = row
    container, name = state.values.payloads[value]
    type_name, _ = state.values.payloads[container]
    state.target(site, f"ext:builtins.{type_name}.{name}", (callee, value))
    plain = tuple(a for a in arguments if a >= 0)
    key = state.constants.get(plain[0]) if plain and type_name == "dict" else None
    if name in READERS:
        state.slots.read(container, key, dst)
    if name == "send" and plain:
        state.flow_weakly(plain[0], state.slots.node(container, SENT))
    if name in ADDERS and plain:
        state.flow_weakly(plain[-1], state.slots.node(container, None))
    if name == "setdefault" and len(plain) > 1:
        state.flow_weakly(plain[1], state.slots.node(container, key))
    if name in ("get", "pop") and len(plain) > 1:
        state.flow(plain[1], dst)
    if name in EXTENDERS:
        extend(state, container, row)
    if name in SAME:
        state.add(dst, container, callee)
    if name == "sort" and not keywords:
        element = state.side_node(dst, "element", container)
        state.slots.read_all(container, element)
        state.watch(element, state.tables["special"], (state.side_node(dst, "special"), ("__lt__",), element, (element,), site))
    if name in VIEWS:
        VIEWS[name](state, container, view_node(state, value, row))
    call_key(state, row, keywords, container)


HAND_KNOWN = frozenset(HOMES) | {"type"}
HAND_NAMES = READERS | ADDERS | EXTENDERS | SAME | frozenset(("items", "values", "keys", "sort", "__subclasses__"))


def method_by_stub(state: State, value: int, row: Row) -> None:
    """A method of a container from outside: what the stub of its class says, and what is kept in it."""
    container, name = state.values.payloads[value]
    ask_wrapped(state, container, name, row)
    type_name, _ = state.values.payloads[container]
    owner = type_name if "." in type_name else f"builtins.{type_name}"
    state.target(row[4], f"ext:{owner}.{name}", (row[1], value))
    hand_over(state, border_name(state, f"{owner}.{name}"), row)
    rule = OUTSIDE.get(f"{owner}.{name}")
    if rule is not None:
        rule(state, row)
    elif name in SPREADERS:
        extend(state, container, row)
    else:
        call_method_of(state, container, name, row, (row[1], value))


SPREADERS = frozenset(("extend", "update", "extendleft"))  # what they are given is spread, with the keys that are known


def extend(state: State, container: int, row: Row) -> None:
    """`update`, `extend`: what others hold, and what keywords name."""
    _, _, arguments, keywords, site = row
    for argument in arguments:
        if argument >= 0:
            state.watch(argument, state.tables["spread"], (container, argument, frozenset(), site))
    for name, node in keywords:
        if name is not None:
            state.flow_weakly(node, state.slots.node(container, name))


def split_string(state: State, method: int, row: Row) -> None:
    """`"package.module.Name".rsplit(".", 1)` and its kin: the parts, each a string again."""
    dst, callee, arguments, _, site = row
    value, name = state.values.payloads[method]
    if state.values.kinds[value] != Kind.STRING:
        return
    state.target(site, f"ext:builtins.str.{name}", (callee, value))
    text = state.values.payloads[value]
    whole = name.endswith("split") and len(arguments) < 2  # noqa: PLR2004 - the separator and how often
    parts = text.split(".") if whole else getattr(text, name)(".", *([1] if name.endswith("split") else []))
    found = state.slots.made("list", state.side_node(dst, "parts", value))
    for index, part in enumerate(parts):
        inner = state.values.of(Kind.STRING, part)
        state.add(state.slots.node(found, index), inner, SEED)
        state.add(state.slots.node(found, index - len(parts)), inner, SEED)
    state.turn(dst, found, (callee, method))


def call_key(state: State, row: Row, keywords: tuple[tuple[str | None, int], ...], container: int) -> None:
    """`list.sort(key=f)`"""
    for name, node in keywords:
        if name == "key":
            element = state.side_node(row[0], "element", container)
            state.slots.read_all(container, element)
            state.watch(node, state.tables["call"], (state.side_node(row[0], "key", container), node, (element,), (), row[4]))


def view_node(state: State, method: int, row: Row) -> int:
    """The node that makes a view of a container: the call's, or, where iterating over the view runs methods of an instance that
    is the container by a base outside, one beside it, from which the view goes on to the call's."""
    dst: int = row[0]
    callee: int = row[1]
    container, name = state.values.payloads[method]
    owner = state.slots.owners.get(container)
    if owner is None:
        return dst
    node, held = state.side_node(dst, name, owner), state.side_node(dst, f"{name}\0 of", owner)
    state.slots.views[state.slots.made("list", node)] = (container, held)
    state.turn(held, owner, (callee, method))
    state.flow(node, dst)
    return node


def iterate_view(state: State, view: int, site: int) -> None:
    """Iterating over a view of an instance runs its `__iter__`, and `__getitem__` where the view shows more than the keys."""
    if view not in state.slots.views:
        return
    container, held = state.slots.views[view]
    owner, keys = state.slots.owners[container], state.slots.node(container, KEYS)
    element_of_instance(state, owner, (keys, held, site))
    if state.origin(held)[1] != "keys":
        call_special(state, owner, "__getitem__", (state.slots.node(container, None), held, (keys,), (), site))


def ask_length_of_view(state: State, view: int, site: int) -> None:
    """A view is as long as the instance that it shows."""
    if view in state.slots.views:
        container, held = state.slots.views[view]
        ask_length(state, state.slots.owners[container], held, site)


def view_items(state: State, container: int, dst: int) -> None:
    """`dict.items()`: pairs of keys and elements."""
    pair = state.slots.made("tuple", dst)
    state.flow(state.slots.node(container, KEYS), state.slots.node(pair, 0))
    state.slots.read_all(container, state.slots.node(pair, 1))
    view = state.slots.made("list", dst)
    state.add(state.slots.node(view, None), pair, dst)
    state.add(dst, view, dst)


def view_values(state: State, container: int, dst: int) -> None:
    """`dict.values()`"""
    view = state.slots.made("list", dst)
    state.slots.read_all(container, state.slots.node(view, None))
    state.add(dst, view, dst)


def view_keys(state: State, container: int, dst: int) -> None:
    """`dict.keys()`"""
    view = state.slots.made("list", dst)
    state.flow(state.slots.node(container, KEYS), state.slots.node(view, None))
    state.add(dst, view, dst)


VIEWS = {"items": view_items, "values": view_values, "keys": view_keys}


def await_of_container(state: State, value: int, row: Row) -> None:
    """`await coroutine`. Rows (dst, src, site)."""
    state.flow(state.slots.node(value, AWAITED), row[0])


def await_of_instance(state: State, value: int, row: Row) -> None:
    """`__await__`"""
    dst, src, site = row
    if not call_special(state, value, "__await__", (dst, src, (), (), site)):
        do_as_base(state, "await", value, row)


def await_of_outside(state: State, value: int, row: Row) -> None:
    """Awaiting something outside."""
    if not await_object(state, value, row):
        give_of_package(state, value, row)


def enter_of_outside(state: State, value: int, row: Row) -> None:
    """`with` something outside; a stack of exits gives itself."""
    if state.values.payloads[value] in STACKS:
        state.turn(row[0], value, (row[1], value))
    elif not enter_object(state, value, row):
        give_of_package(state, value, row)


STACKS = frozenset(("contextlib.ExitStack", "contextlib.AsyncExitStack"))


def give_of_package(state: State, value: int, row: Row) -> None:
    """Something of the same package. Rows (dst, node, site)."""
    dst, src, _ = row
    dotted = state.values.payloads[value]
    state.turn(dst, state.values.of(Kind.THING, dotted.partition(".")[0]), (src, value))


def enter_container(state: State, value: int, row: Row) -> None:
    """`with f() as x` where f yields: what it yields. Where the generator was made before, it begins to run here."""
    type_name, made_at = state.values.payloads[value]
    if type_name in ("generator", "coroutine"):
        state.slots.read_all(value, row[0])
        scope = state.elsewhere.generators.get(value)
        if scope is not None and parent_of(state, row[1], value) != made_at:
            state.target(row[2], scope, (row[1], value))
    elif type_name not in HOMES:
        enter_object(state, value, row)
        ask_wrapped(state, value, "__exit__", (row[0], row[1], (), (), row[2]))


def parent_of(state: State, node: int, value: int) -> int:
    """The node from which a value first came to a node: that of what the function yields, where its call stands right there."""
    held = state.points[node] or {}
    return held[value] >> STAGE_BITS if value in held else SEED


def enter_instance(state: State, value: int, row: Row) -> None:
    """`__enter__` and `__exit__`, or their asynchronous kin."""
    dst, src, site = row
    enters = call_special(state, value, "__enter__", (dst, src, (), (), site))
    if not enters and provider(state, state.values.payloads[value], "__exit__") is not None:
        state.turn(dst, value, (src, value))  # a base outside enters, as `contextlib.AbstractContextManager` does
        enters = True
    if enters:
        call_special(state, value, "__exit__", (state.side_node(dst, "__exit__", value), src, (), (), site))
        return
    entered = state.side_node(dst, "__aenter__", value)
    if call_special(state, value, "__aenter__", (entered, src, (), (), site)):
        state.watch(entered, state.tables["await"], (dst, entered, -1))
        call_special(state, value, "__aexit__", (state.side_node(dst, "__aexit__", value), src, (), (), site))
    else:
        do_as_base(state, "enter", value, row)
