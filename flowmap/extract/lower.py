"""How one kind of expression or statement leads to the next: by the tables that a file is lowered with."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from flowmap.extract.body import Body


def lower(body: Body, node: ast.expr) -> int:
    """The node that holds an expression's value."""
    return body.file.expressions[type(node)](body, node)


def lower_all(body: Body, nodes: Iterable[ast.expr]) -> None:
    """Reads expressions whose values go nowhere."""
    for node in nodes:
        lower(body, node)


def read_block(body: Body, statements: Sequence[ast.stmt]) -> None:
    """Lowers a block, in order."""
    kinds = body.file.statements
    body.early.append([])
    for number, statement in enumerate(statements, 1):
        kinds[type(statement)](body, statement)
        if body.cut is not None:
            body.file.skip(statements[number:], body.cut)
            break
    if body.early.pop():
        body.context = None


def guarded(body: Body, guard: str, statements: Sequence[ast.stmt]) -> None:
    """Lowers a block that a guard encloses."""
    if not statements:
        return
    body.push_guard(guard)
    read_block(body, statements)
    body.pop_guard()
