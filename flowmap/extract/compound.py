"""Statements that hold blocks: branches, loops, `with` and `match`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import reduce

from flowmap.extract.assign import assign
from flowmap.extract.body import Body, Env, Loop, span
from flowmap.extract.bound import bound_names
from flowmap.extract.entries import forget_entries
from flowmap.extract.leave import leaving_tests
from flowmap.extract.lower import guarded, lower
from flowmap.extract.narrow import Outcome, narrow
from flowmap.extract.operators import lower_test
from flowmap.extract.patterns import narrow_by_failure, narrow_by_pattern, pattern
from flowmap.extract.text import dotted, unparse
from flowmap.model.facts import Op, SiteShape
from flowmap.model.literals import Position


def if_(body: Body, node: ast.If) -> None:
    if is_main_guard(node):
        body.file.main_guard = True
    lower_test(body, node.test)
    text = body.file.text.of(node.test)
    before = body.env
    ways: list[Env | None] = []
    certain: Position | None = None
    for statements, guard, outcome in ((node.body, text, Outcome.HOLDS), (node.orelse, f"not ({text})", Outcome.FAILS)):
        if body.file.outcome_of(node.test) is outcome.opposite.value:
            ways.append(None)
            certain = span(node.test)
            body.file.skip(statements, certain)
            continue
        body.env, body.dead = dict(before), False
        narrow(body, node.test, outcome)
        guarded(body, f"if {guard}" if outcome is Outcome.HOLDS else guard, statements)
        ways.append(None if body.dead else body.env)
    body.dead = ways[0] is None and ways[1] is None
    body.cut = certain if body.dead else None
    body.env = before if body.dead else body.merge(ways[0], ways[1], node.end_lineno or node.lineno)
    left = [f"not ({body.file.text.of(test)})" for test in leaving_tests(node)]
    if left:
        body.leave_early(left)


def is_main_guard(node: ast.If) -> bool:
    """`if __name__ == "__main__":`"""
    match node.test:
        case ast.Compare(left=ast.Name(id="__name__"), comparators=[ast.Constant(value="__main__")]):
            return True
        case _:
            return False


def for_(body: Body, node: ast.For | ast.AsyncFor) -> None:
    source = lower(body, node.iter)
    special = "__aiter__" if isinstance(node, ast.AsyncFor) else "__iter__"
    site = body.site_at(node.iter, SiteShape.ITERATION, (special, node.iter.lineno), "")
    element = body.node(node.iter.lineno)
    body.emit(Op.ELEMENT, element, source, site)
    start = "async for" if isinstance(node, ast.AsyncFor) else "for"
    guard = f"{start} {unparse(node.target)} in {body.file.text.of(node.iter)}"

    def enter() -> None:
        assign(body, node.target, element)

    loop(body, node, guard, enter)


def while_(body: Body, node: ast.While) -> None:
    def enter() -> None:
        lower_test(body, node.test)
        narrow(body, node.test, Outcome.HOLDS)

    if body.file.outcome_of(node.test) is Outcome.FAILS.value:
        lower_test(body, node.test)
        body.file.skip(node.body, span(node.test))
        guarded(body, "loop else", node.orelse)
        return
    loop(body, node, f"while {body.file.text.of(node.test)}", enter)


def loop(body: Body, node: ast.For | ast.AsyncFor | ast.While, guard: str, enter: Callable[[], None]) -> None:
    """A loop: names that it binds meet at its head."""
    forget_entries(body)
    heads = loop_heads(body, node)
    at_head = dict(body.env)
    body.loops.append(Loop())
    enter()
    entered = dict(body.env)
    guarded(body, guard, node.body)
    ended = body.loops.pop()
    ends = [*ended.continues, *([] if body.dead else [body.env])]
    for name, head in heads.items():
        for env in ends:
            if env.get(name, head) != head:
                body.emit(Op.COPY, head, env[name])
    body.dead, body.cut = False, None
    body.env = at_head if isinstance(node, ast.While) else {**entered, **at_head}
    guarded(body, "loop else", node.orelse)
    for env in ended.breaks:
        body.env = body.merge(body.env, env, node.end_lineno or node.lineno)


def loop_heads(body: Body, node: ast.For | ast.AsyncFor | ast.While) -> dict[str, int]:
    """Head nodes for the names with versions that the loop binds."""
    if not body.many:
        return {}
    heads: dict[str, int] = {}
    for name in bound_names([node]).counts:
        if name in body.many:
            current = body.env.get(name)
            body.env[name] = heads[name] = body.phi(name, () if current is None else (current,), node.lineno)
    return heads


def with_(body: Body, node: ast.With | ast.AsyncWith) -> None:
    special = ("__aenter__", "__aexit__") if isinstance(node, ast.AsyncWith) else ("__enter__", "__exit__")
    for item in node.items:
        src = lower(body, item.context_expr)
        site = body.site_at(item.context_expr, SiteShape.WITH, (special[0], item.context_expr.lineno), "")
        entered = body.node(item.context_expr.lineno)
        body.emit(Op.ENTER, entered, src, site)
        if item.optional_vars is not None:
            assign(body, item.optional_vars, entered)
    start = "async with" if isinstance(node, ast.AsyncWith) else "with"
    guarded(body, f"{start} {', '.join(with_item(body, item) for item in node.items)}", node.body)
    body.cut = None  # what is entered may hold back an exception
    body.dead = body.dead and not isinstance(node.body[-1], ast.Raise)


def with_item(body: Body, item: ast.withitem) -> str:
    """An item of a `with` as text."""
    text = body.file.text.of(item.context_expr)
    return text if item.optional_vars is None else f"{text} as {unparse(item.optional_vars)}"


def match_(body: Body, node: ast.Match) -> None:
    subject = lower(body, node.subject)
    missed = body.env
    after: list[Env] = []
    dead = []
    certain: Position | None = None
    for part in node.cases:
        outcome = body.file.outcome_of(part.pattern)
        if certain is not None or outcome is Outcome.FAILS.value:
            body.file.skip(part.body, certain or span(part.pattern))
            continue
        body.env, body.dead = dict(missed), False
        case_(body, node, part, subject)
        body.cut = None
        dead.append(body.dead)
        if not body.dead:
            after.append(body.env)
        body.env = dict(missed)
        if part.guard is None:
            narrow_by_failure(body, node.subject, part.pattern)
            certain = span(part.pattern) if outcome else None
        missed = body.env
        subject = current(body, node.subject, subject)
    takes_all = certain is not None or is_exhaustive(node)
    if not takes_all or not after:
        after.insert(0, missed)
    body.dead = takes_all and all(dead)
    body.cut = certain if body.dead else None
    body.env = reduce(lambda first, second: body.merge(first, second, node.end_lineno or node.lineno), after)


def current(body: Body, node: ast.expr, subject: int) -> int:
    """The node of what is matched, as far as it is narrowed."""
    return body.env.get(dotted(node), subject) if dotted(node) else subject


def case_(body: Body, node: ast.Match, part: ast.match_case, subject: int) -> None:
    """One case of a `match`."""
    pattern(body, part.pattern, subject)
    narrow_by_pattern(body, node.subject, part.pattern)
    guard = f"match {body.file.text.of(node.subject)} case {unparse(part.pattern)}"
    if part.guard is not None:
        lower_test(body, part.guard)
        guard += f" if {body.file.text.of(part.guard)}"
        if body.file.outcome_of(part.guard) is Outcome.FAILS.value:
            body.file.skip(part.body, span(part.guard))
            body.dead = True
            return
        narrow(body, part.guard, Outcome.HOLDS)
    guarded(body, guard, part.body)


def is_exhaustive(node: ast.Match) -> bool:
    """Whether the last case takes everything."""
    last = node.cases[-1]
    return last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
