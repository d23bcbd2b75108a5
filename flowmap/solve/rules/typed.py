"""What the stub of a function says of one call of it: what its arguments give to type variables, and what it gives back."""

from __future__ import annotations

from typing import NamedTuple

from flowmap.model.facts import Row
from flowmap.model.stubs import Said, StubTree
from flowmap.solve.slots import AWAITED, KEYS, Key
from flowmap.solve.state import State
from flowmap.solve.stub_members import SHORT, Member, Signature
from flowmap.solve.values import Kind


class StubCall(NamedTuple):
    """One call. `receiver` is a value, -1 where there is none; `site` is -1 where what is passed is called later, elsewhere;
    `stores` is whether what is given for an element of the receiver stays in it."""

    row: Row  # (dst, callee, arguments, keywords, site)
    receiver: int
    dotted: str
    site: int
    at: tuple[int, int]  # the node and value that say what is called, for evidence
    stores: int = 0


def call_by_stub(state: State, member: Member, call: StubCall) -> None:
    """All that the signatures say which this call can be one of."""
    if member.is_plain and not call.stores:
        for name in member.things:
            state.turn(call.row[0], state.values.of(Kind.THING, name), call.at)
        return
    for signature in fitting(state, member, call.row):
        if call.stores:
            fill_receiver(state, call, signature.receiver)
        for tree, node in matched(signature, call.row):
            bind(state, call, tree, node)
        give(state, call, signature.result, call.row[0])


def fill_receiver(state: State, call: StubCall, tree: StubTree) -> None:
    """`def __init__(self: C[str], ...)`: what the new object holds."""
    if tree[0] == Said.ITEM and state.values.kinds[call.receiver] == Kind.CONTAINER:
        for key, part in zip(slot_keys(state, tree[1], tree[2]), tree[2], strict=False):
            if part[0] != Said.SLOT:
                give(state, call, part, state.slots.node(call.receiver, key))


def fitting(state: State, member: Member, row: Row) -> tuple[Signature, ...]:
    """The signatures that the number of arguments, their names and literals allow; all of them, where none does."""
    _, _, arguments, keywords, _ = row
    if any(argument < 0 for argument in arguments) or any(name is None for name, _ in keywords):
        return member.signatures
    names = frozenset(name for name, _ in keywords)
    counted = tuple(one for one in member.signatures if one.fits(len(arguments), names)) or member.signatures
    if len(counted) == 1:
        return counted
    counted = tuple(one for one in counted if one.variadic is None) or counted  # `*args` stands for what has no signature
    if not member.has_literals:
        return counted
    return tuple(one for one in counted if all(may_be(state, *pair) for pair in matched(one, row))) or counted


def may_be(state: State, tree: StubTree, node: int) -> bool:
    """Whether what is at a node may have a type, as far as literals tell: `open(path, "rb")`."""
    return tree[0] != Said.LITERAL or node not in state.constants or state.constants[node] in tree[1]


def matched(signature: Signature, row: Row) -> list[tuple[StubTree, int]]:
    """The parameters' trees with the arguments' nodes, as far as positions are known."""
    _, _, arguments, keywords, _ = row
    by_position = [one for one in signature.parameters if one[1] in (0, 1)]
    found = []
    for index, node in enumerate(arguments):
        if node < 0:
            break
        parameter = by_position[index] if index < len(by_position) else signature.variadic
        if parameter is not None:
            found.append((parameter[2], node))
    named = dict(keywords)
    found.extend((tree, named[name]) for name, kind, tree, _ in signature.parameters if kind in (1, 3) and name in named)
    return found


def speaks(tree: StubTree) -> bool:
    """Whether an argument for a tree tells anything: of a type variable, or by being called."""
    match tree[0]:
        case Said.VARIABLE | Said.SLOT | Said.CALLABLE:
            return True
        case Said.ITEM:
            return any(map(speaks, tree[2]))
        case Said.UNION:
            return any(map(speaks, tree[1]))
        case _:
            return False


def variable_node(state: State, call: StubCall, name: str) -> int:
    """The node of what a type variable stands for in a call."""
    return state.side_node(call.row[0], variable_label(name), call.receiver)


