"""What a test says of the values it looks at: narrowing of names and attribute chains, for the branch where it holds or fails."""

from __future__ import annotations

import ast
from enum import Enum

from flowmap.extract.body import NOTHING, Body
from flowmap.extract.text import dotted
from flowmap.model.facts import Op, Test


class Outcome(Enum):
    """How a test came out, on the way that is being read."""

    HOLDS = True
    FAILS = False

    @property
    def opposite(self) -> Outcome:
        return Outcome(not self.value)


def narrow(body: Body, test: ast.expr, outcome: Outcome) -> None:
    """Narrows the environment by a test that holds, or fails."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            narrow(body, test.operand, outcome.opposite)
        case ast.BoolOp() if isinstance(test.op, ast.And) is outcome.value:  # every part came out the same
            for part in test.values:
                narrow(body, part, outcome)
        case ast.BoolOp(op=ast.Or()):
            narrow_either(body, test)
        case ast.Call(func=ast.Name(id=name)):
            narrow_by_call(body, test, name, outcome)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            narrow_by_comparison(body, (left, operator, right), outcome)
        case _:
            pass  # the truth of a value tells nothing of its class


def narrow_either(body: Body, test: ast.BoolOp) -> None:
    """`isinstance(x, A) or isinstance(x, B)`: x is of A or B. Only when all parts look at one thing."""
    tests = [found for part in test.values for found in instance_test(part)]
    if len(tests) == len(test.values) and len({dotted(subject) for subject, _ in tests}) == 1:
        classes = [node for _, part in tests for node in class_nodes(body, part)]
        narrow_subject(body, tests[0][0], Test.INSTANCE, tuple(classes))


def instance_test(node: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The chain and the classes of `isinstance(chain, classes)`, nothing of any other test."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, classes]) if dotted(subject):
            return [(subject, classes)]
        case _:
            return []


def narrow_by_call(body: Body, test: ast.Call, name: str, outcome: Outcome) -> None:
    """isinstance, issubclass, hasattr, callable."""
    match name, test.args:
        case "isinstance" | "issubclass", [subject, classes]:
            kind = CLASS_TESTS[name, outcome]
            narrow_subject(body, subject, kind, tuple(class_nodes(body, classes)))
        case "hasattr", [subject, ast.Constant(value=str(attribute))]:
            narrow_subject(body, subject, Test.HAS if outcome is Outcome.HOLDS else Test.NOT_HAS, (attribute,))
        case "callable", [subject]:
            narrow_subject(body, subject, Test.CALLABLE if outcome is Outcome.HOLDS else Test.NOT_CALLABLE, ())
        case _:
            pass


CLASS_TESTS = {
    ("isinstance", Outcome.HOLDS): Test.INSTANCE,
    ("isinstance", Outcome.FAILS): Test.NOT_INSTANCE,
    ("issubclass", Outcome.HOLDS): Test.SUBCLASS,
    ("issubclass", Outcome.FAILS): Test.NOT_SUBCLASS,
}


def narrow_by_comparison(body: Body, parts: tuple[ast.expr, ast.cmpop, ast.expr], outcome: Outcome) -> None:
    """`x is None`, `type(x) is C`."""
    left, operator, right = parts
    same = isinstance(operator, ast.Is | ast.Eq)
    if not isinstance(operator, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        return
    match left, right:
        case _, ast.Constant(value=None) if same is outcome.value:
            narrow_subject(body, left, Test.NONE, ())
        case ast.Call(func=ast.Name(id="type"), args=[subject]), _:
            narrow_exactly(body, subject, right, Outcome(same is outcome.value))
        case ast.Attribute(value=subject, attr="__class__"), _:
            narrow_exactly(body, subject, right, Outcome(same is outcome.value))
        case _:
            pass


def narrow_exactly(body: Body, subject: ast.expr, cls: ast.expr, outcome: Outcome) -> None:
    """`type(x) is C`: no class below C."""
    test = Test.EXACT if outcome is Outcome.HOLDS else Test.NOT_EXACT
    narrow_subject(body, subject, test, tuple(class_nodes(body, cls)))


def class_nodes(body: Body, node: ast.expr) -> list[int]:
    """The nodes of the classes in the second argument of isinstance."""
    match node:
        case ast.Tuple():
            return [found for part in node.elts for found in class_nodes(body, part)]
        case ast.BinOp(op=ast.BitOr()):
            return [*class_nodes(body, node.left), *class_nodes(body, node.right)]
        case ast.Name():
            return [body.read(node.id)]
        case ast.Attribute():
            base = class_nodes(body, node.value)
            if not base:
                return []
            dst = body.node(node.lineno)
            body.emit(Op.ATTR, dst, base[0], body.private(node.attr), -1)
            return [dst]
        case _:
            return []


def narrow_subject(body: Body, subject: ast.expr, test: int, operands: tuple[object, ...]) -> None:
    """Lets the subject stand for its narrowed value from here on."""
    if isinstance(subject, ast.NamedExpr):
        subject = subject.target
    path = dotted(subject)
    if not path or (test in OF_CLASSES and not operands):
        return
    if test == Test.NONE:
        body.env[path] = NOTHING
        return
    whole = body.env.get(path)
    if whole is None:
        whole = body.read(path) if isinstance(subject, ast.Name) else read_chain(body, subject)
    if whole == NOTHING:
        return
    dst = body.node(subject.lineno, path)
    body.emit(Op.FILTER, dst, whole, test, operands)
    body.env[path] = dst


OF_CLASSES = (*CLASS_TESTS.values(), Test.EXACT, Test.NOT_EXACT)


def read_chain(body: Body, node: ast.expr) -> int:
    """The value of an attribute chain, read once more for narrowing; no site of its own."""
    if isinstance(node, ast.Name):
        return body.read(node.id)
    assert isinstance(node, ast.Attribute)
    path = dotted(node)
    known = body.env.get(path)
    if known is not None:
        return known
    base = read_chain(body, node.value)
    dst = body.node(node.lineno, path)
    body.emit(Op.ATTR, dst, base, body.private(node.attr), -1)
    return dst
