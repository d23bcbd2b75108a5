"""Assignment to every kind of target."""

from __future__ import annotations

import ast

from flowmap.extract.body import NOTHING, Body
from flowmap.extract.entries import note_entries, write_entry
from flowmap.extract.items import without_subscripts
from flowmap.extract.keys import constant_key
from flowmap.extract.lower import lower
from flowmap.extract.records import note_record
from flowmap.extract.text import dotted
from flowmap.model.facts import SLICE, Binding, Op, ScopeKind, SiteShape


def assign_expression(body: Body, targets: list[ast.expr], source: ast.expr) -> None:
    """`target = ... = source`. Displays on both sides are taken apart without making the tuple."""
    match targets, source:
        case [ast.Tuple(elts=parts) | ast.List(elts=parts)], ast.Tuple(elts=origins) | ast.List(elts=origins) if len(
            parts
        ) == len(origins) and not any_starred(parts, origins):
            nodes = [body.copy(lower(body, origin), origin.lineno) for origin in origins]  # all are read before any is stored
            for part, node, origin in zip(parts, nodes, origins, strict=True):
                assign(body, part, node, origin)
        case _:
            value = lower(body, source)
            for target in targets:
                assign(body, target, value, source)
                note_entries(body, target, source, entries_of(body, source))


def entries_of(body: Body, source: ast.expr) -> dict[str | int, int]:
    """The nodes of a display's entries by constant keys; none where some entry is not known."""
    if not isinstance(source, ast.Dict | ast.List) or not body.ops:
        return {}
    made = next((row for row in reversed(body.ops[-3:]) if row[0] == Op.DISPLAY and row[2] in ("dict", "list")), None)
    if made is None or any(not isinstance(key, str | int) for key, _ in made[3]):
        return {}
    return dict(made[3])


def assign(body: Body, target: ast.expr, value: int, source: ast.expr | None = None) -> None:
    """Stores a node's value in a target; `source` is the expression that it comes from, where there is one."""
    match target:
        case ast.Name():
            body.bind(target.id, value, target.lineno)
            note(body, target.id, source)
            if body.kind == ScopeKind.CLASS:
                body.site(target, SiteShape.DECLARE, target.id, "")
        case ast.Attribute():
            store_attribute(body, target, value, SiteShape.WRITE)
        case ast.Subscript():
            store_item(body, target, value)
        case ast.Tuple() | ast.List():
            unpack(body, target, value)
        case ast.Starred():
            assign(body, target.value, value)
        case _:
            lower(body, target)


def note(body: Body, name: str, source: ast.expr | None) -> None:
    """Tells `link` what text says of the binding: an alias of another name, or a value."""
    path = dotted(source) if source is not None else ""
    if path:
        body.note(name, Binding.ALIAS, path)
    elif source in body.file.made_classes:
        body.note(name, Binding.DEFINITION, body.file.made_classes[source])
    else:
        body.note_value(name)
        if source is not None:
            note_record(body, name, source)


def store_attribute(body: Body, target: ast.Attribute, value: int, shape: int) -> None:
    """`base.name = value`."""
    store_in(body, target, lower(body, target.value), (value, shape))


def store_in(body: Body, target: ast.Attribute, base: int, stored: tuple[int, int]) -> None:
    """The same, of a base that is read already; `stored` is the value and a SiteShape."""
    value, shape = stored
    path = dotted(target)
    site = body.site(target, shape, target.attr, path)
    if path:
        body.env.pop(path, None)
        body.forget_below(path)
    name = body.private(target.attr)
    body.note_field(base, name)
    body.emit(Op.SETATTR, base, name, value, site)


def store_item(body: Body, target: ast.Subscript, value: int) -> None:
    """`base[key] = value`."""
    body.expect(without_subscripts(target), SiteShape.MUTATE)
    base = lower(body, target.value)
    index = lower(body, target.slice)
    site = body.site_at(target, SiteShape.ITEM, ("", target.lineno), "")
    key = (SLICE, None, NOTHING) if isinstance(target.slice, ast.Slice) else constant_key(target.slice)
    body.emit(Op.SETITEM, base, key, value, site, index)
    store_in_fields(body, target, value)
    write_entry(body, target, value)


def store_in_fields(body: Body, target: ast.Subscript, value: int) -> None:
    """`x.__dict__["name"] = value` and `vars(x)["name"] = value` are assignments to a field, `globals()["name"] = value` to a
    name of the module."""
    match target:
        case ast.Subscript(value=fields, slice=ast.Constant(value=str(name))) if owner := owner_of_fields(fields):
            node = body.read(owner)
            body.note_field(node, name)
            body.emit(Op.SETATTR, node, name, value, -1)
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals"), args=[]), slice=ast.Constant(value=str(name))):
            body.emit(Op.COPY, body.file.global_node(name), value)


def owner_of_fields(fields: ast.expr) -> str:
    """The name of x in `x.__dict__` and `vars(x)`, "" for anything else."""
    match fields:
        case (
            ast.Attribute(value=ast.Name(id=name), attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id=name)])
        ):
            return name
        case _:
            return ""


def unpack(body: Body, target: ast.Tuple | ast.List, value: int) -> None:
    """`a, *rest, b = value`, element by element; behind the star positions count from the end."""
    parts = target.elts
    iterated = body.node(target.lineno)
    body.emit(Op.ELEMENT, iterated, value, body.site_at(target, SiteShape.ITERATION, ("__iter__", target.lineno), ""))
    star = next((index for index, part in enumerate(parts) if isinstance(part, ast.Starred)), len(parts))
    for index, part in enumerate(parts):
        dst = body.node(part.lineno)
        key: object = index if index < star else index - len(parts)
        if index == star:
            key = (SLICE, index, NOTHING)
        body.emit(Op.GETITEM, dst, value, key, NOTHING, -1)
        assign(body, part, dst)


def any_starred(*groups: list[ast.expr]) -> bool:
    """Whether some element is starred."""
    return any(isinstance(part, ast.Starred) for group in groups for part in group)
