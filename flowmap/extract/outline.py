"""The finer extraction, on demand: outlines of the scopes of one file, for evaluating their tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from flowmap.extract.body import span
from flowmap.extract.bound import bound_names
from flowmap.extract.leave import always_leaves, leaving_tests
from flowmap.extract.parse import parse
from flowmap.extract.text import unparse
from flowmap.model.literals import Position
from flowmap.model.outline import (
    Attribute,
    Call,
    Compare,
    Comparison,
    Constant,
    Display,
    Every,
    Free,
    Given,
    Item,
    Not,
    Outline,
    Parameter,
    Select,
    Some,
    Stored,
    Tested,
    Tree,
    Unknown,
    Way,
)

UNKNOWN = Unknown()
NO_ONE = Constant(None)
ScopeNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.Module

COMPARISONS: dict[type, Comparison] = {
    ast.Eq: Comparison.SAME,
    ast.Is: Comparison.SAME,
    ast.NotEq: Comparison.DIFFERENT,
    ast.IsNot: Comparison.DIFFERENT,
    ast.Lt: Comparison.LESS,
    ast.LtE: Comparison.AT_MOST,
    ast.Gt: Comparison.MORE,
    ast.GtE: Comparison.AT_LEAST,
    ast.In: Comparison.IN,
    ast.NotIn: Comparison.NOT_IN,
}


class FileOutlines:
    """The scopes of one file by the place where they begin; the module is at (1, 0). Outlined when first asked for."""

    def __init__(self, text: bytes, path: str) -> None:
        tree = parse(text, path)
        self._module = tree if isinstance(tree, ast.Module) else ast.Module([], [])
        self._known: dict[tuple[int, int, bool], Outline] = {}

    @cached_property
    def _scopes(self) -> Mapping[tuple[int, int], ast.AST]:
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        return {(node.lineno, node.col_offset): node for node in ast.walk(self._module) if isinstance(node, kinds)}

    def module(self) -> Outline:
        """The outline of the module's own statements."""
        return self._outline((1, 0, True), self._module)

    def at(self, line: int, col: int) -> Outline | None:
        """The outline of the function, lambda or class that begins there; None where there is none."""
        node = self._scopes.get((line, col))
        return None if node is None else self._outline((line, col, False), node)

    def _outline(self, key: tuple[int, int, bool], node: Any) -> Outline:
        if key not in self._known:
            self._known[key] = outline(node)
        return self._known[key]


def outline(node: ScopeNode) -> Outline:
    """The outline of one scope."""
    names = parameter_names(node)
    statements = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
    bound = bound_names(statements, list(names)) if not isinstance(node, ast.Lambda) else None
    reader = _Reader(set(bound.counts) if bound else set(names), loose_names(node))
    reader.env.update((name, Parameter(name)) for name in names if name not in reader.loose)
    end = reader.block(statements)
    if not always_leaves(statements):
        reader.returned.append(Given(NO_ONE, end))
    return Outline(
        parameters=names,
        n_positional=n_positional(node),
        defaults=dict(defaults(node, reader)),
        tests=tuple(reader.tests),
        returned=tuple(reader.returned),
        stored=tuple(reader.stored),
        calls=reader.calls,
        reads=reader.reads,
        final=reader.env,
        is_plain=not isinstance(node, ast.AsyncFunctionDef) and not reader.yields,
    )


def parameter_names(node: ScopeNode) -> tuple[str, ...]:
    """The names of the parameters that take one argument each, positional ones first."""
    if isinstance(node, ast.Module | ast.ClassDef):
        return ()
    return tuple(one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))


def n_positional(node: ScopeNode) -> int:
    """How many of the parameters can be given by position."""
    return 0 if isinstance(node, ast.Module | ast.ClassDef) else len(node.args.posonlyargs) + len(node.args.args)


