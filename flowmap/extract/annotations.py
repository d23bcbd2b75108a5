"""Annotations as trees of nodes.

A tree is ("name", node) | ("item", tree, (tree ...)) | ("union", (tree ...)) | ("none",) | ("any",).
"""

from __future__ import annotations

import ast

from flowmap.extract.body import NOTHING, Body
from flowmap.extract.parse import parse_quietly
from flowmap.model.facts import Op, Tree

ANY: Tree = ("any",)


def annotation(body: Body, node: ast.expr | None) -> Tree:
    """The tree of an annotation; text in quotes is read as Python. What says nothing is ANY."""
    match node:
        case ast.Constant(value=None):
            return ("none",)
        case ast.Constant(value=str(text)):
            return annotation(body, quoted(text, node))
        case ast.Name() | ast.Attribute():
            return named(body, node)
        case ast.BinOp(op=ast.BitOr()):
            return ("union", (annotation(body, node.left), annotation(body, node.right)))
        case ast.Subscript():
            return subscripted(body, node)
        case _:
            return ANY


def quoted(text: str, at: ast.expr) -> ast.expr | None:
    """The expression in a quoted annotation, None when it is none."""
    try:
        found = parse_quietly(text.strip(), "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    assert isinstance(found, ast.Expression), "`eval` gives expressions"
    for inner in ast.walk(found):
        if isinstance(inner, ast.expr):
            inner.lineno = inner.end_lineno = at.lineno
            inner.col_offset = inner.end_col_offset = at.col_offset
    return found.body


def named(body: Body, node: ast.expr) -> Tree:
    """A class by name, or by a chain of names."""
    found = name_node(body, node)
    return ANY if found == NOTHING else ("name", found)


def name_node(body: Body, node: ast.expr) -> int:
    """The node of a name in an annotation. No site: nothing runs there."""
    match node:
        case ast.Name():
            return body.read(node.id)
        case ast.Attribute():
            base = name_node(body, node.value)
            if base == NOTHING:
                return NOTHING
            dst = body.node(node.lineno)
            body.emit(Op.ATTR, dst, base, node.attr, -1)
            return dst
        case _:
            return NOTHING


def subscripted(body: Body, node: ast.Subscript) -> Tree:
    """`Base[arguments]`."""
    base = annotation(body, node.value)
    if base == ANY or last_name(node.value) in ("Literal", "Callable"):
        return ANY
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return ("item", base, tuple(annotation(body, part) for part in inner))


def last_name(node: ast.expr) -> str:
    """The last name of a chain."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
