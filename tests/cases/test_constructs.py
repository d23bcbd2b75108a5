"""Every construct has a case that shows it and one that denies something; the manual's table of them is made from the cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.constructs import load_constructs
from tests.cases.reading import Case, all_cases

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "constructs.md"
HEAD = """# Constructs and their cases

This page is made from the cases (`make goldens`). For each construct of Python: the cases that show what flowmap answers, and
those that hold it to what must *not* be answered, though a weaker tool would. [How to read a case](../../tests/cases/README.md).
"""


def shown_and_denied(name: str) -> tuple[list[Case], list[Case]]:
    """The cases that show a construct and those that deny something for it; one with an answer known to be wrong does neither."""
    right = [case for case in all_cases() if case.is_right]
    return [case for case in right if name in case.shows], [case for case in right if name in case.denies]


@pytest.mark.parametrize("name", load_constructs().names)
def test_a_construct_is_covered_or_open(name: str) -> None:
    """Both kinds of case are there, or the construct is in the list of open ones; that list only gets shorter."""
    shown, denied = shown_and_denied(name)
    is_open = name in load_constructs().open
    lacking = [word for word, cases in (("Shows", shown), ("Denies", denied)) if not cases]
    assert lacking or not is_open, f"`{name}` is covered: take it out of `open` in constructs.toml"
    assert is_open or not lacking, f"no case says `{lacking[0]}: {name}.`"


def test_no_construct_stands_twice() -> None:
    """Each has one row, and what is open has one, too."""
    names = load_constructs().names
    assert len(names) == len(set(names))
    assert load_constructs().open <= set(names)


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(part for group, names in load_constructs().groups for part in section(group, names))])


def section(group: str, names: tuple[str, ...]) -> Iterator[str]:
    """The table of one group."""
    yield f"## {group[:1].upper()}{group[1:]}\n"
    yield "| construct | shown by | what is not answered |\n|---|---|---|"
    for name in names:
        shown, denied = shown_and_denied(name)
        yield f"| `{name}` | {links(shown)} | {links(denied)} |"
    yield ""


def links(cases: list[Case]) -> str:
    """Links to the headings of cases."""
    return "<br>".join(f"[{escaped(case.heading)}](../../tests/cases/{case.group}.md#{anchor(case.heading)})" for case in cases)


def escaped(heading: str) -> str:
    """A heading as a table takes it."""
    return heading.replace("|", "\\|").replace("[", "\\[").replace("]", "\\]")


def anchor(heading: str) -> str:
    """What a heading is linked by: small letters, no punctuation, dashes for blanks."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.golden
def test_the_page_is_what_the_cases_say(request: pytest.FixtureRequest) -> None:
    """The manual lists no case that is not there, and leaves out none."""
    text = page()
    if request.config.getoption("--rewrite-goldens"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, "see how with: make goldens && git diff docs"
