"""What a module's `__all__` says that `from module import *` brings."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from flowmap.extract.bound import statements_of
from flowmap.model.facts import Binding, Row


def exports(statements: Iterable[ast.stmt]) -> Row | None:
    """The binding of `__all__` as names, with the statements that add to it; None where there is none."""
    given = [part for statement in statements_of(statements) if (part := added(statement)) is not None]
    if not given:
        return None
    names = [listed(part) for part in given]
    known = tuple(dict.fromkeys(name for part in names for name in part or ()))
    return (Binding.EXPORTS, known, all(part is not None for part in names))


def added(statement: ast.stmt) -> ast.expr | None:
    """What a statement gives to `__all__`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
            return value
        case (
            ast.AnnAssign(target=ast.Name(id="__all__"), value=value) | ast.AugAssign(target=ast.Name(id="__all__"), value=value)
        ):
            return value
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"), attr="extend"), args=[value])):
            return value
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"), attr="append"), args=[value])):
            return ast.List(elts=[value])
        case _:
            return None


def listed(node: ast.expr) -> tuple[str, ...] | None:
    """The names in a list or a sum of lists; None where a part is not written out."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            names = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            return tuple(names) if len(names) == len(parts) else None
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = listed(left), listed(right)
            return None if first is None or second is None else (*first, *second)
        case _:
            return None
