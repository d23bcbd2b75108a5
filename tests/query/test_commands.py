"""`flowmap query`, `flowmap queries` and `flowmap export state --query`, as a user types them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from zipfile import ZipFile

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.query.files import query_file, query_files
from tests.conftest import Command

APP = (
    "class Result:\n    def __init__(self, n):\n        self.size = n\n\n\ndef main(n):\n    return Result(n).size\n\n\nmain(3)\n"
)
SIZES = """question = "Who reads and who writes the size?"

[[find]]
what = "All of it"
fields = ["Result.size"]

[[find]]
functions = ["main"]

[expect."1.0"]
at_least = 3
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a query of its own, where a user stands."""
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    (tmp_path / "flowmap.toml").write_text('source = "."\n', encoding="utf-8")
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "sizes.toml").write_text(SIZES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("project")
def test_a_query_of_ones_own_has_a_name(flowmap: Command) -> None:
    """And can be named as a file; both give the same answer."""
    by_name, by_file = flowmap("query", "sizes").stdout, flowmap("query", os.path.join("queries", "sizes.toml")).stdout
    assert by_name == by_file
    assert by_name.startswith("sizes  Who reads and who writes the size?\n3 answers in 2 functions\n")
    assert "All of it  2 answers" in by_name
    assert "app.py:3  Result.__init__  write, stored  self.size" in by_name


@pytest.mark.usefixtures("project")
def test_a_query_answers_in_all_formats(flowmap: Command) -> None:
    """Editors get places, programs the record."""
    assert flowmap("query", "sizes", "--format", "lines").stdout.startswith("app.py:3:9: Result.__init__ write, stored self.size")
    record = json.loads(flowmap("query", "sizes", "--format", "json").stdout)["record"]
    assert (record["query"], record["question"]) == ("sizes", "Who reads and who writes the size?")
    everything, functions = record["parts"]
    assert [(hit["line"], hit["kind"], hit["stage"], hit["owners"]) for hit in everything["hits"]] == [
        (3, "write", "stored", ["app.Result"]),
        (7, "read", "loaded", ["app.Result"]),
    ]
    assert [(hit["function"], hit["kind"], hit["expr"]) for hit in functions["hits"]] == [("app.main", "function", "(n)")]


@pytest.mark.usefixtures("project")
def test_a_narrow_page_is_not_exceeded(flowmap: Command) -> None:
    """Nothing is wider than the terminal."""
    for command in (("query", "sizes"), ("queries",)):
        assert max(map(len, flowmap(*command, COLUMNS="80").stdout.splitlines())) <= 80


def test_what_is_wrong_with_a_file_is_said_at_once(flowmap: Command, project: Path) -> None:
    """Before anything is indexed; exit code 2."""
    text = 'quesion = "x"\n[[find]]\nfield = ["size"]\n'
    (project / "queries" / "wrong.toml").write_text(text, encoding="utf-8")
    said = flowmap("query", "wrong", code=2, FLOWMAP_CACHE=str(project / "cache")).stderr
    assert "unknown key `quesion`" in said
    assert "Did you mean `fields`?" in said
    assert not (project / "cache" / "index").exists()


@pytest.mark.usefixtures("project")
def test_a_query_that_is_not_there_is_answered_with_the_nearest(flowmap: Command) -> None:
    """A file that is not there is said to be none."""
    assert "Did you mean sizes?" in flowmap("query", "size", code=2).stderr
    assert "`flowmap queries` lists them all" in flowmap("query", "nothing-like-it", code=2).stderr
    assert "there is no such file" in flowmap("query", "queries/size.toml", code=2).stderr
    flowmap("query", " ", code=2)


def test_names_that_are_gone_are_a_finding(flowmap: Command, project: Path) -> None:
    """Exit code 1, with the nearest names."""
    (project / "gone.toml").write_text(SIZES.replace("Result.size", "Result.sise"), encoding="utf-8")
    assert "Did you mean size?" in flowmap("query", "gone.toml", code=1).stderr


@pytest.mark.usefixtures("project")
def test_a_query_about_another_project_says_so(flowmap: Command) -> None:
    """Where its names are not there, and the subject does not tell what it is."""
    said = flowmap("query", "accept-lens", code=1).stderr
    assert "is called GenerationBatchResult.accept_lens" in said
    assert "The query asks about sglang: --source pypi:sglang==VERSION" in said


@pytest.mark.usefixtures("project")
def test_queries_are_listed_with_their_questions(flowmap: Command) -> None:
    """In no need of an index; a program gets the releases of which each expects something."""
    said = flowmap("queries").stdout
    assert "sizes\n    Who reads and who writes the size?" in said
    listed = {one["name"]: one for one in json.loads(flowmap("queries", "--format", "json").stdout)["record"]}
    assert listed["sizes"]["releases"] == ["1.0"]
    assert listed["sizes"]["problems"] == []


def test_a_file_that_cannot_be_read_hides_no_other(flowmap: Command, project: Path) -> None:
    """It is listed with what is wrong, and a check fails by it."""
    (project / "queries" / "wrong.toml").write_text("x = 1", encoding="utf-8")
    said = flowmap("queries").stdout
    assert "wrong  cannot be read" in said
    assert "unknown key `x`" in said
    assert "Who reads and who writes the size?" in said
    assert "wrong  cannot be answered" in flowmap("queries", "--check", code=1).stdout


@pytest.mark.usefixtures("project")
def test_a_check_answers_every_query_about_the_subject(flowmap: Command) -> None:
    """One that says of which project it is, is not asked of a folder; of a folder nothing is expected."""
    said = flowmap("queries", "--check").stdout
    assert "\nsizes  answered  3 answers\n" in said
    assert "accept-lens" not in said
    assert "not asked: those about sglang" in said
    record = json.loads(flowmap("queries", "--check", "--format", "json").stdout)["record"]
    verdicts = {one["name"]: (one["verdict"], one["n_answers"]) for one in record}
    assert verdicts.pop("sizes") == ("answered", 3)
    assert set(verdicts.values()) <= {("not asked", -1)}


def test_a_check_says_what_is_not_as_expected(flowmap: Command, project: Path) -> None:
    """Exit code 1; of a release, which an archive's name tells. What is as expected is exit code 0."""
    archive = project / "down" / "app-1.0-py3-none-any.whl"
    archive.parent.mkdir()
    wheel(archive)
    assert "sizes  as expected  3 answers" in flowmap("queries", "--check", "--source", str(archive)).stdout
    query = project / "queries" / "sizes.toml"
    query.write_text(SIZES.replace("at_least = 3", 'at_least = 4\nin_functions = ["other"]'), encoding="utf-8")
    said = flowmap("queries", "--check", "--source", str(archive), code=1).stdout
    assert "sizes  not as expected  3 answers" in said
    assert "3 answers, at least 4 are expected" in said
    assert "no answer in other, where one is expected" in said
    query.write_text(SIZES.replace("Result.size", "Result.sise"), encoding="utf-8")
    assert "sizes  cannot be answered" in flowmap("queries", "--check", "--source", str(archive), code=1).stdout


