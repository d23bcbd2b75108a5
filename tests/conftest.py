"""What all tests share: the real command, its answers about one release, and the expected reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from tests.state_fields import state_fields

RELEASE = "pypi:sglang==0.5.9"
FACTS = Path(__file__).parent / "facts"

Row = dict[str, Any]
Command = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True, slots=True)
class Exported:
    """The files that `flowmap export` wrote about the release."""

    calls: Path
    orders: Path
    state: Path


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--rewrite-goldens` writes the expected reports anew; used by `make goldens`."""
    parser.addoption("--rewrite-goldens", action="store_true", help="write the expected reports anew instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    """Names the marks."""
    config.addinivalue_line("markers", "golden: compares a report with the one that is expected")


@pytest.fixture(scope="session")
def flowmap() -> Command:
    """Runs the command as a user does; fails with what it said when the exit code is not the expected one."""

    def command(
        *arguments: str, code: int = 0, stdin: IO[str] | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        plain = {"PYTHONUTF8": "1", "NO_COLOR": "1", "COLUMNS": "200"}
        done = subprocess.run(
            [sys.executable, "-m", "flowmap", *arguments],
            env=os.environ | plain | environment,
            stdin=stdin or subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == code, f"flowmap {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}{done.stdout}"
        return done

    return command


@pytest.fixture(scope="session")
def ask(flowmap: Command) -> Callable[..., str]:
    """Asks about the release and gives the answer's text."""

    def asked(*arguments: str) -> str:
        return flowmap(*arguments, FLOWMAP_SOURCE=RELEASE).stdout

    return asked


@pytest.fixture(scope="session")
def exported(flowmap: Command, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The release's calls, class orders and accesses of the fields that facts speak of, exported once for all tests. The index
    stays in the user's cache."""
    folder = tmp_path_factory.mktemp("exported")
    files = Exported(folder / "calls.jsonl", folder / "mro.json", folder / "state.jsonl")
    flowmap("export", "calls", "--source", RELEASE, "-o", str(files.calls))
    flowmap("export", "mro", "--source", RELEASE, "-o", str(files.orders))
    flowmap("export", "state", *state_fields(), "--source", RELEASE, "-o", str(files.state))
    return files


@pytest.fixture(scope="session")
def calls(exported: Exported) -> list[Row]:
    """The rows of `flowmap export calls` about the release."""
    return [json.loads(line) for line in exported.calls.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the file of that name in `golden/` beside the test, or writes it under `--rewrite-goldens`."""

    def compare(name: str, text: str) -> None:
        path = request.path.parent / "golden" / name
        if request.config.getoption("--rewrite-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{name} changed; see how with: make goldens && git diff tests"

    return compare
