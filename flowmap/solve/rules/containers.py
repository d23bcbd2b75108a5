"""Items, elements, displays and the methods of containers."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import call_special, is_enum
from flowmap.solve.rules.modules import file_of_members
from flowmap.solve.slots import AWAITED, KEYS, SENT
from flowmap.solve.state import State
from flowmap.solve.values import Kind


def item_of_container(state: State, value: int, row: Row) -> None:
    """`container[key]`; a position from the end may be any. Rows (dst, base, key, index node, site)."""
    dst, _, key, index, _ = row
    file = file_of_members(state, value) if key is None else None
    if file is None:
        from_end = isinstance(key, int) and key < 0 and state.values.payloads[value][0] != "dict"
        state.slots.read(value, None if from_end else key, dst)
    else:
        state.watch(index, state.tables["member by name"], (dst, value, file))


def item_of_instance(state: State, value: int, row: Row) -> None:
    """`__getitem__`; unpacking without an index iterates."""
    dst, base, _, index, site = row
    if site < 0 and index in state.nothing:
        element_of_instance(state, value, (dst, base, site))
    else:
        call_special(state, value, "__getitem__", (dst, base, (index,), (), site))


def item_of_class(state: State, value: int, row: Row) -> None:
    """`Enum["NAME"]` is a member, `Generic[T]` the class itself."""
    dst, base, _, _, _ = row
    cls = state.values.payloads[value]
    turned = state.values.of(Kind.INSTANCE, cls) if is_enum(state, cls) else value
    state.turn(dst, turned, (base, value))


def item_is_itself(state: State, value: int, row: Row) -> None:
    """`kernel[grid]` launches the kernel; an item of something outside is something of its package."""
    dst, base, _, _, _ = row
    turned = value
    if state.values.kinds[value] in (Kind.OUTSIDE, Kind.THING):
        turned = state.values.of(Kind.THING, state.values.payloads[value].partition(".")[0])
    state.turn(dst, turned, (base, value))


def store_item_in_container(state: State, value: int, row: Row) -> None:
    """`container[key] = src`. Rows (base, key, src, site, index node)."""
    _, key, src, _, index = row
    state.flow_weakly(src, state.slots.node(value, key))
    state.flow_weakly(index, state.slots.node(value, KEYS))


def store_item_on_instance(state: State, value: int, row: Row) -> None:
    """`__setitem__`"""
    base, _, src, site, index = row
    call_special(state, value, "__setitem__", (state.side_node(base, f"item {src} {index}"), base, (index, src), (), site))


def element_of_container(state: State, value: int, row: Row) -> None:
    """What iterating gives: a dict's keys, all else's elements. Rows (dst, base, site)."""
    type_name, _ = state.values.payloads[value]
    if type_name == "dict":
        state.flow(state.slots.node(value, KEYS), row[0])
    else:
        state.slots.read_all(value, row[0])


def element_of_instance(state: State, value: int, row: Row) -> None:
    """`__iter__`, then `__next__` of what it gives; or `__getitem__`."""
    dst, base, site = row
    special = "__aiter__" if "__aiter__" in state.variants.classes.provides[state.values.payloads[value]] else "__iter__"
    iterator = state.side_node(dst, special, value)
    if call_special(state, value, special, (iterator, base, (), (), site)):
        state.watch(iterator, state.tables["next"], (dst, iterator, site))
    elif not call_special(state, value, "__next__", (dst, base, (), (), site)):
        call_special(state, value, "__getitem__", (dst, base, (), (), site))


def next_of_instance(state: State, value: int, row: Row) -> None:
    """`__next__` of an iterator."""
    dst, base, site = row
    if not call_special(state, value, "__next__", (dst, base, (), (), site)):
        call_special(state, value, "__anext__", (dst, base, (), (), site))


def element_of_class(state: State, value: int, row: Row) -> None:
    """Iterating over an enumeration gives its members."""
    cls = state.values.payloads[value]
    if is_enum(state, cls):
        state.turn(row[0], state.values.of(Kind.INSTANCE, cls), (row[1], value))


def element_of_outside(state: State, value: int, row: Row) -> None:
    """An element of something outside."""
    dotted = state.values.payloads[value]
    state.turn(row[0], state.values.of(Kind.THING, dotted.partition(".")[0]), (row[1], value))


def spread_container(state: State, value: int, row: Row) -> None:
    """`[*items]`, `{**mapping}`. Rows (container, node)."""
    container, _ = row
    type_name, _ = state.values.payloads[value]
    if type_name == "dict":
        state.slots.mirror(value, container)
    else:
        state.slots.read_all(value, state.slots.node(container, None))


def spread_into_parameters(state: State, value: int, row: Row) -> None:
    """`f(*items)`: by position as far as positions are known. Rows (parameters, variadic or -1, shift, node): the element at a
    position stands in `*args` at the position plus the shift."""
    params, variadic, shift, _ = row
    for index, param in enumerate(params):
        state.slots.hand(value, index, param)
    if variadic >= 0:
        state.slots.mirror(value, state.slots.made("tuple", variadic), shift)


def spread_keywords(state: State, value: int, row: Row) -> None:
    """`f(**mapping)`: by name. Rows (signature, node)."""
    signature, _ = row
    for name, node in signature.by_name.items():
        state.slots.hand(value, name, node)
    if signature.keywords >= 0:
        state.slots.mirror(value, state.slots.made("dict", signature.keywords))


READERS = frozenset(("get", "pop", "popleft", "popitem", "setdefault", "__getitem__", "__next__", "send"))
ADDERS = frozenset(("append", "add", "appendleft", "put", "put_nowait", "insert"))
EXTENDERS = frozenset(("extend", "update", "extendleft", "union", "intersection", "difference", "__iadd__"))
SAME = frozenset(("copy", "union", "difference", "intersection", "symmetric_difference", "__enter__", "__iter__", "close"))


def call_of_method(state: State, value: int, row: Row) -> None:
    """A method of a container."""
    dst, callee, arguments, keywords, site = row
    container, name = state.values.payloads[value]
    if state.values.kinds[container] != Kind.CONTAINER:
        return
    type_name, _ = state.values.payloads[container]
    state.target(site, f"ext:builtins.{type_name}.{name}", (callee, value))
    plain = tuple(a for a in arguments if a >= 0)
    if name in READERS:
        state.slots.read_all(container, dst)
    if name == "send" and plain:
        state.flow_weakly(plain[0], state.slots.node(container, SENT))
    if name in ADDERS and plain:
        state.flow_weakly(plain[-1], state.slots.node(container, None))
    if name == "setdefault" and len(plain) > 1:
        state.flow_weakly(plain[1], state.slots.node(container, None))
    if name in ("get", "pop") and len(plain) > 1:
        state.flow(plain[1], dst)
    if name in EXTENDERS:
        for argument in plain:
            state.watch(argument, state.tables["spread"], (container, argument))
    if name in SAME:
        state.add(dst, container, callee)
    VIEWS.get(name, no_view)(state, container, dst)
    call_key(state, row, keywords, container)


def call_key(state: State, row: Row, keywords: tuple[tuple[str | None, int], ...], container: int) -> None:
    """`list.sort(key=f)`"""
    for name, node in keywords:
        if name == "key":
            element = state.side_node(row[0], "element", container)
            state.slots.read_all(container, element)
            state.watch(node, state.tables["call"], (state.side_node(row[0], "key", container), node, (element,), (), row[4]))


def no_view(state: State, container: int, dst: int) -> None:
    """No view of the container."""


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
    call_special(state, value, "__await__", (dst, src, (), (), site))


def pass_through(state: State, value: int, row: Row) -> None:
    """Entering or awaiting something outside gives something of its package."""
    dst, src, _ = row
    dotted = state.values.payloads[value]
    state.turn(dst, state.values.of(Kind.THING, dotted.partition(".")[0]), (src, value))


def enter_outside(state: State, value: int, row: Row) -> None:
    """Entering something outside gives something of its package; a stack of exits itself."""
    if state.values.payloads[value] in STACKS:
        state.turn(row[0], value, (row[1], value))
    else:
        pass_through(state, value, row)


STACKS = frozenset(("contextlib.ExitStack", "contextlib.AsyncExitStack"))


def enter_container(state: State, value: int, row: Row) -> None:
    """`with f() as x` where f yields: what it yields."""
    type_name, _ = state.values.payloads[value]
    if type_name in ("generator", "coroutine"):
        state.slots.read_all(value, row[0])


def enter_instance(state: State, value: int, row: Row) -> None:
    """`__enter__` and `__exit__`, or their asynchronous kin."""
    dst, src, site = row
    if call_special(state, value, "__enter__", (dst, src, (), (), site)):
        call_special(state, value, "__exit__", (state.side_node(dst, "__exit__", value), src, (), (), site))
        return
    entered = state.side_node(dst, "__aenter__", value)
    if call_special(state, value, "__aenter__", (entered, src, (), (), site)):
        state.watch(entered, state.tables["await"], (dst, entered, -1))
        call_special(state, value, "__aexit__", (state.side_node(dst, "__aexit__", value), src, (), (), site))
