"""The control flow of a scope: blocks and the ways between them, held against what Python does."""

from __future__ import annotations

import ast
import calendar
import configparser
import contextlib
import difflib
import dis
import inspect
import json
import os
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flowmap.extract.control_flow import control_flow
from flowmap.model.control import BlockRole, ControlFlow, Statement, Turn

Ways = set[tuple[str, str, str, str]]


def flow(body: str, head: str = "def f(x, y):") -> ControlFlow:
    """The control flow of a function with this body."""
    text = f"{head}\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    found = control_flow(text.encode(), "a.py", (1, 0))
    assert found is not None
    return found


def named(found: ControlFlow) -> dict[int, str]:
    """What a block is called here: by its first statement, or by its role."""
    return {each.number: each.statements[0].text if each.statements else each.role.value for each in found.blocks}


def ways(body: str) -> Ways:
    """The ways between the blocks of a function: from, to, why, and what has to hold."""
    found = flow(body)
    names = named(found)
    return {(names[each.start], names[each.end], each.turn.value, each.label) for each in found.branches}


def blocks(body: str) -> list[list[str]]:
    """The statements of each block."""
    return [[one.text for one in each.statements] for each in flow(body).blocks if each.statements]


def test_what_runs_in_a_row_is_one_block() -> None:
    """From the entry to the exit."""
    assert blocks("a = x\nb = f(a)\nreturn b") == [["a = x", "b = f(a)", "return b"]]
    assert ways("a = x") == {("entry", "a = x", "next", ""), ("a = x", "exit", "next", "")}


def test_an_if_goes_two_ways() -> None:
    """Each with what has to hold; an `elif` follows where the first test fails."""
    assert ways("if x:\n    a\nelif y > 1:\n    b\nelse:\n    c\nd") == {
        ("entry", "if x:", "next", ""),
        ("if x:", "a", "holds", "x"),
        ("if x:", "elif y > 1:", "fails", "not x"),
        ("elif y > 1:", "b", "holds", "y > 1"),
        ("elif y > 1:", "c", "fails", "not y > 1"),
        *((each, "d", "next", "") for each in "abc"),
        ("d", "exit", "next", ""),
    }


@pytest.mark.parametrize(
    ("test", "opposite"),
    [
        ("x is None", "x is not None"),
        ("x not in y", "x in y"),
        ("not x", "x"),
        ("x == y", "x != y"),
        ("x < y", "not x < y"),
        ("x and y", "not (x and y)"),
        ("x < y < 3", "not x < y < 3"),
    ],
)
def test_the_way_where_a_test_fails_says_the_opposite(test: str, opposite: str) -> None:
    """In the words of the text, and never more than is true: an order of arrays has no opposite."""
    assert (f"if {test}:", "exit", "fails", opposite) in ways(f"if {test}:\n    a")


def test_a_loop_comes_back() -> None:
    """Behind it stand its `else`, and what `break` leads to."""
    assert ways("while x:\n    if y:\n        break\n    a\nelse:\n    b\nc") == {
        ("entry", "while x:", "next", ""),
        ("while x:", "if y:", "holds", "x"),
        ("if y:", "break", "holds", "y"),
        ("break", "c", "leaves", ""),
        ("if y:", "a", "fails", "not y"),
        ("a", "while x:", "again", ""),
        ("while x:", "b", "fails", "not x"),
        ("b", "c", "next", ""),
        ("c", "exit", "next", ""),
    }


def test_a_for_says_what_comes_next() -> None:
    """And where it ends; `continue` goes to the next one."""
    found = ways("for a, b in x:\n    continue")
    assert ("for (a, b) in x:", "continue", "holds", "next (a, b)") in found
    assert ("continue", "for (a, b) in x:", "again", "") in found
    assert ("for (a, b) in x:", "exit", "fails", "no more") in found


def test_a_constant_test_goes_one_way() -> None:
    """`while True` ends by `break` alone; what stands under `if 0` never runs."""
    assert ways("while True:\n    a") == {
        ("entry", "while True:", "next", ""),
        ("while True:", "a", "holds", "True"),
        ("a", "while True:", "again", ""),
    }
    assert [each.is_reachable for each in flow("if 0:\n    a\nb").blocks if each.statements] == [True, False, True]


