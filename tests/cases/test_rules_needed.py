"""Every rule of the engine earns its place by a case."""

from __future__ import annotations

import pytest

from flowmap.solve.rules import RULES, Rule
from tests.cases.adapter import analyze, analyze_with
from tests.cases.reading import Case, all_cases


def name_of(rule: Rule) -> str:
    """A rule is named by its function; `Needs:` lines in the cases use this name."""
    return rule.name


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.place}-{rule.name}".replace(" ", "_"))
def test_some_case_needs_the_rule(rule: Rule) -> None:
    """Without the rule the answers of at least one case change; cases that say `Needs:` are asked first."""
    others = tuple(other for other in RULES if other is not rule)
    cases = sorted((case for case in all_cases() if not case.assumes), key=lambda case: name_of(rule) not in case.needs)
    assert any(answers_change(case, others) for case in cases), f"no case needs rule {name_of(rule)}"


def answers_change(case: Case, rules: tuple[Rule, ...]) -> bool:
    """Whether an engine of these rules says something else of a case than the whole engine: targets, statuses, names outside."""
    return analyze_with(case, rules) != analyze(case)


def test_needs_lines_name_rules() -> None:
    """A `Needs:` line names a rule that exists."""
    known = {name_of(rule) for rule in RULES}
    assert not {name for case in all_cases() for name in case.needs} - known
