"""A fork of the release that a recipe was written beside: what moved is followed from that release."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Command
from tests.emit.projects import lay_out
from tests.hooks.programs import PROGRAM
from tests.source.conftest import Index, index, wheel  # noqa: F401 - a fixture

EMIT = ("emit", "quiet", "--release", "1.0", "-o", "out")


@pytest.fixture
def fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The loop of 1.0, in which the step has another name."""
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))
    folder = lay_out(tmp_path / "fork")
    loop = folder / "loop" / "loop.py"
    loop.write_text(loop.read_text(encoding="utf-8").replace("step(", "turn("), encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.usefixtures("fork")
def test_what_moved_in_a_fork_is_told(flowmap: Command, index: Index) -> None:  # noqa: F811
    """Its version is that of the release; its text is another."""
    index.publish("loop-1.0-py3-none-any.whl", wheel("loop", "1.0", PROGRAM))
    said = flowmap(*EMIT, code=1).stdout
    assert "step  nothing is called Worker.step  loop.py:66" in said
    assert "loop.Worker.step of loop 1.0 is loop.Worker.turn at loop.py:66" in said


@pytest.mark.usefixtures("fork", "index")
def test_a_release_that_cannot_be_had_is_said(flowmap: Command) -> None:
    """What moved is refused all the same."""
    done = flowmap(*EMIT, code=1)
    assert "step  nothing is called Worker.step" in done.stdout
    assert "loop 1.0" in done.stderr