def variable_label(name: str) -> str:
    """What the node of a type variable is called."""
    return f"type {name.rpartition('.')[2]}"


# ---------------------------------------------------------------- arguments


def bind(state: State, call: StubCall, tree: StubTree, node: int) -> None:
    """What is at a node has the type of a tree."""
    match tree[0]:
        case Said.VARIABLE:
            state.flow(node, variable_node(state, call, tree[1]))
        case Said.SLOT:
            bind_slot(state, call, tree[1], node)
        case Said.UNION:
            for part in tree[1]:
                bind(state, call, part, node)
        case Said.ITEM if speaks(tree):
            bind_item(state, call, tree, node)
        case Said.CALLABLE:
            bind_callable(state, call, tree, node)


def bind_slot(state: State, call: StubCall, key: Key, node: int) -> None:
    """An argument of the type of the receiver's elements: it may be given back, and where it is stored it stays."""
    if call.stores and state.values.kinds[call.receiver] == Kind.CONTAINER:
        state.flow_weakly(node, state.slots.node(call.receiver, key))
    elif key not in (KEYS,):
        state.flow(node, variable_node(state, call, slot_name(key)))


def slot_name(key: Key) -> str:
    """What the type variable of a slot is called beside a call."""
    return f"of slot {key}"


def bind_item(state: State, call: StubCall, tree: StubTree, node: int) -> None:
    """`C[T]`: what an object of that class holds is a T."""
    _, name, parts = tree
    if name == "builtins.tuple":
        for index, part in enumerate(parts if parts[1:] != (REPEATED,) else ()):
            state.watch(node, state.tables["item"], (inner(state, call, part, (node, index)), node, index, node, -1))
        return
    if name == "builtins.type":
        state.watch(node, state.tables["instance of"], (inner(state, call, parts[0], (node, name)), node))
        return
    cls = state.stubs.class_(name)
    keys = state.stubs.slot_keys(cls) if cls is not None else ()
    for key, part in zip(keys, parts, strict=False):
        if speaks(part):
            place, row = taken((name, key), (inner(state, call, part, (node, f"{name} {key}")), node, call.site))
            state.watch(node, state.tables[place], row)


REPEATED: StubTree = (Said.ANY,)  # `...` in `tuple[T, ...]`, settled


def inner(state: State, call: StubCall, part: StubTree, key: tuple[int, Key]) -> int:
    """The node of what stands for a part of a type; what comes there is bound to the part."""
    if part[0] == Said.VARIABLE:
        return variable_node(state, call, part[1])
    node = state.side_node(key[0], f"element\0{key[1]} {call.row[0]}", call.receiver)
    bind(state, call, part, node)
    return node


def taken(what: tuple[str, Key], row: tuple[int, int, int]) -> tuple[str, Row]:
    """How what a slot holds is taken from an object at a node by the call of a site: (place of rules, row)."""
    name, key = what
    dst, node, site = row
    if key == AWAITED:
        return "await", (dst, node, -1)
    if "ContextManager" in name:
        return "enter", (dst, node, -1)
    if key == KEYS or (key is None and name in ITERATED):
        return "element", (dst, node, site if name == "typing.Iterable" else -1)
    return "held", (dst, node, key)


ITERATED = frozenset(name for name, short in SHORT.items() if short not in ("dict", "coroutine"))


def held_by_container(state: State, value: int, row: Row) -> None:
    """What a slot of a container holds. Rows (dst, node, key)."""
    dst, _, key = row
    if key is None:
        state.slots.read_all(value, dst)
    else:
        state.slots.read(value, key, dst)


def bind_callable(state: State, call: StubCall, tree: StubTree, node: int) -> None:
    """What is given for `Callable[[T], R]` is called with a T and, where the stub says so, the call's further arguments."""
    _, fixed, takes_rest, result = tree
    given = []
    for index, part in enumerate(fixed):
        argument = part_node(state, call, part, (node, index))
        given.append(argument)
    keywords: tuple[tuple[str | None, int], ...] = ()
    if takes_rest:
        arguments = call.row[2]
        given.extend(arguments[arguments.index(node) + 1 :] if node in arguments else ())
        keywords = call.row[3]
    back = inner(state, call, result, (node, "result"))
    state.watch_later(node, state.tables["call"], (back, node, tuple(given), keywords, call.site))


