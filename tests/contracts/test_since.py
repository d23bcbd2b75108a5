"""`flowmap check --since`: the release in which a contract broke first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.contracts.test_commands import APP, CONTRACTS

RELEASES = {
    "one": APP.replace("    worker.draft(1)\n", "    pass\n"),
    "two": APP.replace("    worker.draft(1)\n", "    pass\n").replace("def draft(self, batch)", "def draft(self, batch, fast=1)"),
    "three": APP,
}


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Three states of a program in folders, where a user with contracts stands; they are named with commas between them."""
    for name, text in RELEASES.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "app.py").write_text(text, encoding="utf-8")
    (tmp_path / "flowmap.toml").write_text('source = "three"\n', encoding="utf-8")
    (tmp_path / "queries" / "contracts").mkdir(parents=True)
    (tmp_path / "queries" / "contracts" / "patch.toml").write_text(CONTRACTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return ",".join(RELEASES)


def test_the_release_that_broke_a_contract_is_told(flowmap: Command, releases: str) -> None:
    """With what it was before, what broke it, and where it holds again."""
    said = flowmap("check", "--since", releases, code=1, COLUMNS="80").stdout
    assert said.startswith("4 contracts in 3 releases: 2 broken in the last\n\npatch\n")
    assert "one draft  broke first in three; it held in two\n" in said
    assert "app.py:10  Worker.draft is called in debug, too\n" in said
    assert "verify  is broken in one, the first of them\n" in said
    assert "draft signature  broke first in two; it held in one\n" in said
    assert "broken no more in three\n" in said
    assert "later" not in said
    assert max(map(len, said.splitlines())) <= 80
    assert "later  says nothing of this release\n" in flowmap("check", "--since", releases, "-v", code=1).stdout


def test_programs_get_every_release(flowmap: Command, releases: str) -> None:
    """In their order."""
    ((told,),) = [json.loads(flowmap("check", "--since", releases, "--format", "json", code=1).stdout)["record"]]
    contracts = {one["contract"]: one for one in told["contracts"]}
    assert contracts["one draft"]["broken_first"] == "three"
    assert [row["standing"] for row in contracts["draft signature"]["releases"]] == ["holds", "broken", "holds"]


def test_what_is_mended_in_the_last_is_no_finding(flowmap: Command, releases: str) -> None:
    """Exit code 0; it is told all the same."""
    mine = Path("mine.toml")
    mine.write_text(CONTRACTS[CONTRACTS.index('[[contract]]\nname = "draft') :], encoding="utf-8")
    said = flowmap("check", "mine.toml", "--since", releases).stdout
    assert "2 contracts in 3 releases: 0 broken in the last" in said
    assert "draft signature  broke first in two" in said


@pytest.mark.usefixtures("releases")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--since", "1.0..2.0"), "nothing says of which project"),
        (("--since", "one,gone"), "there is no such file or folder"),
        (("--since", "one,two", "--format", "sarif"), "--since takes no baseline, and is told as"),
        (("--since", "one,two", "--baseline", "x.txt"), "--since takes no baseline, and is told as"),
    ],
)
def test_what_cannot_be_asked_is_said(flowmap: Command, arguments: tuple[str, ...], said: str) -> None:
    """Exit code 2."""
    assert said in flowmap("check", "patch", *arguments, code=2).stderr
