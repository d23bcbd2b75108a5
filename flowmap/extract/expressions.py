"""All other expressions: names, constants and attributes; what runs only if something holds; what is awaited or yielded."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flowmap.extract.body import NOTHING, Body, span
from flowmap.extract.lower import lower
from flowmap.extract.narrow import Outcome, narrow
from flowmap.extract.operators import lower_test
from flowmap.extract.strings import may_name
from flowmap.extract.text import dotted
from flowmap.model.facts import Op, SiteShape


def name(body: Body, node: ast.Name) -> int:
    return body.read(node.id)


def constant(body: Body, node: ast.Constant) -> int:
    value = node.value
    if value is None or value is Ellipsis:
        return NOTHING
    if isinstance(value, str) and may_name(value):
        dst = body.node(node.lineno)
        body.emit(Op.STRING, dst, value)
        return dst
    return body.file.literal(type(value).__name__)


def attribute(body: Body, node: ast.Attribute) -> int:
    return read_attribute(body, node, Op.ATTR)


def read_attribute(body: Body, node: ast.Attribute, op: int) -> int:
    """`base.name`, read or called."""
    path = dotted(node)
    base = lower(body, node.value)
    expected, shape = body.file.expected
    site = body.site(node, shape if node is expected else SiteShape.READ, node.attr, path)
    narrowed = body.env.get(path) if path else None
    dst = body.node(node.end_lineno or node.lineno)
    if narrowed is not None:
        body.emit(op, NOTHING, base, body.private(node.attr), site)
        body.emit(Op.COPY, dst, narrowed)
    else:
        body.emit(op, dst, base, body.private(node.attr), site)
    return dst


def boolean(body: Body, node: ast.BoolOp) -> int:
    """`a and b`, `a or b`: each part runs only if those before it let it."""
    outcome = Outcome.HOLDS if isinstance(node.op, ast.And) else Outcome.FAILS
    saved = dict(body.env)
    nodes = []
    n_guards = 0
    for number, part in enumerate(node.values[:-1], 1):
        nodes.append(lower_test(body, part))
        if body.file.outcome_of(part) is outcome.opposite.value:
            body.file.skip(node.values[number:], span(part))
            break
        text = body.file.text.of(part)
        body.push_expr_guard(text if outcome is Outcome.HOLDS else f"not ({text})")
        n_guards += 1
        narrow(body, part, outcome)
    else:
        nodes.append(lower(body, node.values[-1]))
    body.pop_expr_guards(n_guards)
    body.env = body.merge(saved, body.env, node.lineno) if body.file.has_walrus else saved
    if outcome is Outcome.HOLDS:  # a falsy earlier part is no value worth following
        nodes = nodes[-1:] if len(nodes) > 1 else nodes
    return join(body, nodes, node.lineno)


def join(body: Body, nodes: Sequence[int], line: int) -> int:
    """A node that receives several."""
    distinct = [node for node in dict.fromkeys(nodes) if node != NOTHING]
    if len(distinct) <= 1:
        return distinct[0] if distinct else NOTHING
    dst = body.node(line)
    for node in distinct:
        body.emit(Op.COPY, dst, node)
    return dst


def conditional(body: Body, node: ast.IfExp) -> int:
    lower_test(body, node.test)
    text = body.file.text.of(node.test)
    saved = body.env
    ways = []
    for part, guard, outcome in ((node.body, text, Outcome.HOLDS), (node.orelse, f"not ({text})", Outcome.FAILS)):
        if body.file.outcome_of(node.test) is outcome.opposite.value:
            body.file.skip([part], span(node.test))
            continue
        body.env = dict(saved)
        narrow(body, node.test, outcome)
        body.push_expr_guard(guard)
        ways.append(lower(body, part))
        body.pop_expr_guards(1)
    body.env = saved
    return join(body, ways, node.lineno)


def walrus(body: Body, node: ast.NamedExpr) -> int:
    value = lower(body, node.value)
    body.bind(node.target.id, value, node.lineno)
    return body.read(node.target.id)


def await_(body: Body, node: ast.Await) -> int:
    src = lower(body, node.value)
    site = body.site_at(node, SiteShape.AWAIT, ("__await__", node.lineno), "")
    dst = body.node(node.lineno)
    body.emit(Op.AWAIT, dst, src, site)
    return dst


def yield_(body: Body, node: ast.Yield) -> int:
    if node.value is not None:
        value = lower(body, node.value)
        if body.yields >= 0 and value != NOTHING:
            body.emit(Op.COPY, body.yields, body.copy(value, node.lineno))
    return body.yields + 1 if body.yields >= 0 else NOTHING


def yield_from(body: Body, node: ast.YieldFrom) -> int:
    src = lower(body, node.value)
    site = body.site_at(node, SiteShape.ITERATION, ("__iter__", node.lineno), "")
    dst = body.node(node.lineno)
    body.emit(Op.ELEMENT, dst, src, site)
    if body.yields >= 0:
        body.emit(Op.COPY, body.yields, dst)
    result = body.node(node.lineno)
    body.emit(Op.AWAIT, result, src, -1)
    return result


def starred(body: Body, node: ast.Starred) -> int:
    return lower(body, node.value)
