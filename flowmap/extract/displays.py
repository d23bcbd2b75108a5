"""Displays and comprehensions: the containers that the text makes, and the tables among them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flowmap.extract.body import NOTHING, Body
from flowmap.extract.keys import constant_key
from flowmap.extract.lower import lower
from flowmap.extract.narrow import Outcome, narrow
from flowmap.extract.operators import lower_test
from flowmap.model.facts import KEYED, PAIRS, STAR_KEY, Op, SiteShape

ItemKey = str | int | tuple[str, int] | None


Items = Sequence[tuple[ItemKey, int]]


LONGEST_KEYED = 64  # elements of a longer display are told apart no longer


def display(body: Body, node: ast.List | ast.Tuple | ast.Set) -> int:
    type_name = type(node).__name__.lower()
    items = tuple(display_item(body, part, index) for index, part in enumerate(node.elts))
    dst = body.node(node.lineno)
    body.emit(Op.DISPLAY, dst, type_name, keyed(items))
    note_pairs(body, node, items, dst)
    return dst


def display_item(body: Body, node: ast.expr, index: int) -> tuple[ItemKey, int]:
    if isinstance(node, ast.Starred):
        value = lower(body, node.value)
        return (STAR_KEY, body.site_at(node.value, SiteShape.ITERATION, ("__iter__", node.lineno), "")), value
    return index, lower(body, node)


def keyed(items: tuple[tuple[ItemKey, int], ...]) -> tuple[tuple[ItemKey, int], ...]:
    """Items with their positions, as far as positions are known: none after a star."""
    rows: list[tuple[ItemKey, int]] = []
    known = len(items) <= LONGEST_KEYED
    for key, node in items:
        is_star = isinstance(key, tuple)
        known = known and not is_star
        rows.append((key if known or is_star else None, node))
    return tuple(rows)


def dict_(body: Body, node: ast.Dict) -> int:
    items: list[tuple[ItemKey, int]] = []
    keys: list[tuple[str, int]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            spread = lower(body, value)
            items.append(((STAR_KEY, body.site_at(value, SiteShape.ITERATION, ("keys", value.lineno), "")), spread))
            continue
        key_node = lower(body, key)
        value_node = lower(body, value)
        items.append((constant_key(key), value_node))
        keys.append(("", key_node))
    dst = body.node(node.lineno)
    last = {key: index for index, (key, _) in enumerate(items)}
    body.emit(Op.DISPLAY, dst, "dict", tuple(row for index, row in enumerate(items) if row[0] is None or last[row[0]] == index))
    body.emit(Op.DISPLAY, dst, "keys", tuple((None, key_node) for _, key_node in keys))
    note_table(body, node, items, dst)
    return dst


def note_pairs(body: Body, node: ast.List | ast.Tuple | ast.Set, items: Items, dst: int) -> None:
    """Keeps a display of pairs of names: a table, written as a list. The node of a row is that of its pair."""
    pairs = [part for part in node.elts if isinstance(part, ast.Tuple) and is_named_pair(part)]
    if pairs and len(pairs) == len(node.elts):
        rows = tuple(
            (body.file.text.of(part.elts[0]), item[1], part.lineno, part.col_offset, part.elts[1].lineno)
            for part, item in zip(pairs, items, strict=True)
        )
        body.file.tables.append((body.scope, node.lineno, node.col_offset, "", dst, PAIRS, rows))


def is_named_pair(node: ast.Tuple) -> bool:
    """`(name, name)`"""
    match node.elts:
        case [ast.Name() | ast.Attribute(), ast.Name() | ast.Attribute() | ast.Lambda()]:
            return True
        case _:
            return False


def note_table(body: Body, node: ast.Dict, items: Items, dst: int) -> None:
    """Keeps a dict display that maps keys to names, for those who read tables."""
    pairs = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if k is not None]
    if pairs and all(isinstance(value, ast.Name | ast.Attribute | ast.Lambda) for _, value in pairs):
        rows = tuple(
            (body.file.text.of(key), item[1], key.lineno, key.col_offset, value.lineno)
            for (key, value), item in zip(pairs, items, strict=False)
        )
        body.file.tables.append((body.scope, node.lineno, node.col_offset, "", dst, KEYED, rows))


def comprehension(body: Body, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> int:
    saved = dict(body.env)
    guards = 0
    for part in node.generators:
        source = lower(body, part.iter)
        site = body.site_at(part.iter, SiteShape.ITERATION, ("__iter__", part.iter.lineno), "")
        element = body.node(part.iter.lineno)
        body.emit(Op.ELEMENT, element, source, site)
        bind_inside(body, part.target, element)
        for test in part.ifs:
            lower_test(body, test)
            body.push_expr_guard(body.file.text.of(test))
            narrow(body, test, Outcome.HOLDS)
            guards += 1
    dst = collected(body, node)
    body.pop_expr_guards(guards)
    body.env = saved
    return dst


def collected(body: Body, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> int:
    """The container that a comprehension makes."""
    if isinstance(node, ast.DictComp):
        key, value = lower(body, node.key), lower(body, node.value)
        dst = body.node(node.lineno)
        body.emit(Op.DISPLAY, dst, "dict", ((None, value),))
        body.emit(Op.DISPLAY, dst, "keys", ((None, key),))
        return dst
    element = lower(body, node.elt)
    dst = body.node(node.lineno)
    body.emit(Op.DISPLAY, dst, COLLECTED[type(node)], ((None, element),))
    return dst


COLLECTED: dict[type, str] = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}


def bind_inside(body: Body, target: ast.expr, value: int) -> None:
    """Binds the variables of a comprehension, which live in it alone."""
    match target:
        case ast.Name():
            body.forget_below(target.id)
            body.env[target.id] = value
        case ast.Tuple() | ast.List():
            for index, part in enumerate(target.elts):
                inner = part.value if isinstance(part, ast.Starred) else part
                dst = body.node(target.lineno)
                body.emit(Op.GETITEM, dst, value, None if isinstance(part, ast.Starred) else index, NOTHING, -1)
                bind_inside(body, inner, dst)
        case _:
            lower(body, target)
