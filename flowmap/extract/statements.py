"""Simple statements: assignments, deletions, and what ends a block."""

from __future__ import annotations

import ast
from typing import Any

from flowmap.extract.annotations import ANY, alias_tree, annotation, annotation_name
from flowmap.extract.assign import assign, assign_expression, store_attribute, store_in
from flowmap.extract.body import NOTHING, Body, span
from flowmap.extract.entries import forget_entries
from flowmap.extract.items import read_item, without_subscripts
from flowmap.extract.keys import constant_key
from flowmap.extract.lower import lower, lower_all
from flowmap.extract.narrow import Outcome, narrow
from flowmap.extract.operators import OPERATORS, lower_test, operator
from flowmap.extract.text import dotted, unparse
from flowmap.model.facts import RIGHT, Op, ScopeKind, SiteShape, Tree


def expression(body: Body, node: ast.Expr) -> None:
    lower(body, node.value)


def assignment(body: Body, node: ast.Assign) -> None:
    assign_expression(body, node.targets, node.value)
    name_tables(body, node)
    match node.targets:
        case [ast.Name(id=name)] if body.kind in (ScopeKind.MODULE, ScopeKind.CLASS):
            note_alias(body, name, alias_tree(body, node.value), node.lineno)


def note_alias(body: Body, name: str, tree: Tree, line: int) -> None:
    """A name that stands for a type."""
    if tree != ANY:
        alias = body.node(line, name)
        body.emit(Op.ALIAS, alias, tree)
        body.emit(Op.COPY, body.read(name), alias)


def name_tables(body: Body, node: ast.Assign) -> None:
    """Gives the table in a display the name that it is assigned to."""
    tables = body.file.tables
    if (
        tables
        and isinstance(node.value, ast.Dict | ast.List | ast.Tuple)
        and tables[-1][1:3] == (node.value.lineno, node.value.col_offset)
    ):
        name = dotted(node.targets[0]) or unparse(node.targets[0])
        tables[-1] = (*tables[-1][:3], name, *tables[-1][4:])


def annotated(body: Body, node: ast.AnnAssign) -> None:
    """`target: annotation = value`."""
    tree = annotation(body, node.annotation)
    value = lower(body, node.value) if node.value is not None else NOTHING
    match node.target:
        case ast.Name(id=name) if body.kind == ScopeKind.CLASS:
            body.declared[name] = tree
            note_generated(body, name, node)
            body.site_at(node, SiteShape.DECLARE, (name, node.lineno), "")
            if node.value is not None:
                body.bind(name, value, node.lineno)
                body.note_value(name)
        case ast.Name(id=name):
            declare_local(body, name, (tree, value), node)
            if annotation_name(node.annotation) == "TypeAlias" and node.value is not None:
                note_alias(body, name, annotation(body, node.value), node.lineno)
        case ast.Attribute():
            shape = SiteShape.DECLARE if node.value is None else SiteShape.WRITE
            declare_field(body, node.target, tree, (value, shape))
        case _ if node.value is not None:
            assign(body, node.target, value)
        case ast.Subscript(value=base, slice=index):  # nothing is stored, yet what it would be stored in is looked for
            lower_all(body, (base, index))


def note_generated(body: Body, name: str, node: ast.AnnAssign) -> None:
    """Whether a generated `__init__` takes a declared field, or takes it for `__post_init__` alone."""
    kind = annotation_name(node.annotation)
    if kind == "InitVar":
        body.init_only.append(name)
    match node.value:
        case ast.Call(keywords=keywords):
            given = {part.arg: part.value for part in keywords}
            left_out = isinstance(given.get("init"), ast.Constant) and not given["init"].value  # type: ignore[attr-defined]
        case _:
            left_out = False
    if kind == "ClassVar" or left_out:
        body.not_given.append(name)


def declare_local(body: Body, name: str, declared: tuple[Tree, int], node: ast.AnnAssign) -> None:
    """An annotated variable; without a value the annotation narrows what it stands for."""
    tree, value = declared
    if node.value is None:
        if tree == ANY or (name not in body.env and name not in body.names):
            return
        value = body.read(name)
        if not body.bound.counts[name] > 1 and name not in body.env:
            return
    if tree != ANY:
        outward = body.node(node.lineno, name)
        body.emit(Op.ANNOTATE, value, outward, tree)
        value = outward
    body.bind(name, value, node.lineno)
    body.note_value(name)


