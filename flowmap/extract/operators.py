"""Operators and comparisons: the special methods that each tries."""

from __future__ import annotations

import ast

from flowmap.extract.body import NOTHING, Body
from flowmap.extract.formatted import formatted_parts
from flowmap.extract.lower import lower
from flowmap.extract.strings import Part, emit_filled_in, emit_text
from flowmap.model.facts import RIGHT, Op, SiteShape

OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.BitAnd: "and",
}


COMPARISONS: dict[type, tuple[str, ...]] = {
    ast.Eq: ("__eq__", RIGHT, "__eq__"),
    ast.NotEq: ("__ne__", "__eq__", RIGHT, "__ne__", "__eq__"),
    ast.Lt: ("__lt__", RIGHT, "__gt__"),
    ast.LtE: ("__le__", RIGHT, "__ge__"),
    ast.Gt: ("__gt__", RIGHT, "__lt__"),
    ast.GtE: ("__ge__", RIGHT, "__le__"),
}


UNARY: dict[type, str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}


def binary(body: Body, node: ast.BinOp) -> int:
    if isinstance(node.op, ast.Add):
        return sum_(body, node)
    dst = operation(body, node, lower(body, node.left), lower(body, node.right))
    emit_filled_in(body, node, dst)
    return dst


def operation(body: Body, node: ast.BinOp, left: int, right: int) -> int:
    """A row for a binary operator."""
    special = OPERATORS[type(node.op)]
    return operator(body, node, (f"__{special}__", RIGHT, f"__r{special}__"), (left, right))


def sum_(body: Body, node: ast.BinOp) -> int:
    """`a + b`; one with constant texts among its parts is a text, which may name something."""
    dst, parts = summed(body, node)
    if dst != NOTHING and any(isinstance(part, str) for part in parts):
        emit_text(body, dst, parts)
    return dst


def summed(body: Body, node: ast.expr) -> tuple[int, list[Part]]:
    """The node of a sum, and its parts from left to right."""
    match node:
        case ast.BinOp(op=ast.Add()):
            left, first = summed(body, node.left)
            right, second = summed(body, node.right)
            return operation(body, node, left, right), first + second
        case ast.Constant(value=str(text)):
            return lower(body, node), [text]
        case ast.JoinedStr():
            return formatted_parts(body, node)
        case _:
            found = lower(body, node)
            return found, [found]


def operator(body: Body, node: ast.expr | ast.AugAssign, names: tuple[str, ...], sides: tuple[int, int]) -> int:
    """A row for an operator: the left side's special method, then the right side's reflected one."""
    if sides == (NOTHING, NOTHING):
        return NOTHING
    site = body.site_at(node, SiteShape.OPERATOR, (names[0], node.lineno), "")
    dst = body.node(node.lineno)
    body.emit(Op.OPERATOR, dst, names, *sides, site)
    return dst


def unary(body: Body, node: ast.UnaryOp) -> int:
    special = UNARY.get(type(node.op))
    operand = lower(body, node.operand) if special is not None else lower_test(body, node.operand)
    if special is None:
        return body.file.literal("bool")
    return operator(body, node, (special,), (operand, NOTHING))


def compare(body: Body, node: ast.Compare) -> int:
    left = lower(body, node.left)
    for kind, part in zip(node.ops, node.comparators, strict=True):
        right = lower(body, part)
        special = COMPARISONS.get(type(kind))
        if special is not None:
            operator(body, node, special, (left, right))
        elif isinstance(kind, ast.In | ast.NotIn):
            operator(body, node, ("__contains__", "__iter__", "__getitem__"), (right, left))
        left = right
    return body.file.literal("bool")


def lower_test(body: Body, node: ast.expr) -> int:
    """An expression whose truth is asked: a name, attribute, call or item may have its own."""
    value = lower(body, node)
    asked = node.values[-1] if isinstance(node, ast.BoolOp) else node
    if isinstance(asked, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.NamedExpr) and value != NOTHING:
        site = body.site_at(asked, SiteShape.OPERATOR, ("__bool__", asked.lineno), "")
        body.emit(Op.OPERATOR, NOTHING, ("__bool__", "__len__"), value, NOTHING, site)
    return value
