"""`namedtuple("P", "x y")` and `NamedTuple("P", [("x", A), ("y", B)])`: they make tuples whose positions have names."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.rules.functional import hold
from flowmap.solve.state import Partial, State
from flowmap.solve.values import Kind

MADE = "collections.namedtuple.__new__"


def named_tuple(state: State, row: Row) -> None:
    """A call of `namedtuple`: what it gives is called with the fields' names before the values."""
    match row[2]:
        case [_, fields, *_] if fields >= 0:
            function = state.side_node(row[0], MADE)
            state.add(function, state.values.of(Kind.OUTSIDE, MADE), row[1])
            hold(state, row, Partial(function, (fields,), (), binds=False))
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
            state.watch(~value, state.tables["element"], (state.slots.node(made, None), ~value, -1))
        else:
            state.flow(value, state.slots.node(made, index))
    for keyword, value in keywords:
        state.flow(value, state.slots.node(made, keyword))
    state.add(dst, made, callee)


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
