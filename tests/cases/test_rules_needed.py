"""Every rule of the engine earns its place by a case."""

from __future__ import annotations

import pytest

from flowmap.solve.rules import RULES, Rule
from tests.cases.adapter import analyze, analyze_with
from tests.cases.reading import Case, all_cases


def name_of(rule: Rule) -> str:
    """A rule is named by its function; `Needs:` lines in the cases use this name."""
    return rule.name


NO_EFFECT_YET = {"copy_positions": "every element of the copy also stands at its unknown position, which each position gives"}


def as_parameter(rule: Rule) -> object:
    """A rule that changes nothing yet is expected to; the test fails as soon as it does change something."""
    reason = NO_EFFECT_YET.get(name_of(rule))
    marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
    return pytest.param(rule, marks=marks, id=f"{rule.place}-{name_of(rule)}".replace(" ", "_"))


@pytest.mark.parametrize("rule", [as_parameter(rule) for rule in RULES])
def test_some_case_needs_the_rule(rule: Rule) -> None:
    """Without the rule the answers of at least one case change; cases that say `Needs:` are asked first."""
    others = tuple(other for other in RULES if other is not rule)
    cases = sorted(all_cases(), key=lambda case: name_of(rule) not in case.needs)
    assert any(answers_change(case, others) for case in cases), f"no case needs rule {name_of(rule)}"


def answers_change(case: Case, rules: tuple[Rule, ...]) -> bool:
    """Whether an engine of these rules says something else of a case than the whole engine: targets, statuses, names outside."""
    return analyze_with(case, rules) != analyze(case)


def test_needs_lines_name_rules() -> None:
    """A `Needs:` line names a rule that exists."""
    known = {name_of(rule) for rule in RULES}
    assert not {name for case in all_cases() for name in case.needs} - known
