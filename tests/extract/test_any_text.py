"""Extraction answers for any text: facts, or a problem that says what to do."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowmap.extract.text import SourceText, expression_at
from flowmap.model.facts import pack, unpack
from tests.reading import facts_of, library_texts

EXPRESSIONS = (
    "a", "self.b", "f(x)", "f(*a, k=b, **c)", "x.f(1)(2)", "a[0]", "a[1:b]", "a + b", "not a", "-a", "a < b < c", "a and b or c",
    "b if a else c", "lambda x, y=a: x(y)", "[f(x) for x in a if x]", "{k: v for k, v in a}", "(x for x in a)", "(y := f(a))",
    "f'{a!r:{b}}'", "'on_' + a", "{**a, 'k': b}", "{*a, b}", "(a, *b)", "super().f(a)", "await a", "(yield a)", "(yield from a)",
    "...", "None", "getattr(a, f'on_{b}')()", "0xff", "1j", "b''", "a if (z := f(b)) else z.c", "type(a) is b",
)  # fmt: skip
TARGETS = ("a", "self.b", "a[0]", "a, b", "(a, *b)", "[a, (b, c)]", "self.a, b[c]")
SIMPLE = (
    "{e}", "{t} = {e}", "{t} = {t} = {e}", "a += {e}", "self.a |= {e}", "a[0] -= {e}", "a: {e} = {e}", "self.a: 'int' = {e}",
    "a: 'b['", "del {t}", "return {e}", "raise {e} from {e}", "assert {e}, {e}", "pass", "break", "continue", "global a",
    "nonlocal b", "import a.b as c, d", "from . import a", "from ..a.b import c as d", "from a import *",
)  # fmt: skip
COMPOUND = (
    "if {e}:", "while {e}:", "for {t} in {e}:", "async for {t} in {e}:", "with {e} as {t}, {e}:", "async with {e}:",
    "def f(a, /, b={e}, *c, d: 'e' = {e}, **g) -> {e}:",
    "async def f(self):", "@property\n{i}def a(self):", "@a.setter\n{i}def a(self, b):", "@{e}\n{i}def f():",
    "class C(a, b.c[d], metaclass={e}):",
    "@{e}\n{i}class C:",
)  # fmt: skip
SEVERAL = (
    ("if {e}:", "elif {e}:", "else:"), ("try:", "except {e} as a:", "except:", "else:", "finally:"), ("try:", "except* {e}:"),
    ("for a in {e}:", "else:"), ("while {e}:", "else:"),
)  # fmt: skip
PATTERNS = ("1", "a", "_", "a.b", "C(a, b=c)", "C() as d", "[a, *b, c]", "{'k': a, **b}", "A() | B()", "None")


@st.composite
def lines(draw: st.DrawFn, indent: str, depth: int) -> str:
    """One statement with the blocks below it."""

    def filled(form: str) -> str:
        while "{e}" in form:
            form = form.replace("{e}", draw(st.sampled_from(EXPRESSIONS)), 1)
        while "{t}" in form:
            form = form.replace("{t}", draw(st.sampled_from(TARGETS)), 1)
        return indent + form.replace("{i}", indent)

    def block() -> str:
        return "".join(draw(st.lists(lines(indent + " ", depth - 1), min_size=1, max_size=3)))

    kind = draw(st.integers(0, 3)) if depth else 0
    if kind == 0:
        return filled(draw(st.sampled_from(SIMPLE))) + "\n"
    if kind == 1:
        return f"{filled(draw(st.sampled_from(COMPOUND)))}\n{block()}"
    if kind == 2:
        return "".join(f"{filled(head)}\n{block()}" for head in draw(st.sampled_from(SEVERAL)))
    cases = draw(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3))
    inner = indent + " "
    nested = draw(lines(inner + " ", 0))
    return filled("match {e}:") + "\n" + "".join(f"{inner}case {case} if a:\n{nested}" for case in cases)


def is_python(text: str) -> bool:
    """Whether the parser takes it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError:
        return False
    return True


@settings(max_examples=300, deadline=None)
@given(st.lists(lines("", 3), min_size=1, max_size=5).map("".join))
def test_whatever_python_parses_has_facts(text: str) -> None:
    """Any mixture of statements, valid at run time or not; and the facts come back whole from another process."""
    facts = facts_of(text)
    assert (facts.problem is None) == is_python(text), text
    assert unpack(pack(facts)) == facts


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_are_facts_or_a_problem(text: bytes) -> None:
    """What is no Python at all says so."""
    facts = facts_of(text)
    assert facts.problem is None or all(facts.problem)


def test_the_standard_library_is_read() -> None:
    """Real files: a problem exactly where Python has one."""
    texts = list(library_texts(every=8))
    assert len(texts) > 50
    n_sites = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, text in texts:
            facts = facts_of(text, path)
            try:
                ast.parse(text)
            except (SyntaxError, ValueError):
                assert facts.problem is not None, path
            else:
                assert facts.problem is None, (path, facts.problem)
                n_sites += len(facts.sites)
    assert n_sites > 10_000


def asked_texts(tree: ast.AST) -> list[ast.expr]:
    """The expressions whose text an index shows: calls, tests, iterables, context managers, keys."""
    found: list[ast.expr] = []
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                found.append(node)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                found.append(test)
            case ast.BoolOp(values=parts) | ast.comprehension(ifs=parts):
                found.extend(parts)
            case (
                ast.For(iter=part)
                | ast.withitem(context_expr=part)
                | ast.Match(subject=part)
                | ast.ExceptHandler(type=ast.expr() as part)
            ):
                found.append(part)
            case ast.Dict(keys=keys):
                found.extend(key for key in keys if key is not None)
            case _:
                pass
    return found


def test_texts_are_those_of_unparse() -> None:
    """Most are cut from the source, which is quicker; no one can tell."""
    n_texts = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, text in library_texts(every=6):
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError):
                continue
            source = SourceText(text)
            for node in asked_texts(tree):
                assert source.of(node) == ast.unparse(node), f"{path}:{node.lineno}"
                n_texts += 1
    assert n_texts > 20_000


@pytest.mark.parametrize(
    "text",
    [
        "f(a, )", "f([a, ])", "f(k=a, *b)", "f('\t')", "f('''a''')", "f(True.real)", "f(a or b or c)", "f(not a == b)", "f(u'a')",
        "f(1_000)", "f(0x10)", "f(1.50)", 'f("it\'s")', "f(a  ,b)", "f((a))", "f(lambda: a)", "f(a)  (b)",
        "f(-1 ** 2)", "f(a if b else c)",
    ],
)  # fmt: skip
def test_a_text_is_cut_only_where_unparsing_agrees(text: str) -> None:
    """Each of these once looked canonical, or nearly does."""
    (statement,) = ast.parse(text).body
    assert isinstance(statement, ast.Expr)
    assert SourceText(text.encode()).of(statement.value) == ast.unparse(statement.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b", "a.b"),
        ("(a\n    .b(1)  # why\n    .c)", "a.b(1).c"),
        ("é.b", "é.b"),
        ("'\\d'.b", "'\\\\d'.b"),
        ("f(" + "-" * 3000 + "a)", "f(" + "-" * 3000 + "a)"),
        ("a.b )", "a.b )"),
    ],
)
def test_a_text_is_made_on_demand(text: str, expected: str) -> None:
    """What the facts do not keep is printed from its position; what no longer parses is shown as it stands."""
    rows = text.encode().split(b"\n")
    assert expression_at(rows, (1, 0), (len(rows), len(rows[-1]))) == expected