@pytest.mark.parametrize(
    ("body", "dead"),
    [
        ("return x\na", ["a"]),
        ("raise x\na\nb", ["a"]),
        ("while True:\n    a\nb", ["b"]),
        ("for a in x:\n    break\n    b", ["b"]),
        ("if x:\n    return 1\nelse:\n    raise y\na", ["a"]),
        ("try:\n    return f()\nfinally:\n    a\nb", ["b"]),
        ("match x:\n    case _:\n        return\na", ["a"]),
        ("match x:\n    case 1:\n        return\na", []),
        ("with x:\n    return y()\na", []),  # the context manager may end the exception
        ("while x:\n    a\nb", []),
    ],
)
def test_what_is_never_reached_is_said(body: str, dead: list[str]) -> None:
    """It stays, without a way to it."""
    found = flow(body)
    assert [each.statements[0].text for each in found.blocks if each.statements and not each.is_reachable] == dead


def test_a_match_asks_its_cases_in_turn() -> None:
    """With their guards."""
    found = ways("match x:\n    case [1, *_]:\n        a\n    case y if y > 2:\n        b")
    assert ("match x:", "a", "holds", "case [1, *_]") in found
    assert ("match x:", "case y if y > 2:", "fails", "other") in found
    assert ("case y if y > 2:", "exit", "fails", "other") in found


def test_handlers_are_asked_in_turn() -> None:
    """What none of them takes goes out; `except:` takes everything."""
    found = ways("try:\n    a()\nexcept E:\n    b\nexcept:\n    c\nelse:\n    d()")
    assert ("a()", "except E:", "raises", "") in found
    assert ("except E:", "b", "holds", "E") in found
    assert ("except E:", "except:", "fails", "not E") in found
    assert not [way for way in found if way[1] == "raised"]
    assert not [way for way in found if way[0] == "d()" and way[2] == "raises"]
    assert ("except E:", "raised", "raises", "not E") in ways("try:\n    a()\nexcept E:\n    b")


def test_a_finally_goes_on_with_what_led_to_it() -> None:
    """A return, a break, an exception, or what stands behind it."""
    body = "for z in x:\n    try:\n        if y():\n            break\n        return a()\n    finally:\n        b\nc"
    found = ways(body)
    assert ("finally:", "exit", "leaves", "after return") in found
    assert ("finally:", "c", "leaves", "after break") in found
    assert ("finally:", "raised", "raises", "raises on") in found
    assert not [way for way in found if way[0] == "finally:" and way[2] == "next"]


def test_a_return_goes_through_every_finally_around_it() -> None:
    """From the inside out."""
    found = ways("try:\n    try:\n        return x\n    finally:\n        a\nfinally:\n    b")
    assert {(start, end) for start, end, turn, _ in found if turn == "leaves"} == {
        ("return x", "finally:"),
        ("finally:", "finally:"),
        ("finally:", "exit"),
    }


def test_a_return_in_a_finally_ends_every_exception() -> None:
    """Nothing goes on from there."""
    assert not [way for way in ways("try:\n    a()\nfinally:\n    return 1") if way[1] == "raised"]


def test_the_end_of_a_with_is_a_step() -> None:
    """An exception is on its way from there, or ends there."""
    found = ways("with x() as z:\n    a()\nb")
    assert ("a()", "end of with x() as z", "raises", "") in found
    assert ("end of with x() as z", "raised", "raises", "raises on") in found
    assert ("end of with x() as z", "b", "next", "") in found
    left = ways("with x():\n    return a()\nb")
    assert ("end of with x()", "exit", "leaves", "after return") in left
    assert ("end of with x()", "b", "suppressed", "if it suppresses") in left