def wheel(path: Path) -> None:
    """Writes the program as a wheel."""
    with ZipFile(path, "w") as archive:
        archive.writestr("app.py", APP)


CONFIGURED = """
class Settings:
    def __init__(self, fast):
        self.fast = fast

class Result:
    def __init__(self):
        self.size = 0

def slow(result):
    result.size = 1

def quick(result):
    result.size = 2

def main(fast):
    settings = Settings(fast)
    result = Result()
    if settings.fast:
        quick(result)
    else:
        slow(result)

main(input())
"""


def test_a_query_is_answered_for_one_configuration(flowmap: Command, project: Path) -> None:
    """What does not run there is no answer; without the assumption it is. SQL sees the same index."""
    (project / "app.py").write_text(CONFIGURED, encoding="utf-8")
    text = 'question = "Who?"\n[[find]]\nfields = ["Result.size"]\nreached_from = ["main"]\n[[find]]\ncalls = ["quick", "slow"]\n'
    (project / "queries" / "who.toml").write_text(text, encoding="utf-8")
    whole, one = flowmap("query", "who").stdout, flowmap("query", "who", "--assume", "Settings.fast=true").stdout
    assert "5 answers in 4 functions" in whole
    assert "slow(result)" in whole
    assert "3 answers in 3 functions" in one
    assert "slow" not in one
    statement = "SELECT expr FROM sites WHERE status = 'pruned'"
    assert "slow(result)" in flowmap("sql", statement, "--assume", "Settings.fast=true").stdout
    assert "slow(result)" not in flowmap("sql", statement).stdout


def test_a_part_without_words_says_what_it_looks_for(flowmap: Command, project: Path) -> None:
    """Accesses, calls or definitions."""
    (project / "mine.toml").write_text(SIZES.replace('what = "All of it"', ""), encoding="utf-8")
    said = flowmap("query", "mine.toml").stdout
    assert "\nAccesses  2 answers\nResult.size  2\n" in said
    assert "\nDefinitions  1 answer\n" in said


@pytest.mark.usefixtures("project")
def test_the_accesses_of_a_query_are_exported(flowmap: Command) -> None:
    """In the form of `export state`, and nothing but accesses."""
    by_query = flowmap("export", "state", "--query", "sizes").stdout
    assert by_query == flowmap("export", "state", "Result.size").stdout
    assert [json.loads(line)["access"] for line in by_query.splitlines()] == ["write", "read"]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--query", "sizes", "size"), "do not go with it"),
        (("--query", "sizes", "--access", "read"), "do not go with it"),
        ((), "Give a FIELD, or a query"),
        (("--query", "sises"), "Did you mean sizes?"),
    ],
)
def test_an_export_takes_fields_or_a_query(flowmap: Command, arguments: tuple[str, ...], said: str) -> None:
    """Not both, and not nothing."""
    assert said in flowmap("export", "state", *arguments, code=2).stderr


def test_a_users_query_comes_before_one_that_is_shipped(project: Path) -> None:
    """Of the same name; the others stay."""
    shipped = query_files(None)
    assert shipped
    name = next(iter(shipped))
    (project / "queries" / f"{name}.toml").write_text(SIZES, encoding="utf-8")
    known = query_files(project / "flowmap.toml")
    assert known[name].path == project / "queries" / f"{name}.toml"
    assert set(known) == {*shipped, "sizes"}


def test_a_name_is_no_path(project: Path) -> None:
    """A file in the working folder is named with its ending."""
    (project / "mine.toml").write_text(SIZES, encoding="utf-8")
    assert query_file("mine.toml", None).name == "mine"
    with pytest.raises(FlowmapError, match="there is no query of this name"):
        query_file("mine", None)
