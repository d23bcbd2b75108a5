"""`x.__dict__` and `vars(x)`: the fields of an object or a class by their names."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import member_node
from flowmap.solve.rules.attributes import attribute_of_class, order_of
from flowmap.solve.slots import KEYS
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind

HAVE_TABLES = frozenset((Kind.INSTANCE, Kind.FAMILY, Kind.CLASS, Kind.CLASS_FAMILY, Kind.VARIANT))  # what is known by its class


READ_OFF_TABLES = frozenset(("copy", "get", "items", "keys", "values"))


def fields_as_dict(state: State, value: int, row: Row) -> None:
    """`vars(x)`: what `x.__dict__` is. Rows (dst, node)."""
    dst, node = row
    state.turn(dst, state.values.of(Kind.METHOD, (value, "__dict__")), (node, value))


def field_by_key(state: State, value: int, row: Row) -> None:
    """`x.__dict__["name"]`: a field of an instance, or what a class body binds. Rows (dst, base, key, index node, site)."""
    dst, base, key, _, _ = row
    owner, name = state.values.payloads[value]
    if name != "__dict__" or not isinstance(key, str) or state.values.kinds[owner] not in HAVE_TABLES:
        return
    if state.values.kinds[owner] == Kind.CLASS:
        attribute_of_class(state, owner, (dst, base, key, -1))
    elif state.fields.is_stored(key) or key in state.fields.possible_stores:
        state.flow_weakly(state.fields.instance(state.values.payloads[owner], key)[1], dst)


def table_of_fields(state: State, value: int, row: Row) -> None:
    """`x.__dict__.items()` and its kin: what a class body binds, or the fields that methods assign. Rows as of an attribute."""
    dst, base, name, _ = row
    owner, attribute = state.values.payloads[value]
    if attribute != "__dict__" or name not in READ_OFF_TABLES or state.values.kinds[owner] not in HAVE_TABLES:
        return
    table = state.slots.made("dict", state.side_node(base, attribute, owner))
    if table not in state.slots.nodes:
        fill_table(state, owner, table)
    state.turn(dst, state.values.of(Kind.METHOD, (table, name)), (base, value))


def fill_table(state: State, owner: int, table: int) -> None:
    """The fields of an object or a class by their names."""
    cls = state.values.payloads[owner]
    if state.values.kinds[owner] == Kind.CLASS:
        own = state.layout.scopes[state.variants.base(cls)].names
        nodes = {name: member_node(state, state.variants.base(cls), name) for name in own}
    else:
        assigned = (state.layout.scopes[one].assigned for one in order_of(state, cls) if isinstance(one, int))
        nodes = {name: state.fields.instance(cls, name)[1] for names in assigned for name in names}
    for name, node in nodes.items():
        state.flow_weakly(node, state.slots.node(table, name))
        state.add_weakly(state.slots.node(table, KEYS), state.values.of(Kind.STRING, name), SEED)