def test_only_what_the_text_raises_leads_to_the_exceptional_exit() -> None:
    """Anything may raise; outside of `try` and `with` that says nothing."""
    assert ("assert x", "raised", "raises", "not x") in ways("assert x\na()")
    assert ("raise y", "raised", "raises", "") in ways("raise y")
    assert not [way for way in ways("a()\nx.b = 1") if way[1] == "raised"]


def test_what_is_inside_an_expression_stays_whole() -> None:
    """Comprehensions, lambdas, functions and classes are one statement, on one line."""
    assert blocks("a = [i for i in x if i]\ndef g(z):\n    return z\nclass C(B):\n    b = 1\nreturn (\n  lambda: 1)") == [
        ["a = [i for i in x if i]", "def g(z):", "class C(B):", "return lambda: 1"]
    ]


def test_async_forms_are_like_the_others() -> None:
    """With their own words."""
    found = flow("async with x as y:\n    async for z in y:\n        await z\n    yield z", "async def f(x):")
    texts = [one.text for each in found.blocks for one in each.statements]
    assert texts == ["async with x as y:", "async for z in y:", "await z", "yield z", "end of async with x as y"]


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("a = 1\nif a:\n    b()\n", None, ["a = 1", "if a:", "b()"]),
        ("f = lambda x: g(x)\n", (1, 4), ["return g(x)"]),
        ("class A:\n    b = 1\n    def m(self): pass\n", (1, 0), ["b = 1", "def m(self):"]),
        ("@d\ndef f():\n    pass\n", (2, 0), ["pass"]),
    ],
)
def test_every_scope_has_one(text: str, at: tuple[int, int] | None, said: list[str]) -> None:
    """Modules, lambdas, class bodies, decorated functions."""
    found = control_flow(text.encode(), "a.py", at)
    assert found is not None
    assert [one.text for each in found.blocks for one in each.statements] == said


@pytest.mark.parametrize(("text", "at"), [("def f(): pass\n", (2, 0)), ("def f(:\n", None), (f"x = {'-' * 100_000}1\n", None)])
def test_where_there_is_no_such_scope_there_is_none(text: str, at: tuple[int, int] | None) -> None:
    """Or the text is not one of Python."""
    assert control_flow(text.encode(), "a.py", at) is None


# ------------------------------------------------------------------------------------------------ held against what Python does

N_DECISIONS = 60
ASKING = ("COPY", "LOAD_GLOBAL")  # how the head of an `except*` begins; Python tells it again where a group is put together
SIMPLE = ("tick()", "a = may()", "pass", "a = 1", "assert may() >= 0", "[may() for _ in few()]")
INNER = st.sampled_from(SIMPLE)
Body = list[str]


def indented(body: Iterable[str]) -> Body:
    return [f"    {line}" for line in body]


@st.composite
def statement(draw: st.DrawFn, in_loop: str, depth: int) -> Body:  # noqa: C901 # a line for each kind
    """A statement of any kind, a line each; `in_loop` says which jumps may stand there."""
    leaf = ["simple"] * 4 + ["return", "raise", *(["break", "continue"] if in_loop else [])]
    kinds = leaf if depth == 0 else [*leaf, "if", "elif", "while", "for", "try", "finally", "with", "match", "star", "forever"]
    kind = draw(st.sampled_from(kinds))

    def body(jumps: str = in_loop) -> Body:
        return indented(draw(block(jumps, depth - 1)))

    match kind:
        case "simple":
            return [draw(INNER)]
        case "return":
            return ["return may()"]
        case "raise":
            return [draw(st.sampled_from(["raise Odd", "raise Even"]))]
        case "break" | "continue":
            return [kind]
        case "if":
            return ["if take():", *body(), *draw(st.sampled_from([[], ["else:", *body()]]))]
        case "elif":
            return ["if take():", *body(), "elif take():", *body(), "else:", *body()]
        case "while":
            return ["while take():", *body("loop"), *draw(st.sampled_from([[], ["else:", *body()]]))]
        case "forever":
            return ["while True:", "    tick()", *body("loop")]  # so that it ends, whatever is caught below
        case "for":
            return ["for a in few():", *body("loop"), *draw(st.sampled_from([[], ["else:", *body()]]))]
        case "try":
            handler = draw(st.sampled_from(["except Odd:", "except (Odd, Even) as e:", "except:", "except BaseException:"]))
            first = draw(st.sampled_from([[], ["except Even:", *body()]]))
            return ["try:", *body(), *first, handler, *body(), *draw(st.sampled_from([[], ["else:", *body()]]))]
        case "finally":
            handled = draw(st.sampled_from([[], ["except Odd:", *body()]]))
            return ["try:", *body(), *handled, "finally:", *indented(draw(block("", min(depth - 1, 1))))]
        case "star":
            inner = indented(draw(st.lists(INNER, min_size=1, max_size=3)))
            return ["try:", *body(), "except* Odd:", *inner, "except* Even:", *inner]
        case "with":
            return [draw(st.sampled_from(["with ends():", "with keeps() as a:"])), *body()]
        case _:
            last = draw(st.sampled_from([["    case _:"], ["    case b if take():"], ["    case (3 | 4):"]]))
            return ["match may():", "    case 1:", *indented(body()), *last, *indented(body())]


