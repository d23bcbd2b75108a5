"""Statements to rows: one function for each kind of statement."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from flowmap.extract.annotations import ANY, alias_tree, annotation, annotation_name
from flowmap.extract.assign import assign, assign_expression, store_attribute, store_in
from flowmap.extract.body import NOTHING, Body, Env, Loop, span
from flowmap.extract.bound import bound_names
from flowmap.extract.entries import forget_entries
from flowmap.extract.expressions import (
    EXPRESSIONS,
    OPERATORS,
    lower,
    lower_all,
    lower_test,
    operator,
    read_item,
    without_subscripts,
)
from flowmap.extract.functions import class_, function
from flowmap.extract.imports import import_, import_from
from flowmap.extract.keys import constant_key
from flowmap.extract.leave import leaving_tests
from flowmap.extract.made_classes import call_or_class
from flowmap.extract.narrow import Outcome, narrow
from flowmap.extract.patterns import narrow_by_failure, narrow_by_pattern, pattern
from flowmap.extract.text import dotted, unparse
from flowmap.model.facts import RIGHT, Op, ScopeKind, SiteShape, Test, Tree
from flowmap.model.literals import Position


def read_block(body: Body, statements: Sequence[ast.stmt]) -> None:
    """Lowers a block, in order."""
    body.early.append([])
    for number, statement in enumerate(statements, 1):
        STATEMENTS[type(statement)](body, statement)
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


def expression(body: Body, node: ast.Expr) -> None:
    lower(body, node.value)


def assignment(body: Body, node: ast.Assign) -> None:
    assign_expression(body, node.targets, node.value)
    name_tables(body, node)
    match node.targets:
        case [ast.Name(id=name)] if body.kind in (ScopeKind.MODULE, ScopeKind.CLASS):
            note_alias(body, name, alias_tree(body, node.value), node.lineno)


def note_alias(body: Body, name: str, tree: Tree, line: int) -> None:
    """A name that stands for a type."""
    if tree != ANY:
        alias = body.node(line, name)
        body.emit(Op.ALIAS, alias, tree)
        body.emit(Op.COPY, body.read(name), alias)


def name_tables(body: Body, node: ast.Assign) -> None:
    """Gives the table in a display the name that it is assigned to."""
    tables = body.file.tables
    if (
        tables
        and isinstance(node.value, ast.Dict | ast.List | ast.Tuple)
        and tables[-1][1:3] == (node.value.lineno, node.value.col_offset)
    ):
        name = dotted(node.targets[0]) or unparse(node.targets[0])
        tables[-1] = (*tables[-1][:3], name, *tables[-1][4:])


def annotated(body: Body, node: ast.AnnAssign) -> None:
    """`target: annotation = value`."""
    tree = annotation(body, node.annotation)
    value = lower(body, node.value) if node.value is not None else NOTHING
    match node.target:
        case ast.Name(id=name) if body.kind == ScopeKind.CLASS:
            body.declared[name] = tree
            note_generated(body, name, node)
            body.site_at(node, SiteShape.DECLARE, (name, node.lineno), "")
            if node.value is not None:
                body.bind(name, value, node.lineno)
                body.note_value(name)
        case ast.Name(id=name):
            declare_local(body, name, (tree, value), node)
            if annotation_name(node.annotation) == "TypeAlias" and node.value is not None:
                note_alias(body, name, annotation(body, node.value), node.lineno)
        case ast.Attribute():
            shape = SiteShape.DECLARE if node.value is None else SiteShape.WRITE
            declare_field(body, node.target, tree, (value, shape))
        case _ if node.value is not None:
            assign(body, node.target, value)
        case ast.Subscript(value=base, slice=index):  # nothing is stored, yet what it would be stored in is looked for
            lower_all(body, (base, index))


def note_generated(body: Body, name: str, node: ast.AnnAssign) -> None:
    """Whether a generated `__init__` takes a declared field, or takes it for `__post_init__` alone."""
    kind = annotation_name(node.annotation)
    if kind == "InitVar":
        body.init_only.append(name)
    match node.value:
        case ast.Call(keywords=keywords):
            given = {part.arg: part.value for part in keywords}
            left_out = isinstance(given.get("init"), ast.Constant) and not given["init"].value  # type: ignore[attr-defined]
        case _:
            left_out = False
    if kind == "ClassVar" or left_out:
        body.not_given.append(name)


def declare_local(body: Body, name: str, declared: tuple[Tree, int], node: ast.AnnAssign) -> None:
    """An annotated variable; without a value the annotation narrows what it stands for."""
    tree, value = declared
    if node.value is None:
        if tree == ANY or (name not in body.env and name not in body.names):
            return
        value = body.read(name)
        if not body.bound.counts[name] > 1 and name not in body.env:
            return
    if tree != ANY:
        outward = body.node(node.lineno, name)
        body.emit(Op.ANNOTATE, value, outward, tree)
        value = outward
    body.bind(name, value, node.lineno)
    body.note_value(name)


def declare_field(body: Body, target: ast.Attribute, tree: Tree, stored: tuple[int, int]) -> None:
    """`self.field: annotation = value`; `stored` is the value and a SiteShape."""
    value, shape = stored
    if tree != ANY:
        outward = body.node(target.lineno, dotted(target))
        body.emit(Op.ANNOTATE, value, outward, tree)
        value = outward
    if value != NOTHING:
        store_attribute(body, target, value, shape)
    else:
        body.note_field(lower(body, target.value), body.private(target.attr))


def augmented(body: Body, node: ast.AugAssign) -> None:
    """`target op= value`: the old value stays (in place) and what the operator gives joins it."""
    special = OPERATORS[type(node.op)]
    names = (f"__i{special}__", f"__{special}__", RIGHT, f"__r{special}__")
    match node.target:
        case ast.Name(id=name):
            old = body.read(name)
        case ast.Attribute():
            base = lower(body, node.target.value)
            old = body.node(node.lineno)
            body.emit(Op.ATTR, old, base, body.private(node.target.attr), -1)
        case ast.Subscript() as item:
            body.expect(without_subscripts(item), SiteShape.MUTATE)
            old, stored = read_item(body, item)
    right = lower(body, node.value)
    result = operator(body, node, names, (old, right))
    new = body.copy(result, node.lineno)
    body.emit(Op.COPY, new, old)
    match node.target:
        case ast.Name(id=name):
            body.bind(name, new, node.lineno)
            body.note_value(name)
        case ast.Attribute():
            store_in(body, node.target, base, (new, SiteShape.AUGWRITE))
        case ast.Subscript() as item:
            body.emit(Op.SETITEM, stored[0], constant_key(item.slice), new, stored[3], stored[2])
            forget_entries(body)


def delete(body: Body, node: ast.Delete) -> None:
    for target in node.targets:
        match target:
            case ast.Name(id=name):
                body.unbind(name)
            case ast.Attribute():
                base = lower(body, target.value)
                site = body.site(target, SiteShape.DELETE, target.attr, dotted(target))
                body.emit(Op.DELATTR, base, body.private(target.attr), site)
                body.env.pop(dotted(target), None)
            case ast.Subscript():
                body.expect(without_subscripts(target), SiteShape.MUTATE)
                sides = lower(body, target.value), lower(body, target.slice)
                operator(body, target, ("__delitem__",), sides)
                forget_entries(body)
            case _:
                pass


def return_(body: Body, node: ast.Return) -> None:
    if node.value is not None:
        value = lower(body, node.value)
        if body.result >= 0 and value != NOTHING:
            via = body.copy(value, node.lineno)
            body.emit(Op.COPY, body.result, via)
    body.dead = True


def raise_(body: Body, node: ast.Raise) -> None:
    made = NOTHING if node.exc is None else lower(body, node.exc)
    if node.cause is not None:
        lower(body, node.cause)
    if isinstance(node.exc, ast.Call):
        for raised in body.raised:
            raised.append(made)
    body.dead = True


def assert_(body: Body, node: ast.Assert) -> None:
    lower_test(body, node.test)
    outcome = body.file.outcome_of(node.test)
    if node.msg is not None and outcome is Outcome.HOLDS.value:
        body.file.skip([node.msg], span(node.test))
    elif node.msg is not None:
        lower(body, node.msg)
    narrow(body, node.test, Outcome.HOLDS)
    if outcome is Outcome.FAILS.value:
        body.dead, body.cut = True, span(node.test)


def pass_(_body: Body, _node: ast.Pass | ast.Global | ast.Nonlocal) -> None:
    """Nothing happens; `global` and `nonlocal` were read before."""


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


def break_(body: Body, _node: ast.Break) -> None:
    if body.loops:
        body.loops[-1].breaks.append(dict(body.env))
    body.dead = True


def continue_(body: Body, _node: ast.Continue) -> None:
    if body.loops:
        body.loops[-1].continues.append(dict(body.env))
    body.dead = True


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


def try_(body: Body, node: ast.Try | ast.TryStar) -> None:
    forget_entries(body)
    before, known = dict(body.env), {name: len(versions) for name, versions in body.versions.items()}
    body.raised.append([])
    guarded(body, "try", node.body)
    made_and_raised = body.raised.pop()
    body.cut = None
    raised = raised_env(body, node, (before, known))
    after: list[Env | None] = []
    if node.orelse and not body.dead:
        guarded(body, "try else", node.orelse)
    elif node.orelse:
        guarded(body, "try else", node.orelse)
        body.dead = True
    after.append(None if body.dead else body.env)
    for handler in node.handlers:
        body.env, body.dead = dict(raised), False
        except_(body, node, handler, made_and_raised)
        body.cut = None
        after.append(None if body.dead else body.env)
    arrived = [env for env in after if env is not None]
    body.env = dict(raised)
    if arrived:
        body.env = arrived[0]
        for env in arrived[1:]:
            body.env = body.merge(body.env, env, node.end_lineno or node.lineno)
    body.dead = not arrived
    if node.finalbody:
        left = body.dead
        body.dead = False
        guarded(body, "finally", node.finalbody)
        body.dead = body.dead or left


def raised_env(body: Body, node: ast.Try | ast.TryStar, entered: tuple[Env, dict[str, int]]) -> Env:
    """The environment in which a handler may begin: any version that the body bound before something else ran, or what was
    before. `entered`: the environment before the body, and how many versions each name had there."""
    before, known = entered
    raised = dict(before)
    if body.many:
        for name in bound_names(node.body).counts:
            if name in body.many:
                bound = body.versions[name][known.get(name, 0) :]
                nodes = [
                    *([before[name]] if name in before else []),
                    *(bound[:-1] if not body.dead and binds_last(node, name) else bound),
                ]
                raised[name] = body.phi(name, dict.fromkeys(nodes), node.lineno)
    return raised


def binds_last(node: ast.Try | ast.TryStar, name: str) -> bool:
    """Whether the last thing that the body of a `try` does is to bind a name."""
    match node.body[-1]:
        case ast.Assign(targets=[ast.Name(id=bound)]):
            return bound == name
        case _:
            return False


def except_(body: Body, node: ast.Try | ast.TryStar, handler: ast.ExceptHandler, raised: list[int]) -> None:
    """A handler; `raised` are the nodes of what its `try` makes and raises."""
    guard = "except"
    if handler.type is not None:
        guard = f"except {body.file.text.of(handler.type)}"
        kind = lower(body, handler.type)
        if handler.name:
            caught = catch(body, handler, kind, raised)
            if isinstance(node, ast.TryStar):
                caught = group_of(body, handler, caught)
            body.bind(handler.name, caught, handler.lineno)
            body.note_value(handler.name)
    guarded(body, guard, handler.body)


def catch(body: Body, handler: ast.ExceptHandler, kind: int, raised: list[int]) -> int:
    """What a handler catches: of its classes, and of what is raised in sight all that is of them."""
    caught = body.node(handler.lineno, handler.name or "")
    body.emit(Op.CATCH, caught, kind)
    catches_all = dotted(handler.type) in ("Exception", "BaseException") if handler.type is not None else True
    for made in raised:
        passed = made
        if not catches_all:
            passed = body.node(handler.lineno)
            body.emit(Op.FILTER, passed, made, Test.INSTANCE, (kind,))
        body.emit(Op.COPY, caught, passed)
    return caught


def group_of(body: Body, handler: ast.ExceptHandler, caught: int) -> int:
    """What `except*` binds: a group, which has what is caught as its `exceptions`."""
    listed, group = body.node(handler.lineno), body.node(handler.lineno, handler.name or "")
    body.emit(Op.DISPLAY, listed, "tuple", ((None, caught),))
    body.emit(Op.DISPLAY, group, "tuple", (("exceptions", listed),))
    return group


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


def type_alias(body: Body, node: Any) -> None:
    """`type Name = annotation` (`ast.TypeAlias`, 3.12): the name stands for what the annotation names."""
    assign(body, node.name, lower(body, node.value))
    note_alias(body, node.name.id, annotation(body, node.value), node.lineno)


EXPRESSIONS[ast.Call] = call_or_class
STATEMENTS: dict[type, Callable[[Body, Any], None]] = {
    ast.Expr: expression,
    ast.Assign: assignment,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.Delete: delete,
    ast.Return: return_,
    ast.Raise: raise_,
    ast.Assert: assert_,
    ast.Pass: pass_,
    ast.Global: pass_,
    ast.Nonlocal: pass_,
    ast.Break: break_,
    ast.Continue: continue_,
    ast.If: if_,
    ast.For: for_,
    ast.AsyncFor: for_,
    ast.While: while_,
    ast.With: with_,
    ast.AsyncWith: with_,
    ast.Try: try_,
    ast.TryStar: try_,
    ast.Match: match_,
    ast.FunctionDef: function,
    ast.AsyncFunctionDef: function,
    ast.ClassDef: class_,
    ast.Import: import_,
    ast.ImportFrom: import_from,
}
if hasattr(ast, "TypeAlias"):  # Python 3.12
    STATEMENTS[ast.TypeAlias] = type_alias
