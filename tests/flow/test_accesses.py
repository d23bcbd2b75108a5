"""Holds every case of accesses against the index: see `state.md` in this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.access import AccessKind, LifeStage
from flowmap.model.program import Confidence
from flowmap.store.index import Index
from tests.flow.reading import Answer, Case, cases_in
from tests.programs import index_of

CASES = cases_in(Path(__file__).parent / "state.md")
KINDS, STAGES = tuple(AccessKind), tuple(LifeStage)
ON_LINE = """
SELECT n.name, a.col, a.end_col, a.kind, a.stage, s.text FROM access a JOIN field n ON n.id = a.field
LEFT JOIN owners o ON o.id = a.owners LEFT JOIN symbol s ON s.id = o.class WHERE a.line = ?
"""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_accesses_are_those_under_the_carets(case: Case, tmp_path: Path) -> None:
    """At each marked place the index holds exactly the accesses that the case names, with their owners and stage."""
    index = index_of(tmp_path, {"app.py": case.text})
    wrong = [message for answer in case.answers if (message := judge(index, answer))]
    assert not wrong, "\n".join(wrong)


def judge(index: Index, answer: Answer) -> str:
    """What is wrong with the accesses at a place, "" when they are those of the case."""
    rows = [row for row in index.rows(ON_LINE, answer.line) if row[1:3] in answer.cols]
    given = {f"{KINDS[kind]} {owner or '?'}.{field}" for field, _, _, kind, _, owner in rows}
    stages = {STAGES[row[4]].value for row in rows}
    if given != answer.accesses:
        return f"line {answer.line}: given {sorted(given)}, right {sorted(answer.accesses)}"
    if answer.stage and stages != {answer.stage}:
        return f"line {answer.line}: given the stage {sorted(stages)}, right {answer.stage}"
    return ""


def test_as_many_places_are_denied_as_a_weaker_tool_would_give() -> None:
    """A third of the cases say what must not be given."""
    denying = [case for case in CASES if any(not answer.accesses for answer in case.answers)]
    assert len(denying) * 3 >= len(CASES)


def test_no_access_is_given_twice(tmp_path: Path) -> None:
    """The base of an augmented assignment is evaluated once."""
    text = "class A:\n    def __init__(self):\n        self.b = self\n        self.b.n = 0\n        self.b.n += 1\n\nA()\n"
    index = index_of(tmp_path, {"app.py": text})
    query = "SELECT COUNT(*) - COUNT(DISTINCT file || ':' || line || ':' || col || ':' || end_col || ':' || field) FROM access"
    ((n_twice,),) = index.rows(query)
    assert n_twice == 0


def test_an_unknown_owner_is_possible_at_best(tmp_path: Path) -> None:
    """Nothing but the name speaks for it."""
    head = "class A:\n    def __init__(self):\n        self.n = 0\n\n"
    text = head + "def f(x):\n    return x.n\n\nf(A())\n\ndef g(y):\n    return y.n\n"
    index = index_of(tmp_path, {"app.py": text})
    rows = {row[0]: row[1] for row in index.rows("SELECT line, confidence FROM access WHERE kind = 0")}
    assert rows == {6: list(Confidence).index(Confidence.INFERRED), 11: list(Confidence).index(Confidence.POSSIBLE)}
