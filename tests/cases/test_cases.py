"""Holds every case against the engine, and the case itself against Python: see README.md in this folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from tests.cases.adapter import Analysis, analyze
from tests.cases.reading import Answer, Case, all_cases
from tests.cases.running import function_symbols, run, straight_callers

every_case = pytest.mark.parametrize("case", all_cases(), ids=str)


@every_case
def test_the_answers_are_those_under_the_carets(case: Case) -> None:
    """At each marked site the engine names exactly the targets that the case names."""
    analysis = analyze(case)
    wrong = [message for answer in case.answers if (message := judge(answer, targets_at(analysis, answer)))]
    assert not wrong, "\n".join(wrong)


@every_case
def test_the_class_orders_are_those_of_python(case: Case) -> None:
    """The order of every class is the `__mro__` that it has when the program runs."""
    static = dict(analyze(case).orders)
    assert {name: static.get(name) for name, _ in run(case).orders} == dict(run(case).orders)


@every_case
def test_no_call_that_happens_is_missing(case: Case) -> None:
    """Every call between the case's functions that the run makes is among the targets at its line, or marked known-wrong."""
    known = {(a.file, a.line, target) for a in case.answers if a.right is not None for target in a.right}
    found = {(s.file, line, target) for s in analyze(case).sites for line in (s.line, s.name_line) for target in s.targets}
    assert not sorted(run(case).calls - found - known)


@every_case
def test_what_a_case_claims_happens(case: Case) -> None:
    """A named target without `?` is called from that very line when the program runs, unless it runs later or elsewhere."""
    checkable = function_symbols(case)
    invented = [
        f"{answer.file}:{answer.line}: {target} is never called from here"
        for answer in case.answers
        if answer.kind != "border"
        for target in sorted(answer.seen & checkable - run(case).at(answer.file, answer.line))
    ]
    assert not invented, "\n".join(invented)


@every_case
def test_calls_happen_in_the_order_that_is_told(case: Case) -> None:
    """What one site alone may run, and nothing else, runs in the order of the sites when its caller first runs."""
    steps, straight = dict(analyze(case).steps), straight_callers(case)
    assert not [
        caller for caller, called in run(case).firsts if caller in straight and not in_order(called, steps.get(caller, ()))
    ]


RUN_LATER = (".__exit__", ".__aexit__", ".__format__", ".__str__", ".__repr__")  # part of a site runs again, or behind others


def in_order(called: Sequence[str], steps: Sequence[frozenset[str]]) -> bool:
    """Whether first calls come in the order of the sites."""
    told = turns(steps)
    happened = [callee for callee in called if callee in told and not callee.endswith(RUN_LATER)]
    return happened == sorted(happened, key=told.__getitem__)


def turns(steps: Sequence[frozenset[str]]) -> dict[str, int]:
    """Which site runs each target, of those that one site alone runs, and that run alone there."""
    counted = Counter(target for targets in steps for target in targets)
    return {target: turn for turn, targets in enumerate(steps) for target in targets if counted[target] == len(targets) == 1}


def targets_at(analysis: Analysis, answer: Answer) -> frozenset[str]:
    """All targets that the engine gives at the site of an answer; the site itself is found by place, kind and text."""
    place = (answer.file, answer.line, answer.col, answer.kind, answer.expr)
    return frozenset(t for s in analysis.sites if (s.file, s.line, s.col, s.kind, s.expr) == place for t in s.targets)


def judge(answer: Answer, given: frozenset[str]) -> str:
    """What is wrong with the targets given, "" when they are those of the case."""
    if given == answer.targets:
        return ""
    where = f"{answer.file}:{answer.line}: {answer.expr}"
    if given == answer.right:
        return f"{where}: this is right now; take the [known-wrong] mark away"
    return f"{where}: missing {sorted(answer.targets - given)}, too many {sorted(given - answer.targets)}"
