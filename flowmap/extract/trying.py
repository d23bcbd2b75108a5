"""`try`: what may have run when a handler begins, and what it catches."""

from __future__ import annotations

import ast

from flowmap.extract.body import Body, Env
from flowmap.extract.bound import bound_names
from flowmap.extract.entries import forget_entries
from flowmap.extract.lower import guarded, lower
from flowmap.extract.text import dotted
from flowmap.model.facts import Op, Test


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
