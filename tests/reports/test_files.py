"""What is said of whole files: of one that did not parse, and of classes inside functions."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.program import Confidence
from flowmap.model.view import Paragraph, View
from flowmap.render.lines import write_lines
from flowmap.reports.export_calls import export_calls
from flowmap.reports.module import module
from flowmap.reports.phrases import Detail
from flowmap.reports.show import show
from flowmap.reports.site_lists import ListQuestion
from flowmap.reports.subjects import find
from flowmap.reports.summary import N_PROBLEMS, summary
from flowmap.store.index import Index
from tests.programs import index_of
from tests.reports.test_answers import texts

APP = """\
from inner import *


def outer():
    class Inside:
        def go(self): ...

    def only():
        ...

    return Inside().go()


def plain():
    def nested(): ...

    return nested


found = tool()
print(found)
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Files of which one is no Python and one is empty."""
    files = {"app.py": APP, "inner.py": "def tool(): ...\n", "bad.py": "x = 1\n\ndef f(:\n", "empty.py": ""}
    return index_of(tmp_path_factory.mktemp("files"), files)


def paragraphs(view: View) -> str:
    """The text between trees and tables."""
    return " ".join("".join(span.text for span in block.line) for block in view.blocks if isinstance(block, Paragraph))


def test_show_says_that_a_file_did_not_parse(index: Index) -> None:
    """Its text is shown; that no call is marked in it has this reason."""
    bad, good = (show(index, ListQuestion(name, Confidence.INFERRED, Detail.BRIEF)) for name in ("bad.py", "app.py"))
    assert "did not parse" in paragraphs(bad)
    assert "line 3" in paragraphs(bad)
    assert "parse" not in paragraphs(good)


def test_a_problem_of_a_file_stands_at_its_line(index: Index) -> None:
    """As an editor needs it."""
    spans = [span for block in summary(index, Detail.BRIEF).blocks for root in getattr(block, "roots", ()) for span in root.line]
    assert [str(span.place) for span in spans if span.place] == ["bad.py:3"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("f", "It stands in what did not parse: bad.py"),
        ("app.f", "It stands in what did not parse: bad.py"),
        ("nothing_like_it", "1 file did not parse, and may have it: flowmap index -v"),
    ],
)
def test_a_name_that_is_not_there_may_stand_in_a_file_that_did_not_parse(index: Index, name: str, said: str) -> None:
    """Which of them has the word, or how many there are."""
    with pytest.raises(FlowmapError, match="no such name") as raised:
        find(index, name)
    assert said in raised.value.problems[0].fix


def test_where_all_files_parsed_a_field_is_told_from_nothing(tmp_path: Path) -> None:
    """`state` knows fields; of a name that is none, nor like any, nothing more is said."""
    fine = index_of(tmp_path, {"app.py": "class C:\n    def __init__(self, x):\n        self.field = x\n"})
    for name, fix in (
        ("field", "It is a field: flowmap state field"),
        ("C.field", "flowmap state C.field"),
        ("D.field", ""),
        ("zz", ""),
    ):
        with pytest.raises(FlowmapError) as raised:
            find(fine, name)
        assert raised.value.problems[0].fix.endswith(fix)
        assert bool(fix) is ("state" in raised.value.problems[0].fix)


def test_all_problems_are_there_for_programs(tmp_path: Path) -> None:
    """A reader sees the first few and a count; lines hold them all, each with its place, what is wrong, and what to do."""
    broken = index_of(tmp_path, {"good.py": "", **{f"bad{number}.py": "x = 1\ndef (:\n" for number in range(N_PROBLEMS + 3)}})
    assert "+ 3 more, all with -v" in texts(summary(broken, Detail.BRIEF))
    stream = io.StringIO()
    write_lines(summary(broken, Detail.BRIEF, sys.maxsize), stream)
    lines = stream.getvalue().splitlines()
    assert len(lines) == N_PROBLEMS + 3
    assert lines[0] == "bad0.py:2:1: invalid syntax → mend the file, or leave it out with --exclude"


def test_classes_inside_functions_are_in_the_dossier(index: Index) -> None:
    """With their methods; other nested functions come with `-v`."""
    brief, full = (texts(module(index, "app.py", detail)) for detail in (Detail.BRIEF, Detail.FULL))
    assert {"Inside  app.py:5", "go(self)  app.py:6"} <= set(brief)
    assert not {"only()  app.py:8", "nested()  app.py:15"} & set(brief)
    assert {"only()  app.py:8", "nested()  app.py:15", "Inside  app.py:5"} <= set(full)


def test_every_step_of_evidence_says_something(index: Index) -> None:
    """None is empty, and none stands on a line 0."""
    steps = [
        step
        for row in export_calls(index, Confidence.INFERRED)
        for each in json.loads(row)["targets"]
        for step in each["evidence"]
    ]
    assert steps
    assert not [step for step in steps if ":0: " in step or not step.rpartition(": ")[2].strip()]


@pytest.mark.parametrize("path", ["/home/me/work/app.py", "../work/app.py", "./app.py", "app.py"])
def test_a_path_may_lead_to_the_source(index: Index, path: str) -> None:
    """As an editor gives it, from the root or from the folder above."""
    assert find(index, f"{path}:6")[0].symbol == "app.outer.<locals>.Inside.go"


@pytest.mark.parametrize("name", ["/home/me/work/other.py:6", "work/app.py:6"])
def test_a_path_that_leads_elsewhere_is_not_found(index: Index, name: str) -> None:
    """A folder that is not there is not ignored."""
    with pytest.raises(FlowmapError, match="no file or module"):
        find(index, name)


@pytest.mark.parametrize("name", ["app.py:", "app.py:x", "app.py:3-", "app.py:-3", "app.py:1-2"])
def test_what_is_nearly_a_place_is_no_name(index: Index, name: str) -> None:
    """The message says how a place is written; exit code 2."""
    with pytest.raises(FlowmapError, match="is not FILE:LINE") as raised:
        find(index, name)
    assert raised.value.code is ExitCode.USAGE


def test_an_empty_file_has_no_line_to_show(index: Index) -> None:
    """Which is a finding, not a wrong question."""
    with pytest.raises(FlowmapError, match="is empty") as raised:
        show(index, ListQuestion("empty.py", Confidence.INFERRED, Detail.BRIEF))
    assert raised.value.code is ExitCode.FINDING