def block(in_loop: str, depth: int) -> st.SearchStrategy[Body]:
    """One to three statements."""
    return st.lists(statement(in_loop, depth), min_size=1, max_size=3).map(lambda each: [line for part in each for line in part])


class Odd(Exception):  # noqa: N818 # as short as the programs that raise it
    pass


class Even(Exception):  # noqa: N818
    pass


class OutOfFuel(BaseException):
    pass


class Chance:
    """What a made-up program decides by; it ends when nothing is left to decide."""

    def __init__(self, decisions: list[int]) -> None:
        self.left = iter(decisions)

    def tick(self) -> int:
        try:
            return next(self.left)
        except StopIteration:
            raise OutOfFuel from None

    def take(self) -> bool:
        return self.tick() % 2 == 0

    def may(self) -> int:
        found = self.tick()
        if found == 7:
            raise Odd
        if found == 8:
            raise Even
        return found % 4

    def few(self) -> Iterator[int]:
        return iter(range(self.tick() % 3))


class Context:
    """Ends exceptions, or lets them pass."""

    def __init__(self, ends: bool) -> None:
        self.ends = ends

    def __enter__(self) -> int:
        return 1

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return self.ends and kind is not None and issubclass(kind, Exception)


def lines_run(text: str, decisions: list[int]) -> list[int]:
    """The lines of the function that Python says it runs, one after the other."""
    chance = Chance(decisions)
    names: dict[str, object] = {"Odd": Odd, "Even": Even, "ends": lambda: Context(True), "keeps": lambda: Context(False)}
    names |= {name: getattr(chance, name) for name in ("tick", "take", "may", "few")}
    exec(compile(text, "made_up.py", "exec"), names)  # names are those of this test alone
    function = names["f"]
    assert isinstance(function, FunctionType)
    groups = {number for number, line in enumerate(text.split("\n"), start=1) if "except*" in line}
    return [line for line, operation in traced(function, function.__code__) if line not in groups or operation in ASKING]


def traced(function: Callable[[], object], code: CodeType) -> list[tuple[int, str]]:
    """The lines that run, each with the operation that it begins with."""
    lines: list[tuple[int, str]] = []

    def local(frame: FrameType, event: str, _: object) -> Any:
        if event == "line" and not is_tidying(code, frame.f_lasti):
            lines.append((frame.f_lineno, dis.opname[code.co_code[frame.f_lasti]]))
        return local

    def begin(frame: FrameType, _: str, __: object) -> Any:
        return local if frame.f_code is code else None

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        function()
    except (Exception, OutOfFuel):  # the program may end as it likes
        pass
    finally:
        sys.settrace(before)
    return lines


def is_tidying(code: CodeType, at: int) -> bool:
    """Whether an exception goes on here: the compiler tells that at some line near by, where nothing of the text runs."""
    here, then = (dis.opname[code.co_code[place]] for place in (at, min(at + 2, len(code.co_code) - 2)))
    return here == "RERAISE" or (here, then) == ("COPY", "POP_EXCEPT")


