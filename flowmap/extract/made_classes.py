"""`type("Name", (Base,), {"method": function})`: a class that a call makes, read as a `class` statement is."""

from __future__ import annotations

import ast

from flowmap.extract.annotations import last_name
from flowmap.extract.body import Body
from flowmap.extract.calls import call
from flowmap.extract.functions import base_path, inner_qualname
from flowmap.extract.records import record_path
from flowmap.model.facts import Binding, Op, Row, Scope, ScopeKind

NAMELESS = "<class>"  # stands for a name that is computed


def call_or_class(body: Body, node: ast.Call) -> int:
    """A call; one that makes a class gives that class."""
    dst = call(body, node)
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[name, ast.Tuple(elts=bases), _], keywords=[]) if is_builtin(body, "type"):
            made = make_class(body, node, (class_name(name), bases))
            body.emit(Op.COPY, dst, made)
    return dst


def is_builtin(body: Body, name: str) -> bool:
    """Whether a name is bound nowhere around."""
    around: Body | None = body
    while around is not None:
        if name in around.names:
            return False
        around = around.around
    return True


def class_name(node: ast.expr) -> str:
    """The name that the first argument gives."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else NAMELESS


def make_class(body: Body, node: ast.Call, said: tuple[str, list[ast.expr]]) -> int:
    """The node of a new class; `said` are its name and its bases."""
    name, parts = said
    *_, arguments, _, site = next(row for row in reversed(body.ops) if row[0] == Op.CALL)
    nodes = [item for _, item in items_of(body, arguments[1])]
    members = [(key, item) for key, item in items_of(body, arguments[2]) if isinstance(key, str)]
    file = body.file
    scope = file.open_scope()
    first_node = len(file.node_lines)
    made = body.node(node.lineno, name)
    names = {key: body.node(node.lineno, key) for key, _ in members}
    for key, item in members:
        body.emit(Op.COPY, names[key], item)
    body.emit(Op.CLASS, made, scope)
    body.holds_definition()
    body.emit(Op.CREATE, made, (), site)
    file.scopes[scope] = Scope(
        kind=ScopeKind.CLASS,
        flags=0,
        name=name,
        qualname=inner_qualname(body, name) if name == NAMELESS else name,
        line=node.lineno,
        col=node.col_offset,
        end_line=node.end_lineno or node.lineno,
        parent=body.scope,
        first_node=first_node,
        end_node=len(file.node_lines),
        node=made,
        signature=f"({', '.join(last_name(part) for part in parts)})",
        decorators=(),
        doc="",
        params=(),
        result=-1,
        yields=-1,
        bases=tuple((record_path(body, part) or base_path(part), item) for part, item in zip(parts, nodes, strict=False)),
        names=names,
        bindings=dict.fromkeys(names, ((Binding.VALUE,),)),
        declared={},
        assigned=(),
        metaclass="",
    )
    file.made_classes[node] = scope
    return made


def items_of(body: Body, node: int) -> tuple[Row, ...]:
    """The keys and nodes of what a display or a call of `dict` at a node holds."""
    for row in reversed(body.ops):
        if row[1] == node and row[0] == Op.DISPLAY and row[2] != "keys":
            return tuple(row[3])
        if row[1] == node and row[0] == Op.CALL:
            return tuple(row[4])
    return ()
