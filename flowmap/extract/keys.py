"""Keys that stand in the text."""

from __future__ import annotations

import ast


def constant_key(node: ast.expr) -> str | int | None:
    """A key that is a string or a number, else None. An enum member or a class in a key is known by its node alone."""
    match node:
        case ast.Constant(value=str(key)) | ast.Constant(value=int(key)) if not isinstance(key, bool):
            return key
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(key))):
            return -key
        case _:
            return None
