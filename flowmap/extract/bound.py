"""Which names a scope binds, and how often: read before its body is lowered, since Python's scoping looks ahead."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Bound:
    """The names a scope binds with the number of places that bind them, and those it takes from outside."""

    counts: Counter[str]
    outside: frozenset[str]  # declared `global` here
    enclosing: frozenset[str]  # declared `nonlocal` here


def bound_names(body: Iterable[ast.stmt], first: Iterable[str] = ()) -> Bound:
    """What the statements of one scope bind. `first` are its parameters, which no declaration takes away."""
    counts: Counter[str] = Counter(first)
    own = frozenset(counts)
    outside: set[str] = set()
    enclosing: set[str] = set()
    for statement in statements_of(body):
        if isinstance(statement, ast.Global):
            outside.update(statement.names)
        elif isinstance(statement, ast.Nonlocal):
            enclosing.update(statement.names)
        else:
            counts.update(names_bound_by(statement))
    for name in (outside | enclosing) - own:
        del counts[name]
    return Bound(counts, frozenset(outside - own), frozenset(enclosing - own))


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
    binder = BINDERS.get(type(statement))
    return binder(statement) if binder is not None else iter(())


def definition_name(statement: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[str]:
    yield statement.name


def imported_names(statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
    return (alias.asname or alias.name.split(".")[0] for alias in statement.names)


def names_in_targets(statement: ast.Assign | ast.Delete) -> Iterator[str]:
    return (name for target in statement.targets for name in names_in(target))


def names_in_target(statement: ast.AnnAssign | ast.AugAssign | ast.For | ast.AsyncFor) -> Iterator[str]:
    return names_in(statement.target)


def context_names(statement: ast.With | ast.AsyncWith) -> Iterator[str]:
    return (name for item in statement.items if item.optional_vars is not None for name in names_in(item.optional_vars))


def exception_names(statement: ast.Try | ast.TryStar) -> Iterator[str]:
    return (handler.name for handler in statement.handlers if handler.name)


def pattern_names(statement: ast.Match) -> Iterator[str]:
    return (name for part in statement.cases for name in names_in_pattern(part.pattern))


BINDERS: dict[type, Callable[[Any], Iterator[str]]] = {
    ast.FunctionDef: definition_name,
    ast.AsyncFunctionDef: definition_name,
    ast.ClassDef: definition_name,
    ast.Import: imported_names,
    ast.ImportFrom: imported_names,
    ast.Assign: names_in_targets,
    ast.Delete: names_in_targets,
    ast.AnnAssign: names_in_target,
    ast.AugAssign: names_in_target,
    ast.For: names_in_target,
    ast.AsyncFor: names_in_target,
    ast.With: context_names,
    ast.AsyncWith: context_names,
    ast.Try: exception_names,
    ast.TryStar: exception_names,
    ast.Match: pattern_names,
}
if hasattr(ast, "TypeAlias"):  # Python 3.12
    BINDERS[ast.TypeAlias] = lambda statement: names_in(statement.name)


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
