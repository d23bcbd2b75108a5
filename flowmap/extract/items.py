"""Items and slices: `base[key]`."""

from __future__ import annotations

import ast

from flowmap.extract.body import NOTHING, Body
from flowmap.extract.entries import read_entry
from flowmap.extract.keys import constant_key
from flowmap.extract.lower import lower, lower_all
from flowmap.model.facts import SLICE, Op, Row, SiteShape


def subscript(body: Body, node: ast.Subscript) -> int:
    return read_item(body, node)[0]


def read_item(body: Body, node: ast.Subscript) -> tuple[int, Row]:
    """`base[key]`: the node of what it gives, and (base, key, index, site)."""
    base = lower(body, node.value)
    index, key = item_key(body, node.slice)
    site = body.site_at(node, SiteShape.ITEM, ("", node.lineno), "")
    dst = body.node(node.lineno)
    known = read_entry(body, node)
    if known is None:
        body.emit(Op.GETITEM, dst, base, key, index, site)
    else:
        body.emit(Op.COPY, dst, known)
    return dst, (base, key, index, site)


def item_key(body: Body, node: ast.expr) -> tuple[int, object]:
    """The node of an index, and what is known of it as a key."""
    if not isinstance(node, ast.Slice):
        return lower(body, node), constant_key(node)
    first, last, _ = (NOTHING if part is None else lower(body, part) for part in (node.lower, node.upper, node.step))
    return NOTHING, (SLICE, slice_start(node), last or first)


def slice_start(node: ast.Slice) -> int | None:
    """Where a slice begins that goes forward, None where that is not known."""
    match node:
        case ast.Slice(step=None, lower=None):
            return 0
        case ast.Slice(step=None, lower=ast.Constant(value=int(start))):
            return start
        case _:
            return None


def slice_(body: Body, node: ast.Slice) -> int:
    lower_all(body, (part for part in (node.lower, node.upper, node.step) if part is not None))
    return NOTHING


def without_subscripts(node: ast.expr) -> ast.expr:
    """What is subscripted, however often."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node
