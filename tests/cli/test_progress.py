"""What is told on a terminal while work goes on."""

from __future__ import annotations

import sys

import pytest

from flowmap.cli.asked import Voice
from flowmap.cli.progress import BarProgress, LineProgress, progress_for
from flowmap.model.progress import SilentProgress


@pytest.fixture
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that takes what moves."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")


def told(capsys: pytest.CaptureFixture[str], total: int, done: int) -> str:
    """What a bar shows of a task."""
    bar = BarProgress()
    bar.start("solving", total)
    bar.advance(done)
    bar.finish()
    return capsys.readouterr().err


@pytest.mark.usefixtures("_terminal")
def test_a_bar_counts_what_can_be_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """With the total, where it is known."""
    assert "3/7" in told(capsys, 7, 3)


@pytest.mark.usefixtures("_terminal")
def test_a_bar_without_a_total_shows_the_time_taken(capsys: pytest.CaptureFixture[str]) -> None:
    """And no count of nothing out of nobody knows what."""
    shown = told(capsys, 0, 0)
    assert "0:00:00" in shown
    assert "0/?" not in shown


def test_nothing_moves_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines in a pipe, nothing when quiet."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    assert isinstance(progress_for(Voice.NORMAL), LineProgress)
    assert isinstance(progress_for(Voice.QUIET), SilentProgress)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert isinstance(progress_for(Voice.NORMAL), BarProgress)
    assert isinstance(progress_for(Voice.QUIET), SilentProgress)