class Steps:
    """Which statement can follow which, as the blocks say."""

    def __init__(self, found: ControlFlow) -> None:
        blocks_by_number = {each.number: each for each in found.blocks}
        self.statements = {one.number: one for each in found.blocks for one in each.statements}
        self.following: dict[int, set[int]] = {}
        leading: dict[int, set[int]] = {}
        raising: dict[int, set[int]] = {}
        for way in found.branches:
            first = [one.number for one in blocks_by_number[way.end].statements[:1]]
            leading.setdefault(way.start, set()).update(first)
            if way.turn is Turn.RAISES:
                raising.setdefault(way.start, set()).update(first)
        for each in found.blocks:
            for one, following in zip(each.statements, each.statements[1:], strict=False):
                self.following[one.number] = {following.number} | raising.get(each.number, set())
            for one in each.statements[-1:]:
                self.following[one.number] = leading.get(each.number, set())
        self.first = self.seen_from(leading.get(0, set()))

    def seen_from(self, arriving: set[int]) -> set[int]:
        """What may be seen next: what follows, and what follows that where nothing can be seen of it."""
        found: set[int] = set()
        waiting = list(arriving)
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                if self.statements[number].is_silent or self.statements[number].is_added:
                    waiting += self.following[number]
        return found

    def on(self, line: int) -> set[int]:
        """The statements, or heads of them, that stand on a line."""
        return {number for number, one in self.statements.items() if one.start[0] <= line <= one.end[0]}

    def after(self, numbers: Iterable[int]) -> set[int]:
        return {found for number in numbers for found in self.seen_from(self.following[number])}


def first_impossible(found: ControlFlow, lines: list[int]) -> int | None:
    """The first line that no way of the blocks leads to; None where all have one."""
    steps = Steps(found)
    possible = steps.first
    for line in lines:
        here = possible & steps.on(line)
        if not here:
            return line
        possible = steps.after(here)
    return None


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(block("", 3), st.lists(st.integers(0, 9), max_size=N_DECISIONS))
def test_whatever_runs_is_a_way_through_the_blocks(body: Body, decisions: list[int]) -> None:
    """Every line that Python goes to is one that a branch leads to, or the next of its block."""
    text = "\n".join(["def f():", *indented(body), ""])
    found = control_flow(text.encode(), "made_up.py", (1, 0))
    assert found is not None
    lines = lines_run(text, decisions)
    assert first_impossible(found, lines) is None, f"{text}\n{lines}"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(block("", 3))
def test_every_statement_is_in_one_block(body: Body) -> None:
    """Whatever the text is; and the entry reaches all blocks but those that say that nothing leads there."""
    text = "\n".join(["def f():", *indented(body), ""])
    found = control_flow(text.encode(), "made_up.py", (1, 0))
    assert found is not None
    statements = [one for each in found.blocks for one in each.statements if not one.is_added]
    assert sorted(one.start for one in statements) == sorted(starts(text))
    assert len({one.number for one in statements}) == len(statements)
    ends = {way.end for way in found.branches if found.blocks[way.start].is_reachable}
    assert all(each.is_reachable == (each.number in ends) for each in found.blocks if each.role is not BlockRole.ENTRY)


def starts(text: str) -> Iterator[tuple[int, int]]:
    """Where the statements, handlers and cases of the function stand."""
    tree = ast.parse(text)
    for node in ast.walk(tree.body[0]):
        if isinstance(node, ast.match_case):
            yield (node.pattern.lineno, node.pattern.col_offset)
        elif isinstance(node, ast.stmt | ast.ExceptHandler) and node is not tree.body[0]:
            yield (node.lineno, node.col_offset)


def test_a_way_that_is_missing_is_noticed() -> None:
    """The check above can fail: without the way back, a second turn is impossible."""
    text = "def f():\n    while take():\n        tick()\n"
    found = control_flow(text.encode(), "a.py", (1, 0))
    assert found is not None
    lines = lines_run(text, [0, 1, 0, 1, 1])
    assert lines == [2, 3, 2, 3, 2]
    without = ControlFlow(found.blocks, tuple(way for way in found.branches if way.turn is not Turn.AGAIN))
    assert first_impossible(found, lines) is None
    assert first_impossible(without, lines) == 2


