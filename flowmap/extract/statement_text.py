"""What a statement, or the head of a compound one, says: its text, its place, and what its test means for the ways behind it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from flowmap.extract.text import unparse
from flowmap.model.control import Point

QUIET = (ast.Constant, ast.Name, ast.Load, ast.Store, ast.expr_context)
SILENT = (ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal, ast.Try, ast.TryStar)
HeadNode = ast.stmt | ast.ExceptHandler | ast.match_case


@dataclass(frozen=True, slots=True)
class Head:
    """A statement without what stands below it. `holds` and `fails`: what is said of the ways behind a test."""

    text: str
    start: Point
    end: Point
    holds: str = ""
    fails: str = ""
    may_hold: bool = True
    may_fail: bool = True
    may_raise: bool = True
    is_silent: bool = False
    is_added: bool = False

    @staticmethod
    def added(text: str, node: ast.stmt) -> Head:
        """What the text has no statement for, told at the statement behind it."""
        start = (node.lineno, node.col_offset)
        return Head(text, start, start, may_raise=False, is_silent=True, is_added=True)


def head_of(node: HeadNode) -> Head:
    """The head of a statement, a handler or a case."""
    match node:
        case ast.If(test=test) | ast.While(test=test):
            return _test(node, "if" if isinstance(node, ast.If) else "while", test)
        case ast.Assert(test=test):
            head = _test(node, "assert", test)
            return Head(unparse(node), head.start, _end(node), head.holds, head.fails)
        case ast.ExceptHandler():
            return _handler(node)
        case ast.match_case():
            return _case(node)
        case _:
            return _plain(node)


def else_if(node: ast.If) -> ast.If | None:
    """The `elif` that follows, None for none: an `else:` with an `if` in it has that further right."""
    match node.orelse:
        case [ast.If() as inner] if inner.col_offset == node.col_offset:
            return inner
        case _:
            return None


def _plain(node: ast.stmt) -> Head:
    last, text = _last(node), _text(node)
    start = (node.lineno, node.col_offset)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.decorator_list:
        first = node.decorator_list[0]
        start = (first.lineno, first.col_offset)
    end = (start[0], start[1] + len(text)) if isinstance(node, ast.Try | ast.TryStar) else _end(last)
    return Head(text, start, end, may_raise=_may_raise(node), is_silent=_is_silent(node))


def _last(node: ast.stmt) -> ast.stmt | ast.expr:
    """The last part of a head; a whole statement where nothing stands below it, or what does runs elsewhere."""
    match node:
        case ast.For() | ast.AsyncFor():
            return node.iter
        case ast.With() | ast.AsyncWith():
            return node.items[-1].optional_vars or node.items[-1].context_expr
        case ast.Match():
            return node.subject
        case _:
            return node


def _text(node: ast.stmt) -> str:
    match node:
        case ast.For() | ast.AsyncFor():
            word = "async for" if isinstance(node, ast.AsyncFor) else "for"
            return f"{word} {unparse(node.target)} in {unparse(node.iter)}:"
        case ast.With() | ast.AsyncWith():
            word = "async with" if isinstance(node, ast.AsyncWith) else "with"
            return f"{word} {', '.join(map(unparse, node.items))}:"
        case ast.Match():
            return f"match {unparse(node.subject)}:"
        case ast.Try() | ast.TryStar():
            return "try:"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
            return f"{word} {node.name}({unparse(node.args)}):"
        case ast.ClassDef():
            bases = ", ".join(map(unparse, (*node.bases, *node.keywords)))
            return f"class {node.name}({bases}):" if bases else f"class {node.name}:"
        case ast.Expr(value=ast.Constant(value=str(text))):
            return f'"""{text.strip().partition(chr(10))[0]}"""'
        case _:
            return unparse(node)


def _test(node: ast.stmt, word: str, test: ast.expr) -> Head:
    text, known = unparse(test), isinstance(test, ast.Constant)
    holds = known and bool(test.value) if isinstance(test, ast.Constant) else True
    fails = not holds if known else True
    return Head(
        f"{word} {text}:",
        (node.lineno, node.col_offset),
        _end(test),
        text,
        f"not {text}" if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else negated(test),
        may_hold=holds,
        may_fail=fails,
        may_raise=_raises(test),
        is_silent=known,
    )


NEGATED: dict[type, ast.cmpop] = {
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
}


def negated(test: ast.expr) -> str:
    """The text of the opposite. An order is not turned round: of numbers that are none, and of arrays, neither holds."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return unparse(inner)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in NEGATED:
            return unparse(ast.Compare(left, [NEGATED[type(op)]], [right]))
        case _:
            return unparse(ast.UnaryOp(ast.Not(), test))


def _handler(node: ast.ExceptHandler) -> Head:
    start = (node.lineno, node.col_offset)
    if node.type is None:
        return Head("except:", start, (start[0], start[1] + 6), "any exception", may_fail=False, may_raise=False)
    text = unparse(node.type)
    named = f" as {node.name}" if node.name else ""
    everything = text == "BaseException"
    return Head(f"except {text}{named}:", start, _end(node.type), text, f"not {text}", True, not everything, _raises(node.type))


def _case(node: ast.match_case) -> Head:
    text = unparse(node.pattern)
    start, end = (node.pattern.lineno, node.pattern.col_offset), _end(node.guard or node.pattern)
    guard = f" if {unparse(node.guard)}" if node.guard else ""
    may_fail = node.guard is not None or not _takes_all(node.pattern)
    quiet = node.guard is None and _takes_all(node.pattern)
    return Head(f"case {text}{guard}:", start, end, f"case {text}{guard}", "other", True, may_fail, not quiet, quiet)


def _takes_all(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _takes_all(inner)
        case ast.MatchOr(patterns=patterns):
            return any(map(_takes_all, patterns))
        case _:
            return False


def _is_silent(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None, target=ast.Name()):
            return True
        case _:
            return isinstance(node, SILENT)


def _may_raise(node: ast.stmt) -> bool:
    """Whether anything is evaluated that can fail; names and constants are taken not to."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return any(map(_raises, (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults))))
        case ast.Assign(targets=targets, value=value):
            return _raises(value) or not all(isinstance(each, ast.Name) for each in targets)
        case ast.AnnAssign(target=ast.Name(), value=value):
            return value is not None and _raises(value)
        case ast.Return(value=value):
            return value is not None and _raises(value)
        case ast.Expr(value=value):
            return _raises(value)
        case _:
            return not _is_silent(node)


def _raises(node: ast.expr) -> bool:
    return any(not isinstance(each, QUIET) for each in ast.walk(node) if not isinstance(each, ast.expr_context))


def _end(node: ast.stmt | ast.expr | ast.pattern) -> Point:
    return (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
