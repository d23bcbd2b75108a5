"""How a case is read."""

from __future__ import annotations

import pytest

from tests.cases.reading import BadCaseError, read_cases
from tests.cases.running import run


def case_of(code: str) -> str:
    """A markdown text of one case around a program."""
    return f"## a heading\nA sentence.\n```python\n{code}\n```\n"


def test_carets_name_the_expression_above_them() -> None:
    """The carets stand under the whole expression; a site's kind follows from what the expression is."""
    (case,) = read_cases("g", case_of("def f(): ...\nx = f()\n#   ^^^ -> app.f"))
    (answer,) = case.answers
    assert (answer.file, answer.line, answer.col, answer.expr, answer.kind) == ("app.py", 2, 4, "f()", "call")
    assert answer.targets == {"app.f"}


def test_carets_that_touch_the_comment_sign_count_it() -> None:
    """An expression in the first column is marked by carets right behind the `#`."""
    (case,) = read_cases("g", case_of("def f(): ...\nf()\n#^^ -> app.f"))
    assert case.answers[0].col == 0


def test_a_target_with_a_question_mark_need_not_run() -> None:
    """`?` marks an alternative that this run does not take; the engine must name it all the same."""
    (case,) = read_cases("g", case_of("f()\n#^^ -> app.f, app.g?"))
    assert case.answers[0].targets == {"app.f", "app.g"}
    assert case.answers[0].seen == {"app.f"}


def test_known_wrong_keeps_both_answers() -> None:
    """What the engine says today stands before the mark, what it should say inside."""
    (case,) = read_cases("g", case_of("f()\n#^^ -> nothing [known-wrong: should be app.f]"))
    assert not case.answers[0].targets
    assert case.answers[0].right == frozenset({"app.f"})


def test_a_program_may_have_several_files() -> None:
    """A first line `# file: PATH` names a file; without one it is `app.py`."""
    text = "## h\n```python\n# file: pkg/mod.py\n```\n\n```python\nimport pkg.mod\n```\n"
    assert [name for name, _ in read_cases("g", text)[0].files] == ["pkg/mod.py", "app.py"]


@pytest.mark.parametrize(
    "code",
    ["f()\n#^ -> app.f", "f()\n#^^ > app.f", "f()\n#^^", "x\n#^ -> nothing", "f(:\n#^^ -> app.f"],
    ids=["half an expression", "a misspelt arrow", "no answer", "no kind", "no Python"],
)
def test_a_case_that_says_nothing_certain_is_refused(code: str) -> None:
    """Carets that point at no site never pass in silence."""
    with pytest.raises(BadCaseError):
        read_cases("g", case_of(code))


def test_a_case_names_the_constructs_that_it_is_about() -> None:
    """`Shows:` names what works, `Denies:` what a weaker tool would give for a construct and flowmap does not."""
    text = "## h\nWhy.\nShows: closure, lambda.\nDenies: min(key=).\n```python\nf = lambda: 1\n```\n"
    (case,) = read_cases("g", text)
    assert (case.shows, case.denies) == (("closure", "lambda"), ("min(key=)",))


def test_an_unknown_construct_is_refused() -> None:
    """The message names the nearest that there is."""
    with pytest.raises(BadCaseError, match=r"unknown construct `lambdas`. Did you mean `lambda`\?"):
        read_cases("g", "## h\nWhy.\nShows: lambdas.\n```python\n```\n")


def test_the_run_sees_calls_through_other_code() -> None:
    """A function that `sorted` calls is called from the line of `sorted`; generators run later and are not looked at."""
    (case,) = read_cases("g", case_of("def f(x): return x\ndef g(): yield 1\nsorted([2, 1], key=f)\nlist(g())"))
    assert run(case).calls == {("app.py", 3, "app.f")}


def test_the_run_tells_class_orders() -> None:
    """Class orders come from Python itself."""
    (case,) = read_cases("g", case_of("class A: ...\nclass B(A): ..."))
    assert dict(run(case).orders) == {"app.A": ("app.A",), "app.B": ("app.B", "app.A")}


def test_a_program_that_fails_is_no_case() -> None:
    """A case must run to its end."""
    (case,) = read_cases("g", case_of("raise ValueError"))
    with pytest.raises(AssertionError, match="the program fails"):
        run(case)
