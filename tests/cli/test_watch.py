"""`flowmap watch` answers again after every change."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.conftest import Command

PATIENCE = 90.0  # seconds; a quiet machine needs two
BEFORE = "def used(): ...\ndef main():\n    used()\n"
AFTER = "def used(): ...\ndef main():\n    used()\n    used()\n"


class Lines:
    """What a process writes, line by line."""

    def __init__(self, stream: IO[str]) -> None:
        self.came: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream: IO[str]) -> None:
        """Reads until the end."""
        for line in stream:
            self.came.put(line)

    def until(self, text: str) -> str:
        """The first line with a text. Errors: queue.Empty when none comes."""
        while True:
            line = self.came.get(timeout=PATIENCE)
            if text in line:
                return line


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """A package's only file, and a process that watches who calls `used` in it."""
    path = tmp_path / "app" / "app.py"
    path.parent.mkdir()
    path.write_text(BEFORE, encoding="utf-8")
    command = [sys.executable, "-m", "flowmap", "watch", "--source", str(path.parent), "callers", "used"]
    environment = os.environ | {"FLOWMAP_CACHE": str(tmp_path / "cache"), "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        yield path, process
        process.kill()


def test_a_change_is_answered(watched: tuple[Path, subprocess.Popen[str]]) -> None:
    """Until Ctrl-C, which ends it in peace."""
    path, process = watched
    assert process.stdout is not None
    lines = Lines(process.stdout)
    assert lines.until("1 call site")
    path.write_text(AFTER, encoding="utf-8")
    assert lines.until("2 call sites")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 0


def test_what_cannot_change_is_not_watched(flowmap: Command) -> None:
    """A release stays what it is."""
    done = flowmap("watch", "--source", "pypi:toy==1.0", "callers", "f", code=2)
    assert "nothing of it can change" in done.stderr
    assert "--source" in done.stderr


def test_an_unknown_command_is_refused_before_anything_is_watched(flowmap: Command, tmp_path: Path) -> None:
    """With the nearest one; it would fail after every change."""
    done = flowmap("watch", "--source", str(tmp_path), "caller", "f", code=2)
    assert "Did you mean callers?" in done.stderr
    assert "watching" not in done.stderr


def test_a_request_to_end_is_obeyed_without_a_word(tmp_path: Path) -> None:
    """SIGTERM, as a service manager sends it."""
    (tmp_path / "app.py").write_text(BEFORE, encoding="utf-8")
    command = [sys.executable, "-m", "flowmap", "watch", "--source", str(tmp_path), "callers", "used", "-q"]
    environment = os.environ | {"FLOWMAP_CACHE": str(tmp_path / "cache"), "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert Lines(process.stdout).until("1 call site")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) == 0
        assert process.stderr.read().splitlines() == [f"watching {tmp_path}; Ctrl-C ends"]


def test_the_help_of_a_command_is_shown_once(flowmap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to wait for."""
    monkeypatch.chdir(tmp_path)
    assert "Usage: flowmap callers" in flowmap("watch", "callers", "main", "--help").stdout
