"""What a user gets from the package index: the wheel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = "def work(): ...\n\n\ndef main():\n    work()\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel is installed, without the checkout in sight."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        str(folder / "site"),
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True)
    return folder / "site"


@pytest.mark.parametrize("pattern", ["py.typed", "queries/*", "subject/*.toml", "store/*.sql"])
def test_the_wheel_holds_what_is_not_code(installed: Path, pattern: str) -> None:
    """Types for checkers, queries, what is known of code bases, and the index's schema come with the package."""
    assert list((installed / "flowmap").glob(pattern))


def test_the_wheel_holds_no_tests(installed: Path) -> None:
    """Nothing but the package itself lands beside a user's other packages."""
    assert {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")} <= {"flowmap", "bin", "Scripts"}


def test_the_installed_command_has_the_queries(installed: Path, tmp_path: Path) -> None:
    """Those that are shipped have their names far away from the checkout, too."""
    environment = os.environ | {"PYTHONPATH": str(installed), "FLOWMAP_CACHE": str(tmp_path / "cache"), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "flowmap", "queries", "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    listed = {one["name"] for one in json.loads(done.stdout)["record"]}
    assert listed == {path.stem for path in (ROOT / "queries").glob("*.toml")}


def test_the_installed_command_traces_a_program(installed: Path, tmp_path: Path) -> None:
    """The package works far away from its checkout."""
    (tmp_path / "app.py").write_text(EXAMPLE, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(installed), "FLOWMAP_CACHE": str(tmp_path / "cache"), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "flowmap", "callers", "work", "--source", str(tmp_path), "--format", "lines"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("app.py:5:5:"), done.stderr
