"""The methods of containers and strings: by hand where the order of elements or their keys matter, else as their stubs say."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.records import METHODS_OF_NAMED
from flowmap.solve.rules.borders import hand_over
from flowmap.solve.rules.callbacks import ask_wrapped
from flowmap.solve.rules.elements import VIEWS, view_node
from flowmap.solve.rules.outside import OUTSIDE, border_name
from flowmap.solve.rules.stdlib import call_method_of
from flowmap.solve.slots import AWAITED, SENT
from flowmap.solve.state import SEED, State
from flowmap.solve.stubs import HOMES
from flowmap.solve.values import Kind

READERS = frozenset(("get", "pop", "popleft", "setdefault", "__getitem__", "__next__", "send", "result"))
ADDERS = frozenset(("append", "add", "appendleft", "put", "put_nowait", "insert"))
EXTENDERS = frozenset(("extend", "update", "extendleft", "union", "intersection", "difference", "__iadd__"))
SAME = frozenset(
    ("__subclasses__", "copy", "union", "difference", "intersection", "symmetric_difference", "__enter__", "__iter__", "close")
)


def call_of_method(state: State, value: int, row: Row) -> None:
    """A method of a container."""
    container, name = state.values.payloads[value]
    if state.values.kinds[container] != Kind.CONTAINER or name in METHODS_OF_NAMED:
        return
    type_name, _ = state.values.payloads[container]
    if name in SHIFTERS and type_name == "list" and (name != "pop" or row[2]):
        state.slots.shift(container)
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
        state.slots.read(container, AWAITED if name == "result" else key, dst)
    if name == "send" and plain:
        state.flow_weakly(plain[0], state.slots.node(container, SENT))
    if name in ADDERS and plain:
        state.flow_weakly(plain[-1], state.slots.node(container, None))
    if name in ("setdefault", "__setitem__") and len(plain) > 1:
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


SHIFTERS = frozenset(("insert", "pop", "remove", "reverse", "sort", "appendleft", "popleft", "extendleft", "rotate"))
HAND_KNOWN = frozenset(HOMES) | {"type"}
HAND_NAMES = READERS | ADDERS | EXTENDERS | SAME | frozenset(("items", "values", "keys", "sort", "__setitem__", "__subclasses__"))


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