def test_a_statement_knows_what_it_stands_in() -> None:
    """The heads around it, outermost first; an `elif` stands as deep as its `if`."""
    found = flow("for a in x:\n    if a:\n        b\n    elif y:\n        c")
    by_text: dict[str, Statement] = {one.text: one for each in found.blocks for one in each.statements}
    heads = [by_text[text].number for text in ("for a in x:", "if a:")]
    assert by_text["c"].inside == by_text["b"].inside == by_text["elif y:"].inside == tuple(heads)


def library_runs() -> None:
    """Some functions of the standard library that branch, loop, raise and catch."""
    textwrap.fill("many words that are wrapped " * 9, 30, initial_indent="* ", break_long_words=True)
    shlex.split('a \'b c\' "d\\"e" # f', comments=True)
    with contextlib.suppress(ValueError):
        json.loads('{"a": [1, 2.5, null, "\\u00e9"], "b": {}, "c": [')
    parser = configparser.ConfigParser()
    parser.read_string("[a]\nb = 1\nc = %(b)s\n# nothing\n[d]\ne = 2\n  3\n")
    parser.get("a", "c")
    with contextlib.suppress(configparser.Error):
        parser.get("z", "c")
    difflib.get_close_matches("appel", ["ape", "apple", "peach"])
    calendar.TextCalendar().formatmonth(2024, 2)


def steps_taken(run: Callable[[], None]) -> dict[CodeType, set[tuple[int, int]]]:
    """For each function of the standard library that runs, which line followed which. Generators are left out: they go on
    somewhere else than they begin."""
    found: dict[CodeType, set[tuple[int, int]]] = {}
    last: dict[int, int] = {}

    def local(frame: FrameType, event: str, _: object) -> Any:
        if event == "line" and not is_tidying(frame.f_code, frame.f_lasti):
            found.setdefault(frame.f_code, set()).add((last.get(id(frame), 0), frame.f_lineno))
            last[id(frame)] = frame.f_lineno
        return local

    def begin(frame: FrameType, _: str, __: object) -> Any:
        last.pop(id(frame), None)
        code = frame.f_code
        is_plain = code.co_name.isidentifier() and not code.co_flags & inspect.CO_GENERATOR
        return local if is_plain and code.co_filename.startswith(os.path.dirname(textwrap.__file__)) else None

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        run()
    finally:
        sys.settrace(before)
    return found


def test_the_standard_library_runs_along_its_blocks() -> None:
    """What real functions do is a way through their blocks, too."""
    taken = steps_taken(library_runs)
    assert sum(map(len, taken.values())) > 300
    assert not [(code.co_qualname, pair) for code, pairs in taken.items() for pair in impossible(steps_of(code), pairs)]


@cache
def functions_of(path: str) -> dict[tuple[str, int], tuple[int, int]]:
    """Where the `def` of each function of a file stands, by its name and the line where it begins with its decorators."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(ast.parse(Path(path).read_bytes())) if isinstance(node, kinds)]
    begins = [min(each.lineno for each in (node, *node.decorator_list)) for node in nodes]
    return {(node.name, line): (node.lineno, node.col_offset) for node, line in zip(nodes, begins, strict=True)}


def steps_of(code: CodeType) -> Steps:
    """Which statement can follow which in a function that has run."""
    at = functions_of(code.co_filename)[code.co_name, code.co_firstlineno]
    found = control_flow(Path(code.co_filename).read_bytes(), code.co_filename, at)
    assert found is not None
    return Steps(found)


def impossible(steps: Steps, pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The pairs of lines of which the second cannot follow the first (0: the beginning). A statement of several lines may be told
    line by line."""
    for before, line in pairs:
        first, second = steps.on(before), steps.on(line)
        if not second & (first | steps.after(first) if before else steps.first):
            yield before, line
