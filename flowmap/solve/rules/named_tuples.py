"""`namedtuple("P", "x y")` and `NamedTuple("P", [("x", A), ("y", B)])`: they make tuples whose positions have names."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import constructor_fields
from flowmap.solve.records import METHODS_OF_NAMED
from flowmap.solve.rules.functional import MADE, call_of_partial, hold
from flowmap.solve.slots import ASIDE
from flowmap.solve.state import Partial, State
from flowmap.solve.values import Kind

DEFAULTS = "\0defaults"  # the keyword under which the made function keeps them


def named_tuple(state: State, row: Row) -> None:
    """A call of `namedtuple`: what it gives is called with the fields' names before the values."""
    match row[2]:
        case [_, fields, *_] if fields >= 0:
            function = state.side_node(row[0], MADE)
            state.add(function, state.values.of(Kind.OUTSIDE, MADE), row[1])
            defaults = tuple((DEFAULTS, node) for name, node in row[3] if name == "defaults")
            hold(state, row, Partial(function, (fields,), defaults, binds=False))
        case _:
            pass


def make_named_tuple(state: State, row: Row) -> None:
    """A tuple with names for its positions. The first argument holds the names."""
    dst, callee, (fields, *values), keywords, _ = row
    names = field_names(state, fields)
    made = state.slots.made("tuple", dst)
    if made not in state.slots.nodes:
        for index, name in enumerate(names):
            state.slots.adopt(made, name, state.slots.node(made, index))
        state.slots.lengths[made] = len(names)
    for index, value in enumerate(values):
        if value < 0:
            take_apart(state, ~value, [state.slots.node(made, position) for position in range(index, len(names))])
        else:
            state.flow(value, state.slots.node(made, index))
    for keyword, value in keywords:
        if keyword == DEFAULTS:
            fill_in(state, made, names, parts(state, value))
        else:
            state.flow(value, state.slots.node(made, keyword))
    state.add(dst, made, callee)


def fill_in(state: State, made: int, names: list[str], defaults: list[int]) -> None:
    """The last names have defaults."""
    for name, default in zip(reversed(names), reversed(defaults), strict=False):
        state.flow_weakly(default, state.slots.node(made, name))


def take_apart(state: State, node: int, into: list[int]) -> None:
    """The elements of what is at a node, by position."""
    for index, dst in enumerate(into):
        element = state.side_node(dst, f"position {index}", node)
        state.watch(node, state.tables["item"], (element, node, index, state.layout.node_base[0], -1))
        state.flow_weakly(element, dst)


def method_of_named_tuple(state: State, value: int, row: Row) -> None:
    """`_replace`, `_asdict` and `_make`."""
    owner, name = state.values.payloads[value]
    if name not in METHODS_OF_NAMED:
        return
    state.target(row[4], f"ext:typing.NamedTuple.{name}", (row[1], value))
    if name == "_make":
        make_from(state, owner, row)
        return
    fields = named_fields(state, owner)
    if name == "_asdict":
        as_dict = state.slots.made("dict", row[0])
        for field, node in fields.items():
            state.flow_weakly(node, state.slots.node(as_dict, field))
        state.turn(row[0], as_dict, (row[1], value))
    elif state.values.kinds[owner] == Kind.INSTANCE:
        for field, node in row[3]:
            if field in fields:
                state.flow_weakly(node, state.fields.instance(state.values.payloads[owner], field)[0])
        state.turn(row[0], owner, (row[1], value))
    else:
        replaced(state, fields, (row[0], row[1], value), dict(row[3]))


def replaced(state: State, fields: dict[str, int], at: tuple[int, int, int], given: dict[str | None, int]) -> None:
    """Another tuple with the same names, some of its elements new. `at` is (dst, callee, method)."""
    dst, callee, method = at
    made = state.slots.made("tuple", dst)
    for index, (name, node) in enumerate(fields.items()):
        slot = state.slots.node(made, index)
        state.slots.adopt(made, name, slot)
        state.flow_weakly(given.get(name, node), slot)
    state.slots.lengths[made] = len(fields)
    state.turn(dst, made, (callee, method))


def named_fields(state: State, owner: int) -> dict[str, int]:
    """The nodes of the fields of a tuple with names, or of an instance of a class below `NamedTuple`."""
    if state.values.kinds[owner] == Kind.CONTAINER:
        return {key: node for key, node in state.slots.nodes[owner].items() if isinstance(key, str) and key not in ASIDE}
    cls = state.values.payloads[owner]
    return {name: state.fields.instance(cls, name)[1] for name in constructor_fields(state, cls)}


def make_from(state: State, owner: int, row: Row) -> None:
    """`P._make(elements)`: a tuple of these."""
    dst, callee, arguments, _, _ = row
    given = arguments[0] if arguments and arguments[0] >= 0 else -1
    if given < 0:
        return
    if state.values.kinds[owner] == Kind.PARTIAL:
        call_of_partial(state, owner, (dst, callee, (~given,), (), -1))
        return
    cls = state.values.payloads[owner]
    take_apart(state, given, [state.fields.instance(cls, name)[0] for name in constructor_fields(state, cls)])
    state.turn(dst, state.values.of(Kind.INSTANCE, cls), (callee, owner))


def field_names(state: State, node: int) -> list[str]:
    """The names that a list or tuple of texts or of pairs gives; a text is one."""
    texts = (state.values.payloads[one] for one in state.points[node] or () if state.values.kinds[one] == Kind.STRING)
    text = next(texts, "")
    return (
        [text] if text else [name for one in parts(state, node) for name in (field_names(state, one) or first_name(state, one))]
    )


def first_name(state: State, node: int) -> list[str]:
    """The name in a pair of a name and a type."""
    return [name for one in parts(state, node)[:1] for name in field_names(state, one)]


def parts(state: State, node: int) -> list[int]:
    """The nodes of what a display at a node holds, in their order."""
    held = (value for value in state.points[node] or () if state.values.kinds[value] == Kind.CONTAINER)
    slots = next((state.slots.nodes[value] for value in held if value in state.slots.nodes), {})
    return [slots[key] for key in sorted(key for key in slots if isinstance(key, int) and key >= 0)]