def part_node(state: State, call: StubCall, part: StubTree, key: tuple[int, int]) -> int:
    """The node of an argument that a callback receives."""
    if part[0] == Said.VARIABLE:
        return variable_node(state, call, part[1])
    node = state.side_node(key[0], f"argument {key[1] + 1}\0{call.row[0]}", call.receiver)
    give(state, call, part, node)
    return node


# ------------------------------------------------------------------- results


def give(state: State, call: StubCall, tree: StubTree, dst: int) -> None:
    """What a tree stands for comes to a node."""
    match tree[0]:
        case Said.VARIABLE:
            state.flow_later(variable_node(state, call, tree[1]), dst)
        case Said.SLOT:
            give_slot(state, call, tree[1], dst)
        case Said.UNION:
            for part in tree[1]:
                give(state, call, part, dst)
        case Said.NAME:
            give_object(state, call, (tree[1], ()), dst)
        case Said.ITEM:
            give_object(state, call, (tree[1], tree[2]), dst)
        case Said.LITERAL:
            state.turn(dst, state.values.of(Kind.THING, "builtins.str"), call.at)
        case Said.SELF:
            give_self(state, call, dst)
        case Said.ANY | Said.CALLABLE:
            state.turn(dst, state.values.of(Kind.THING, call.dotted.partition(".")[0]), call.at)


def give_slot(state: State, call: StubCall, key: Key, dst: int) -> None:
    """An element of the receiver, or what the call was given in its place."""
    if call.receiver >= 0 and state.values.kinds[call.receiver] == Kind.CONTAINER:
        if key is None:
            state.slots.read_all(call.receiver, dst)
        else:
            state.slots.read(call.receiver, key, dst)
    name = slot_name(key)
    if (call.row[0], variable_label(name), call.receiver) in state.sides:
        state.flow_later(variable_node(state, call, name), dst)


def give_self(state: State, call: StubCall, dst: int) -> None:
    """The receiver itself."""
    if call.receiver >= 0:
        state.turn(dst, call.receiver, call.at)
    else:
        state.turn(dst, state.values.of(Kind.THING, call.dotted.rpartition(".")[0]), call.at)


def give_object(state: State, call: StubCall, said: tuple[str, tuple[StubTree, ...]], dst: int) -> None:
    """An object of an outside class; one that holds others, with what is known of them."""
    name, parts = said
    if name == "builtins.type":
        give_class(state, call, parts, dst)
        return
    cls = state.stubs.class_(name)
    type_name = SHORT.get(name, name)
    if cls is None or not (cls.parameters or name in SHORT):
        state.turn(dst, state.values.of(Kind.THING, name), call.at)
        return
    container = state.slots.made(type_name, dst)
    if not speaks((Said.ITEM, name, parts)):
        state.stubs.dull.add(container)
    for key, part in zip(slot_keys(state, name, parts), parts, strict=False):
        if part[0] != Said.NONE:
            give(state, call, part, state.slots.node(container, key))
    state.turn(dst, container, call.at)


def give_class(state: State, call: StubCall, parts: tuple[StubTree, ...], dst: int) -> None:
    """`type[C]`: an outside class itself."""
    for part in parts:
        if part[0] in (Said.NAME, Said.ITEM):
            state.turn(dst, state.values.of(Kind.OUTSIDE, part[1]), call.at)


def slot_keys(state: State, name: str, parts: tuple[StubTree, ...]) -> tuple[Key, ...]:
    """The slots that the arguments of a type stand for; those of a tuple are its positions."""
    if name == "builtins.tuple":
        return (None,) if parts[1:] == (REPEATED,) else tuple(range(len(parts)))
    cls = state.stubs.class_(name)
    return state.stubs.slot_keys(cls) if cls is not None else ()
