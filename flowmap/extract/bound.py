"""Which names a scope binds, and how often: read before its body is lowered, since Python's scoping looks ahead."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bound:
    """The names a scope binds with the number of places that bind them, and those it takes from outside."""

    counts: Counter[str]
    outside: frozenset[str]  # declared `global` here
    enclosing: frozenset[str]  # declared `nonlocal` here


def bound_names(body: Iterable[ast.stmt], first: Iterable[str] = ()) -> Bound:
    """What the statements of one scope bind. `first` are its parameters."""
    counts: Counter[str] = Counter(first)
    outside: set[str] = set()
    enclosing: set[str] = set()
    for statement in statements_of(body):
        if isinstance(statement, ast.Global):
            outside.update(statement.names)
        elif isinstance(statement, ast.Nonlocal):
            enclosing.update(statement.names)
        else:
            counts.update(names_bound_by(statement))
    for name in outside | enclosing:
        del counts[name]
    return Bound(counts, frozenset(outside), frozenset(enclosing))


def statements_of(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a scope, nested blocks included, nested scopes not."""
    stack: list[ast.stmt] = list(body)
    while stack:
        statement = stack.pop()
        yield statement
        if type(statement) in BLOCKS:
            stack.extend(inner_statements(statement))


BLOCKS = frozenset({ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match})


def inner_statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements in the blocks of one compound statement."""
    for field in ("body", "orelse", "finalbody"):
        yield from getattr(statement, field, ())
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield from part.body


def names_bound_by(statement: ast.stmt) -> Iterator[str]:
    """The names that one statement binds itself, its inner blocks apart."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield statement.name
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name.split(".")[0] for alias in statement.names)
        case ast.Assign() | ast.Delete():
            for target in statement.targets:
                yield from names_in(target)
        case ast.AnnAssign() if statement.value is None:
            if isinstance(statement.target, ast.Name):
                yield from (statement.target.id,)
        case ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.AsyncFor():
            yield from names_in(statement.target)
        case ast.With() | ast.AsyncWith():
            for item in statement.items:
                if item.optional_vars is not None:
                    yield from names_in(item.optional_vars)
        case ast.Try() | ast.TryStar():
            yield from (handler.name for handler in statement.handlers if handler.name)
        case ast.Match():
            for part in statement.cases:
                yield from names_in_pattern(part.pattern)
        case _:
            pass
    if TYPE_ALIAS and isinstance(statement, TYPE_ALIAS):
        yield from names_in(statement.name)


TYPE_ALIAS: type | None = getattr(ast, "TypeAlias", None)


def names_in(target: ast.expr) -> Iterator[str]:
    """The names in an assignment target."""
    match target:
        case ast.Name():
            yield target.id
        case ast.Tuple() | ast.List():
            for element in target.elts:
                yield from names_in(element)
        case ast.Starred():
            yield from names_in(target.value)
        case _:
            pass


def names_in_pattern(pattern: ast.pattern) -> Iterator[str]:
    """The names that a match pattern binds."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest


def walrus_names(body: Iterable[ast.AST]) -> Iterator[str]:
    """The names bound by `:=` in these nodes, nested functions apart."""
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.NamedExpr):
            yield node.target.id
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(node))


def declared_outside(tree: ast.Module) -> tuple[frozenset[str], frozenset[str]]:
    """All names that some function of the file declares `global`, and all that one declares `nonlocal`."""
    outside: set[str] = set()
    enclosing: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            outside.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            enclosing.update(node.names)
    return frozenset(outside), frozenset(enclosing)