def declare_field(body: Body, target: ast.Attribute, tree: Tree, stored: tuple[int, int]) -> None:
    """`self.field: annotation = value`; `stored` is the value and a SiteShape."""
    value, shape = stored
    if tree != ANY:
        outward = body.node(target.lineno, dotted(target))
        body.emit(Op.ANNOTATE, value, outward, tree)
        value = outward
    if value != NOTHING:
        store_attribute(body, target, value, shape)
    else:
        body.note_field(lower(body, target.value), body.private(target.attr))


def augmented(body: Body, node: ast.AugAssign) -> None:
    """`target op= value`: the old value stays (in place) and what the operator gives joins it."""
    special = OPERATORS[type(node.op)]
    names = (f"__i{special}__", f"__{special}__", RIGHT, f"__r{special}__")
    match node.target:
        case ast.Name(id=name):
            old = body.read(name)
        case ast.Attribute():
            base = lower(body, node.target.value)
            old = body.node(node.lineno)
            body.emit(Op.ATTR, old, base, body.private(node.target.attr), -1)
        case ast.Subscript() as item:
            body.expect(without_subscripts(item), SiteShape.MUTATE)
            old, stored = read_item(body, item)
    right = lower(body, node.value)
    result = operator(body, node, names, (old, right))
    new = body.copy(result, node.lineno)
    body.emit(Op.COPY, new, old)
    match node.target:
        case ast.Name(id=name):
            body.bind(name, new, node.lineno)
            body.note_value(name)
        case ast.Attribute():
            store_in(body, node.target, base, (new, SiteShape.AUGWRITE))
        case ast.Subscript() as item:
            body.emit(Op.SETITEM, stored[0], constant_key(item.slice), new, stored[3], stored[2])
            forget_entries(body)


def delete(body: Body, node: ast.Delete) -> None:
    for target in node.targets:
        match target:
            case ast.Name(id=name):
                body.unbind(name)
            case ast.Attribute():
                base = lower(body, target.value)
                site = body.site(target, SiteShape.DELETE, target.attr, dotted(target))
                body.emit(Op.DELATTR, base, body.private(target.attr), site)
                body.env.pop(dotted(target), None)
            case ast.Subscript():
                body.expect(without_subscripts(target), SiteShape.MUTATE)
                sides = lower(body, target.value), lower(body, target.slice)
                operator(body, target, ("__delitem__",), sides)
                forget_entries(body)
            case _:
                pass


def return_(body: Body, node: ast.Return) -> None:
    if node.value is not None:
        value = lower(body, node.value)
        if body.result >= 0 and value != NOTHING:
            via = body.copy(value, node.lineno)
            body.emit(Op.COPY, body.result, via)
    body.dead = True


def raise_(body: Body, node: ast.Raise) -> None:
    made = NOTHING if node.exc is None else lower(body, node.exc)
    if node.cause is not None:
        lower(body, node.cause)
    if isinstance(node.exc, ast.Call):
        for raised in body.raised:
            raised.append(made)
    body.dead = True


def assert_(body: Body, node: ast.Assert) -> None:
    lower_test(body, node.test)
    outcome = body.file.outcome_of(node.test)
    if node.msg is not None and outcome is Outcome.HOLDS.value:
        body.file.skip([node.msg], span(node.test))
    elif node.msg is not None:
        lower(body, node.msg)
    narrow(body, node.test, Outcome.HOLDS)
    if outcome is Outcome.FAILS.value:
        body.dead, body.cut = True, span(node.test)


def pass_(_body: Body, _node: ast.Pass | ast.Global | ast.Nonlocal) -> None:
    """Nothing happens; `global` and `nonlocal` were read before."""


def break_(body: Body, _node: ast.Break) -> None:
    if body.loops:
        body.loops[-1].breaks.append(dict(body.env))
    body.dead = True


def continue_(body: Body, _node: ast.Continue) -> None:
    if body.loops:
        body.loops[-1].continues.append(dict(body.env))
    body.dead = True


def type_alias(body: Body, node: Any) -> None:
    """`type Name = annotation` (`ast.TypeAlias`, 3.12): the name stands for what the annotation names."""
    assign(body, node.name, lower(body, node.value))
    note_alias(body, node.name.id, annotation(body, node.value), node.lineno)