def defaults(node: ScopeNode, reader: _Reader) -> Iterator[tuple[str, Tree]]:
    """The defaults that are constants; the others are unknown."""
    if isinstance(node, ast.Module | ast.ClassDef):
        return
    positional = [*node.args.posonlyargs, *node.args.args]
    last = positional[len(positional) - len(node.args.defaults) :]
    given = [*zip(last, node.args.defaults, strict=True), *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
    for name, default in given:
        if default is not None:
            yield name.arg, reader.tree(default) if isinstance(default, ast.Constant) else UNKNOWN


def loose_names(node: ScopeNode) -> frozenset[str]:
    """Names that change where no assignment statement of the scope says so: by `:=`, `global`, `nonlocal`, `del`."""
    found: set[str] = set()
    for inner in ast.walk(node):
        match inner:
            case ast.NamedExpr(target=ast.Name(id=name)):
                found.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found.update(names)
            case ast.Delete(targets=targets):
                found.update(part.id for part in targets if isinstance(part, ast.Name))
            case _:
                pass
    return frozenset(found)


@dataclass(slots=True)
class _Reader:
    """A scope while it is read."""

    bound: set[str]
    loose: frozenset[str]
    env: dict[str, Tree] = field(default_factory=dict)
    way: Way = ()
    tests: list[Tested] = field(default_factory=list)
    returned: list[Given] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)
    calls: dict[Position, Given] = field(default_factory=dict)
    reads: dict[Position, Given] = field(default_factory=dict)
    seen: dict[ast.expr, Tree] = field(default_factory=dict)  # the trees of tests
    yields: bool = False

    # ------------------------------------------------------------ statements

    def block(self, statements: Sequence[ast.stmt]) -> Way:
        """Statements in order; what leaves early holds for those behind it, within the block. Gives the way to its end."""
        before = self.way
        for statement in statements:
            self.statement(statement)
        end, self.way = self.way, before
        return end

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign():
                self.assign(node.targets, node.value)
            case ast.AnnAssign(value=ast.expr() as value):
                self.assign([node.target], value)
            case ast.Return():
                self.returned.append(Given(NO_ONE if node.value is None else self.tree(node.value), self.way))
            case ast.If():
                self.if_(node)
            case ast.Match() | ast.Assert():
                self.narrowing(node)
            case ast.For() | ast.AsyncFor() | ast.While():
                self.loop(node)
            case ast.Try() | ast.TryStar():
                self.try_(node)
            case ast.With() | ast.AsyncWith():
                self.with_(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.env[node.name] = UNKNOWN
            case _:
                self.other(node)

    def other(self, node: ast.stmt) -> None:
        """Any other statement: its expressions are read, the names that it binds are no longer known."""
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.expr):
                self.tree(inner)
        self.forget([node])

    def narrowing(self, node: ast.Match | ast.Assert) -> None:
        """`match` and `assert`."""
        if isinstance(node, ast.Match):
            self.match_(node)
        else:
            self.asserted(node)

    def asserted(self, node: ast.Assert) -> None:
        """The message is made where the test fails. It is no condition of what stands behind it: asked of all that does, it would
        cost more than all else; where it is decided as false, the block ends there."""
        test, way = self.test(node.test), self.way
        if node.msg is not None:
            self.way = (*way, (test, False))
            self.tree(node.msg)
        self.way = way

    def match_(self, node: ast.Match) -> None:
        """`match`: a case that compares with values is a test; behind one without `if`, it did not hold."""
        subject, way = self.tree(node.subject), self.way
        self.forget([node])
        before, missed = dict(self.env), way
        for case in node.cases:
            self.env, self.way = dict(before), missed
            tree = self.pattern(case.pattern, subject)
            if tree is not None:
                self.tests.append(Tested(span(case.pattern), tree, f"case {unparse(case.pattern)}", missed))
                self.way = (*missed, (tree, True))
                missed = missed if case.guard is not None else (*missed, (tree, False))
            if case.guard is not None:
                self.way = (*self.way, (self.test(case.guard), True))
            self.block(case.body)
        self.env, self.way = before, way

    def pattern(self, node: ast.pattern, subject: Tree) -> Tree | None:
        """The test that a pattern of values is; None for any other pattern."""
        match node:
            case ast.MatchValue(value=value):
                return Compare(Comparison.SAME, subject, self.tree(value))
            case ast.MatchSingleton(value=value):
                return Compare(Comparison.SAME, subject, Constant(value))
            case ast.MatchOr(patterns=patterns):
                parts = [self.pattern(one, subject) for one in patterns]
                known = tuple(one for one in parts if one is not None)
                return Some(known) if len(known) == len(parts) else None
            case ast.MatchAs(pattern=ast.pattern() as inner):
                return self.pattern(inner, subject)
            case _:
                return None

    def assign(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        tree = self.tree(value)
        for target in targets:
            self.bind(target, tree)

    def bind(self, target: ast.expr, tree: Tree) -> None:
        """Gives one target its value; what is unpacked is not followed."""
        match target:
            case ast.Name(id=name):
                self.env[name] = UNKNOWN if name in self.loose else tree
            case ast.Attribute():
                self.tree(target.value)
                self.stored.append(Stored(target.attr, tree, span(target), self.way))
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                given = tree.parts if isinstance(tree, Display) and len(tree.parts) == len(parts) else (UNKNOWN,) * len(parts)
                for part, inner in zip(parts, given, strict=True):
                    self.bind(part, inner)
            case ast.Starred():
                self.bind(target.value, UNKNOWN)
            case _:
                self.tree(target)

    def if_(self, node: ast.If) -> None:
        test = self.test(node.test)
        before, way = dict(self.env), self.way
        ways: list[dict[str, Tree] | None] = []
        for statements, outcome in ((node.body, True), (node.orelse, False)):
            self.env, self.way = dict(before), (*way, (test, outcome))
            self.block(statements)
            ways.append(None if always_leaves(statements) else self.env)
        self.way = way
        self.env = meet(test, *ways) or before
        for left in leaving_tests(node):
            self.way = (*self.way, (self.seen[left], False))

    def loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        """A loop: the names that it binds are known neither inside nor behind it."""
        if not isinstance(node, ast.While):
            self.tree(node.iter)
        self.forget([node])
        way = self.way
        if isinstance(node, ast.While):
            self.way = (*way, (self.test(node.test), True))
        self.block(node.body)
        self.way = way
        self.forget([node])
        self.block(node.orelse)
        self.forget([node])

    def try_(self, node: ast.Try | ast.TryStar) -> None:
        """`try`: what its body binds is not known in the handlers, nor behind them where one of them goes on."""
        before = dict(self.env)
        self.block([*node.body, *node.orelse])
        after = self.env
        handled = all(always_leaves(handler.body) for handler in node.handlers)
        for handler in node.handlers:
            self.env = dict(before)
            self.forget([*node.body])
            if handler.name:
                self.env[handler.name] = UNKNOWN
            self.block(handler.body)
        self.env = after
        if not handled:
            self.forget([node])
        self.block(node.finalbody)

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.tree(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, UNKNOWN)
        self.block(node.body)

    def forget(self, statements: Sequence[ast.stmt]) -> None:
        """The names that statements bind are known no longer."""
        for name in bound_names(statements).counts:
            self.env[name] = UNKNOWN

    # ----------------------------------------------------------- expressions

    def test(self, node: ast.expr) -> Tree:
        """A test that decides what runs."""
        tree = self.tree(node)
        self.tests.append(Tested(span(node), tree, unparse(node), self.way))
        self.seen[node] = tree
        return tree

    def tree(self, node: ast.expr) -> Tree:
        """The tree of an expression."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return Constant(value)
            case ast.Name(id=name):
                return self.name(name)
            case ast.Attribute():
                return self.read(node)
            case ast.Call():
                return self.call(node)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return Display(tuple(self.tree(part) for part in parts))
            case ast.Subscript():
                return Item(self.tree(node.value), self.tree(node.slice), span(node))
            case _:
                return self.operation(node)

    def operation(self, node: ast.expr) -> Tree:
        """The tree of a test, or of a choice by one."""
        match node:
            case ast.BoolOp():
                return self.boolean(node)
            case ast.UnaryOp(op=ast.Not()):
                return Not(self.tree(node.operand))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return Constant(-number)
            case ast.Compare():
                return self.compare(node)
            case ast.IfExp():
                return self.ternary(node)
            case _:
                return self.opaque(node)

    def name(self, name: str) -> Tree:
        if name in self.env:
            return self.env[name]
        return UNKNOWN if name in self.bound or name in self.loose else Free(name)

    def opaque(self, node: ast.expr) -> Tree:
        """An expression that is not followed; calls inside it are, but for those in scopes of their own."""
        if isinstance(node, ast.Yield | ast.YieldFrom):
            self.yields = True
        if not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            for inner in ast.iter_child_nodes(node):
                if isinstance(inner, ast.expr):
                    self.tree(inner)
        return UNKNOWN

    def read(self, node: ast.Attribute) -> Tree:
        tree = Attribute(self.tree(node.value), node.attr, span(node))
        self.reads[tree.at] = Given(tree, self.way)
        return tree

    def call(self, node: ast.Call) -> Tree:
        callee = self.tree(node.func)
        is_spread = any(isinstance(part, ast.Starred) for part in node.args) or any(part.arg is None for part in node.keywords)
        arguments = tuple(self.tree(part) for part in node.args)
        keywords = tuple((part.arg or "", self.tree(part.value)) for part in node.keywords)
        tree = Call(callee, arguments, keywords, is_spread, span(node))
        self.calls[tree.at] = Given(tree, self.way)
        return tree

    def boolean(self, node: ast.BoolOp) -> Tree:
        """`and`, `or`: each part but the last is a test for those behind it."""
        goes_on = isinstance(node.op, ast.And)
        way = self.way
        parts: list[Tree] = []
        for part in node.values[:-1]:
            tree = self.test(part)
            parts.append(tree)
            self.way = (*self.way, (tree, goes_on))
        parts.append(self.tree(node.values[-1]))
        self.way = way
        return Every(tuple(parts)) if goes_on else Some(tuple(parts))

    def compare(self, node: ast.Compare) -> Tree:
        sides = [self.tree(part) for part in (node.left, *node.comparators)]
        pairs = zip(node.ops, sides, sides[1:], strict=False)
        parts = tuple(Compare(COMPARISONS[type(op)], left, right) for op, left, right in pairs)
        return parts[0] if len(parts) == 1 else Every(parts)

    def ternary(self, node: ast.IfExp) -> Tree:
        test = self.test(node.test)
        way = self.way
        self.way = (*way, (test, True))
        holds = self.tree(node.body)
        self.way = (*way, (test, False))
        fails = self.tree(node.orelse)
        self.way = way
        return Select(test, holds, fails)


def meet(test: Tree, holds: dict[str, Tree] | None, fails: dict[str, Tree] | None) -> dict[str, Tree]:
    """What names stand for behind an `if`; None is a way that does not arrive."""
    if holds is None or fails is None:
        return holds or fails or {}
    return {
        name: one if one is fails.get(name) else Select(test, one, fails.get(name, UNKNOWN))
        for name, one in (*holds.items(), *((name, UNKNOWN) for name in fails if name not in holds))
    }
