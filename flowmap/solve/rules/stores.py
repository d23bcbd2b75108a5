"""What `base.name = src` does, by what `base` is. Rows: (base, name, src, site)."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import call_special, is_property, member_node, provider
from flowmap.solve.slots import NAMESPACE
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind


def store_on_instance(state: State, value: int, row: Row) -> None:
    """`base.name = src` on an instance: its field; a property's setter runs. Rows (base, name, src, site)."""
    base, name, src, site = row
    cls = state.values.payloads[value]
    asked = state.side_node(base, f"name {name}")
    state.add(asked, state.values.of(Kind.STRING, name), SEED)
    call_special(state, value, "__setattr__", (state.side_node(base, f"store {src}"), base, (asked, src), (), site))
    found = provider(state, cls, name)
    if found is not None:
        state.watch(member_node(state, found, name), state.tables["set"], (value, src, site, base))
        if is_property(state, found, name):
            return
    inward = state.fields.instance(cls, name)[0]
    if state.fields.stored_once(name):
        state.flow(src, inward)
    else:
        state.flow_weakly(src, inward)


def store_on_namespace(state: State, value: int, row: Row) -> None:
    """`base.name = src` on a `SimpleNamespace`."""
    _, name, src, _ = row
    if state.values.payloads[value][0] == NAMESPACE:
        state.flow_weakly(src, state.slots.node(value, name))


def store_on_class(state: State, value: int, row: Row) -> None:
    """`C.name = src`: on the class, for all its instances."""
    _, name, src, _ = row
    state.flow_weakly(src, state.fields.class_(state.variants.base(state.values.payloads[value]), name))


def store_on_function(state: State, value: int, row: Row) -> None:
    """`f.name = src`"""
    _, name, src, _ = row
    state.flow_weakly(src, state.fields.function(value, name))


def store_on_outside(state: State, value: int, row: Row) -> None:
    """`outside.name = src`: a patch of something that is not indexed, read off it as any other attribute."""
    _, name, src, _ = row
    if state.fields.is_stored_from_outside(name):  # not by a computed name
        state.flow_weakly(src, state.fields.outside(value, name))


def store_on_module(state: State, value: int, row: Row) -> None:
    """`module.name = src`: a monkey patch."""
    _, name, src, _ = row
    node = state.imports.name_node(state.values.payloads[value], name)
    state.imports.patched.add(node)
    state.flow_weakly(src, node)
