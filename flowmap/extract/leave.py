"""Whether a block always leaves the one around it, and what must hold after it: the early-exit guards."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def always_leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether control never reaches the end of these statements."""
    return any(leaves(statement) for statement in body)


def leaves(statement: ast.stmt) -> bool:
    """Whether control never passes this statement."""
    match statement:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.If():
            return always_leaves(statement.body) and always_leaves(statement.orelse)
        case ast.With() | ast.AsyncWith():
            return always_leaves(statement.body)
        case ast.Try() | ast.TryStar():
            return try_leaves(statement)
        case _:
            return False


def try_leaves(statement: ast.Try | ast.TryStar) -> bool:
    """Whether the body and every handler leave, or the `finally` does."""
    if always_leaves(statement.finalbody):
        return True
    body = always_leaves(statement.body) or always_leaves(statement.orelse)
    return body and all(always_leaves(handler.body) for handler in statement.handlers)


def leaving_tests(statement: ast.If) -> Iterator[ast.expr]:
    """The tests of an `if` chain that cannot hold after it, since their blocks leave; in order, up to the first that stays."""
    chain: ast.If | None = statement
    while chain is not None and always_leaves(chain.body):
        yield chain.test
        following = chain.orelse
        chain = following[0] if len(following) == 1 and isinstance(following[0], ast.If) else None
