"""Annotations as trees of nodes.

A tree is ("name", node) | ("item", tree, (tree ...)) | ("union", (tree ...)) | ("none",) | ("any",)
| ("call", tree of the result) | ("held", type name of a container, tree of its elements).
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
            body.emit(Op.ATTR, dst, base, body.private(node.attr), -1)
            return dst
        case _:
            return NOTHING


def subscripted(body: Body, node: ast.Subscript) -> Tree:
    """`Base[arguments]`."""
    if last_name(node.value) == "Callable":
        return returned(body, node.slice)
    base = annotation(body, node.value)
    if base == ANY or last_name(node.value) == "Literal":
        return ANY
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return ("item", base, tuple(annotation(body, part) for part in inner))


def last_name(node: ast.expr) -> str:
    """The last name of a chain."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def returned(body: Body, node: ast.expr) -> Tree:
    """`Callable[..., Result]`: what a call gives."""
    match node:
        case ast.Tuple(elts=[_, result]):
            tree = annotation(body, result)
            return ANY if tree in (ANY, ("none",)) else ("call", tree)
        case _:
            return ANY


def annotation_name(node: ast.expr) -> str:
    """The last name of an annotation, without what stands in its brackets."""
    match node:
        case ast.Subscript(value=value):
            return last_name(value)
        case ast.Constant(value=str(text)):
            return text.partition("[")[0].rpartition(".")[2].strip()
        case _:
            return last_name(node)


TYPE_MAKERS = frozenset(
    ("Union", "Optional", "List", "Dict", "Set", "Tuple", "Type", "Sequence", "Iterable", "Mapping", "Callable", "Annotated")
)


def alias_tree(body: Body, node: ast.expr) -> Tree:
    """What a name means that an expression is assigned to, where the expression can only be meant as a type; else ANY."""
    match node:
        case ast.Subscript(value=base) if last_name(base) in TYPE_MAKERS:
            return annotation(body, node)
        case ast.BinOp(op=ast.BitOr()) if all(
            isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.Constant) for part in parts_of(node)
        ):
            return annotation(body, node)
        case ast.Call(func=function, args=[_, base]) if last_name(function) == "NewType":
            return annotation(body, base)
        case ast.Call(func=function, args=[_, *constraints], keywords=keywords) if last_name(function) == "TypeVar":
            bounds = [*constraints, *(part.value for part in keywords if part.arg == "bound")]
            return ("union", tuple(annotation(body, part) for part in bounds)) if bounds else ANY
        case _:
            return ANY


def parts_of(node: ast.expr) -> list[ast.expr]:
    """The parts of `A | B | C`."""
    return [*parts_of(node.left), *parts_of(node.right)] if isinstance(node, ast.BinOp) else [node]
