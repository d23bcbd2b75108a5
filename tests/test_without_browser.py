"""Where no browser can be had, `make test` says so in one line, and counts the tests in one as not run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.chromium import CHOICE, chromium

ROOT = Path(__file__).parents[1]


def test_what_to_install_is_said_in_one_line() -> None:
    """With the number of tests, and no failure: nobody is kept from testing the rest."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.browser"],
        cwd=ROOT,
        env=os.environ | {CHOICE: "no-such-browser"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0
    (line,) = done.stdout.splitlines()
    assert re.fullmatch(r"not run: [1-9]\d+ tests in a browser; apt-get install chromium, .*", line)


def test_the_browser_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name or path; one that is not there is none."""
    monkeypatch.setenv(CHOICE, sys.executable)
    assert chromium() == sys.executable
    monkeypatch.setenv(CHOICE, "no-such-browser")
    assert chromium() is None
