"""`flowmap check` as a user types it: exit codes, formats, the baseline."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Command

APP = """class Worker:
    def draft(self, batch):
        return batch

    def step(self, batch):
        return self.draft(batch)


def debug(worker: Worker):
    worker.draft(1)


def main(batch):
    Worker().step(batch)


main(3)
"""
CONTRACTS = """what = "The patch of the worker."

[[contract]]
name = "one draft"
kind = "only-call-site"
of = "Worker.draft"
in = "Worker.step"
why = "The patch hands out drafts there."

[[contract]]
name = "verify"
kind = "anchor-exists"
of = "Worker.verify"
why = "The patch overrides it."

[[contract]]
name = "draft signature"
kind = "signature"
of = "Worker.draft"
parameters = ["self", "batch"]
why = "The patch takes what is passed."

[[contract]]
name = "later"
kind = "anchor-exists"
of = [{ name = "Worker.later", since = "2.0" }]
why = "The patch uses it where it is there."
"""
CALL, VERIFY = "patch/one draft: Worker.draft in app.debug", "patch/verify: no Worker.verify"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with contracts of its own, where a user stands."""
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    (tmp_path / "flowmap.toml").write_text('source = "."\n', encoding="utf-8")
    (tmp_path / "queries" / "contracts").mkdir(parents=True)
    (tmp_path / "queries" / "contracts" / "patch.toml").write_text(CONTRACTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("project")
def test_what_is_broken_is_told_with_place_and_reason(flowmap: Command) -> None:
    """Exit code 1; what holds is told with -v alone."""
    said = flowmap("check", code=1, COLUMNS="80").stdout
    assert said.startswith("4 contracts: 1 holds, 2 broken, 1 of other releases\n\npatch  The patch of the worker.\n")
    assert "one draft  broken\n" in said
    assert "    The patch hands out drafts there.\n" in said
    assert "app.py:10  Worker.draft is called in debug, too\n" in said
    assert "queries/contracts/patch.toml:10  nothing is called Worker.verify\n" in said
    assert "draft signature" not in said
    assert max(map(len, said.splitlines())) <= 80
    whole = flowmap("check", "-v", code=1).stdout
    assert "draft signature  holds  app.py:2\n" in whole
    assert "later  says nothing of this release\n" in whole


def test_what_holds_is_exit_code_0(flowmap: Command, project: Path) -> None:
    """A file is checked by its name, or as a file."""
    mine = project / "mine.toml"
    mine.write_text(CONTRACTS[CONTRACTS.index('[[contract]]\nname = "draft') :], encoding="utf-8")
    assert flowmap("check", "mine.toml").stdout.startswith("2 contracts: 1 holds, 0 broken, 1 of other releases")
    assert flowmap("check", "patch", code=1).stdout == flowmap("check", "queries/contracts/patch.toml", code=1).stdout


@pytest.mark.usefixtures("project")
def test_programs_get_every_contract(flowmap: Command) -> None:
    """With what was found, by keys that no line is a part of."""
    record = json.loads(flowmap("check", "--format", "json", code=1).stdout)["record"]
    contracts = {one["name"]: one for one in record["contracts"]}
    assert [(one["name"], one["standing"]) for one in record["contracts"]] == [
        ("one draft", "broken"),
        ("verify", "broken"),
        ("draft signature", "holds"),
        ("later", "says nothing of this release"),
    ]
    (call,) = contracts["one draft"]["breaches"]
    assert (call["key"], call["file"], call["line"], call["accepted"]) == (CALL, "app.py", 10, False)
    assert contracts["one draft"]["places"] == ["app.py:6"]


@pytest.mark.usefixtures("project")
def test_editors_and_annotations_get_places(flowmap: Command) -> None:
    """Of what is in no file of the code, the contract's own."""
    lines = flowmap("check", "--format", "lines", code=1).stdout.splitlines()
    assert lines[0].startswith("app.py:10:5: Worker.draft is called in debug, too")
    assert lines[1].startswith("queries/contracts/patch.toml:10:1: nothing is called Worker.verify")
    assert flowmap("check", "--format", "github", code=1).stdout.splitlines() == [
        "::error file=app.py,line=10,title=patch%3A one draft::Worker.draft is called in debug, too"
        "%0AThe patch hands out drafts there.",
        "::error file=queries/contracts/patch.toml,line=10,title=patch%3A verify::nothing is called Worker.verify"
        "%0AThe patch overrides it.",
    ]


@pytest.mark.usefixtures("project")
def test_a_test_report_has_a_case_for_each_contract(flowmap: Command) -> None:
    """Those that say nothing are skipped."""
    root = ElementTree.fromstring(flowmap("check", "--format", "junit", code=1).stdout.encode())
    (suite,) = root
    assert [suite.get(name) for name in ("name", "tests", "failures", "skipped")] == ["patch", "4", "2", "1"]
    first, second, third, fourth = suite
    failure = first.find("failure")
    assert failure is not None
    assert (first.get("name"), first.get("classname")) == ("one draft", "patch.only-call-site")
    assert (failure.get("message"), failure.get("type")) == ("Worker.draft is called in debug, too", "only-call-site")
    assert (failure.text or "").startswith("app.py:10: Worker.draft is called in debug, too")
    assert second.find("failure") is not None
    assert list(third) == []
    assert fourth.find("skipped") is not None


def test_code_hosts_get_rules_and_results(flowmap: Command, project: Path) -> None:
    """As SARIF; what is accepted is suppressed."""
    (project / "known.txt").write_text(f"{VERIFY}\n", encoding="utf-8")
    told = json.loads(flowmap("check", "--format", "sarif", "--baseline", "known.txt", code=1).stdout)
    (run,) = told["runs"]
    assert told["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]][:2] == ["patch/one draft", "patch/verify"]
    first, second = run["results"]
    assert first["ruleIndex"] == 0
    assert first["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "app.py"}, "region": {"startLine": 10}}
    assert first["partialFingerprints"] == {"flowmapKey/v1": CALL}
    assert "suppressions" not in first
    assert second["suppressions"] == [{"kind": "external"}]


def test_what_is_accepted_does_not_fail(flowmap: Command, project: Path) -> None:
    """The file grows by --accept alone, and by one key each."""
    known = project / "known.txt"
    flowmap("check", "--baseline", "known.txt", code=2)
    flowmap("check", "--baseline", "known.txt", "--accept", CALL, code=2)
    known.write_text("", encoding="utf-8")
    assert "1 broken, 1 broken as accepted" in flowmap("check", "--baseline", "known.txt", "--accept", CALL, code=1).stdout
    assert known.read_text(encoding="utf-8").splitlines()[1:] == [CALL]
    said = flowmap("check", "--baseline", "known.txt", "--accept", VERIFY).stdout
    assert said.startswith("4 contracts: 1 holds, 2 broken as accepted, 1 of other releases\n")
    assert "app.py:10" not in said
    assert known.read_text(encoding="utf-8").splitlines()[1:] == [CALL, VERIFY]
    before = known.read_bytes()
    flowmap("check", "--baseline", "known.txt", "--update-baseline")
    assert known.read_bytes() == before


def test_the_baseline_shrinks_and_never_grows_by_itself(flowmap: Command, project: Path) -> None:
    """What is gone is told, and taken out when that is asked for; comments and keys of other files stay."""
    known = project / "known.txt"
    known.write_text(f"# mine\n{CALL}\n{VERIFY}\nother/a: b\n", encoding="utf-8")
    (project / "app.py").write_text(APP.replace("worker.draft(1)", "pass"), encoding="utf-8")
    said = flowmap("check", "--baseline", "known.txt").stdout
    assert f"accepted, and gone: {CALL}" in said
    assert "other/a" not in said
    assert CALL in known.read_text(encoding="utf-8")
    flowmap("check", "--baseline", "known.txt", "--update-baseline")
    assert known.read_text(encoding="utf-8") == f"# mine\n{VERIFY}\nother/a: b\n"
    (project / "app.py").write_text(APP, encoding="utf-8")
    flowmap("check", "--baseline", "known.txt", "--update-baseline", code=1)
    assert known.read_text(encoding="utf-8") == f"# mine\n{VERIFY}\nother/a: b\n"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--update-baseline",), "need --baseline FILE"),
        (("--accept", CALL), "need --baseline FILE"),
        (("--baseline", "gone.txt"), "gone.txt: cannot be read"),
        (
            ("--baseline", "queries/contracts/patch.toml", "--accept", CALL[:-1]),
            f"no finding has this key\n    Did you mean `{CALL}`?",
        ),
        (("pach",), "there is no file of contracts of this name\n    Did you mean patch?"),
        (("gone.toml",), "there is no such file"),
        (("--format", "xml"), "'xml' is not one of"),
        (("adaptive-disable", "--source", "pypi:app==1.0"), "pypi:app"),
        ((" ",), "it is empty"),
    ],
)
def test_what_cannot_be_asked_is_said(flowmap: Command, arguments: tuple[str, ...], said: str) -> None:
    """Exit code 2."""
    assert said in flowmap("check", *arguments, code=2).stderr


def test_all_that_is_wrong_with_all_files_is_said_at_once(flowmap: Command, project: Path) -> None:
    """Before anything is indexed."""
    folder = project / "queries" / "contracts"
    (folder / "patch.toml").write_text(CONTRACTS.replace("only-call-site", "only-call-sites"), encoding="utf-8")
    (folder / "second.toml").write_text("contract = 1\n", encoding="utf-8")
    said = flowmap("check", code=2, FLOWMAP_CACHE=str(project / "cache")).stderr
    assert "there is no kind `only-call-sites`\n    Did you mean `only-call-site`?" in said
    assert "`contract` is not a list of tables" in said
    assert not (project / "cache" / "index").exists()


def test_nothing_to_check_is_no_success(flowmap: Command, project: Path) -> None:
    """A check that checks nothing would hide that its contracts are not found."""
    (project / "queries" / "contracts" / "patch.toml").unlink()
    said = flowmap("check", code=2).stderr
    assert "none is about" in said
    assert "there are some about sglang" in said


@pytest.mark.usefixtures("project")
def test_contracts_about_another_project_are_checked_only_by_name(flowmap: Command) -> None:
    """Of a folder it is not known which project it is."""
    assert "adaptive-disable" not in flowmap("check", "-v", code=1).stdout
    assert "nothing is called EagleDraftWorker.draft" in flowmap("check", "adaptive-disable", code=1).stdout


@pytest.mark.usefixtures("project")
def test_files_of_contracts_are_listed(flowmap: Command) -> None:
    """In no need of an index."""
    said = flowmap("check", "--list").stdout
    assert said.startswith("2 files of contracts\n")
    assert "patch  4 contracts\n    The patch of the worker.\n" in said
    assert "adaptive-disable  about sglang  " in said
    record = json.loads(flowmap("check", "--list", "--format", "json").stdout)["record"]
    assert [one["name"] for one in record] == ["adaptive-disable", "patch"]
    assert record[1]["contracts"] == ["one draft", "verify", "draft signature", "later"]


def test_contracts_are_checked_for_one_configuration(flowmap: Command, project: Path) -> None:
    """What does not run there calls nothing."""
    text = APP.replace("def debug(worker: Worker):\n", "def debug(worker: Worker):\n    if Settings(input()).debug:\n    ")
    settings = "class Settings:\n    def __init__(self, debug):\n        self.debug = debug\n\n\n"
    (project / "app.py").write_text(f"{settings}{text}debug(Worker())\n", encoding="utf-8")
    assert "Worker.draft is called in debug, too" in flowmap("check", code=1).stdout
    assert "Worker.draft is called" not in flowmap("check", "--assume", "Settings.debug=false", code=1).stdout
