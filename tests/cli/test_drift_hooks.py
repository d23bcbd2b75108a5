"""`flowmap drift --hook-points`: which hook points there are in which release, under whatever name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_drift import put
from tests.conftest import Command
from tests.hooks.programs import PROGRAM, QUESTION

ENTRY = 'entries = ["Loop.run"]'


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Three releases: in the second one the method above both operations is renamed, in the third the loop drafts no more."""
    loop = PROGRAM["loop.py"]
    renamed = loop.replace("step(", "decode_step(")
    idle = renamed.replace("self.worker.decode_step(batch)", "Result(state=State())")
    assert idle != renamed
    texts = [loop, renamed, idle]
    for number, text in enumerate(texts, start=1):
        put(tmp_path / f"v{number}", {**PROGRAM, "loop.py": text})
    (tmp_path / "quiet.toml").write_text(QUESTION, encoding="utf-8")
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return ",".join(str(tmp_path / f"v{number}") for number in (1, 2, 3))


def test_a_hook_point_is_followed_through_releases(flowmap: Command, line: str) -> None:
    """With its verdict in each, whatever it is called there; why there is no answer is said."""
    two = line.rpartition(",")[0]
    record = json.loads(flowmap("drift", "quiet.toml", "--across", two, "--hook-points", "--check", "--format", "json").stdout)
    hooks = {one["symbol"]: one for one in record["record"]["hooks"]}
    step = hooks["app.loop.Worker.decode_step"]
    assert [row["symbol"].rpartition(".")[2] for row in step["releases"]] == ["step", "decode_step"]
    (standing,) = {row["standing"] for row in step["releases"]}
    assert standing in ("clean", "with care", "hard")
    assert step["skips"] == 2
    assert "app.loop.Worker.step" not in hooks


def test_where_nothing_is_to_be_bypassed_it_is_said_why(flowmap: Command, line: str) -> None:
    """In the table and below it; the exit code is that of the names."""
    said = " ".join(flowmap("drift", "quiet.toml", "--across", line, "--hook-points", "--check").stdout.split())
    assert "Loop.run: does not reach Worker.draft" in said


def test_what_serves_is_a_table(flowmap: Command, line: str) -> None:
    """Below the names; what only tells something is counted, and shown with -v."""
    two = line.rpartition(",")[0]
    asked = ("drift", "quiet.toml", "--across", two, "--hook-points", "--check")
    brief, full = flowmap(*asked).stdout, flowmap(*asked, "-v").stdout
    table = brief[brief.index("Hook points") :]
    assert "Worker.decode_step" in table
    assert "from v1 to v2" in table
    assert "candidates at which nothing is bypassed: -v" in brief
    assert len(full) > len(brief)
    page = flowmap(*asked, "--format", "html").stdout
    assert page.startswith("<!doctype html>")
    assert "Worker.decode_step" in page


def test_without_an_index_nobody_looks(flowmap: Command, line: str) -> None:
    """It is said, and nothing is indexed."""
    said = flowmap("drift", "quiet.toml", "--across", line, "--hook-points").stdout
    assert "hook points are looked for where there is an index of each profile; 3 releases have none: --check makes it" in said


def test_a_name_that_is_no_question_about_hooks_is_said(flowmap: Command, line: str) -> None:
    """Before anything is read."""
    said = flowmap("drift", "Worker.step", "--across", line, "--hook-points", code=2).stderr
    assert "there is no question about hooks of this name" in said
