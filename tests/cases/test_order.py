"""Made-up programs: whatever their expressions and statements are, calls are told in the order in which they happen."""

from __future__ import annotations

import itertools
import re

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.cases.adapter import analyze
from tests.cases.reading import Case
from tests.cases.running import run
from tests.cases.test_cases import in_order

CALL = "call_()"  # each becomes the call of a function of its own
ANSWERS = """\
class V:
    x = y = 1
    def __add__(self, other): return self
    __iadd__ = __neg__ = __add__
    def __neg__(self): return self
    def __getitem__(self, key): return self
    def __setitem__(self, key, value): ...
    def __delitem__(self, key): ...
    def __lt__(self, other): return True
    def __contains__(self, other): return True
    def __call__(self, *given, **named): return self
    def __enter__(self): return self
    def __exit__(self, *given): return None
    def __iter__(self): return iter([1])
    def __delattr__(self, name): ...
    def __mro_entries__(self, bases): return ()
def any_of(*given): return V()
def apply(*given): return lambda function: function
"""
EXPRESSIONS = (
    "({} + {})",
    "{}[{}]",
    "{}[{}:{}]",
    "({} if {} else {})",
    "{}({}, k={})",
    "{}({}, *[{}], k={}, **{{'q': {}}})",
    "any_of([{} for _ in {} if {}])",
    "any_of({{{}: {} for _ in {} for __ in {}}})",
    "any_of({{1: {}, **{{}}, 2: {}}})",
    "any_of({} < {} < {})",
    "any_of(f'{{{}!r}} {{len(str({})):{{len(str({}))}}}}')",
    "({} and {} or {})",
    "any_of(w := {}, {})",
    "any_of([*{}, {}], {{*{}}}, ({}, not {}))",
    "any_of(lambda q={}: {}, {} in {})",
    "any_of({}.x, -{})",
)
STATEMENTS = (
    "{}.x = {}",
    "{}[{}] = {}.y = one = {}",
    "{}.x, {}[{}] = {}, {}",
    "{}.x, {}[{}] = [{}, {}]",
    "{}.x += {}",
    "{}[{}] += {}",
    "{}[{}]: int = {}",
    "{}[{}]: int",
    "del {}[{}], {}.x",
    "return {}",
    "assert {}, {}",
    "raise ValueError({}) from KeyError({})",
    "with {} as {}.x, {}: {}",
    "for {}.x in {}: {}\n    else: {}",
    "while not {}: {}\n    else: {}",
    "try: {}\n    except ValueError: {}\n    else: {}\n    finally: {}",
    "match {}:\n        case 3: {}\n        case _ if {}: {}",
    "@apply({})\n    @apply({})\n    def inner(a={}, *, b={}): {}",
    "@apply({})\n    class Inner({}, metaclass=any_type({})): {}",
)


def filled(template: str, parts: list[str]) -> str:
    """A template with an expression in each of its places."""
    return template.format(*itertools.islice(itertools.cycle(parts), template.count("{}")))


def built_from(templates: tuple[str, ...], inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """One of the templates, filled."""
    return st.builds(filled, st.sampled_from(templates), st.lists(inner, min_size=5, max_size=5))


EXPRESSION = st.recursive(st.just(CALL), lambda inner: built_from(EXPRESSIONS, inner), max_leaves=8)
FUNCTIONS = st.lists(built_from(STATEMENTS, EXPRESSION), min_size=20, max_size=40)


def program_of(statements: list[str]) -> str:
    """A program that runs each statement in a function of its own."""
    numbers = itertools.count()
    bodies = [re.sub(re.escape(CALL), lambda _: f"call_{next(numbers)}()", statement) for statement in statements]
    functions = [f"def run_{number}():\n    {body}\n" for number, body in enumerate(bodies)]
    runs = [f"try: run_{number}()\nexcept Exception: ...\n" for number in range(len(bodies))]
    calls = [f"def call_{number}(): return V()\n" for number in range(next(numbers))]
    return "".join([ANSWERS, "def any_type(given): return type\n", *calls, *functions, *runs])


@settings(max_examples=4, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
@given(FUNCTIONS)
def test_calls_happen_in_the_order_that_is_told(statements: list[str]) -> None:
    """The first run of each function, compared with the order of its sites."""
    case = Case("made up", "order", (("app.py", program_of(statements)),), ())
    steps = dict(analyze(case).steps)
    called = {caller: callees for caller, callees in run(case).firsts if caller.startswith("app.run_")}
    assert called
    wrong = [statements[int(caller.rpartition("_")[2])] for caller in called if not in_order(called[caller], steps[caller])]
    assert not wrong, "\n".join(wrong)
