"""`flowmap emit adaptive-disable` on SGLang: what is emitted is whole, checked and the same each time; what moved is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flowmap.emit.folder import MANIFEST
from flowmap.model.progress import SilentProgress
from flowmap.source.open import open_source
from tests.conftest import RELEASE, Command

TOOLS = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",), ("pytest", "-q"))
CHECK = """
import sys
from adaptive_disable.compatibility import check
check()
assert not [name for name in sys.modules if name.partition(".")[0] in ("sglang", "torch")]
"""


@pytest.fixture(scope="module")
def emitted(flowmap: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for 0.5.9."""
    folder = tmp_path_factory.mktemp("emitted") / "hook"
    flowmap("emit", "adaptive-disable", "--source", RELEASE, "-o", str(folder))
    return folder


def run_in(folder: Path, *arguments: str, **environment: str) -> str:
    """Run a tool of Python in a folder; fails with what it said."""
    command = [sys.executable, "-m", *arguments]
    alone = {"PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run(command, cwd=folder, env=os.environ | alone, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}{done.stderr}"
    return done.stdout


def files_of(folder: Path) -> dict[str, bytes]:
    """All that was emitted, by path; not what tools left beside it."""
    listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    return {path: (folder / path).read_bytes() for path in (*listed, MANIFEST)}


@pytest.mark.parametrize("tool", TOOLS, ids=" ".join)
def test_it_passes_its_own_checks(emitted: Path, tool: tuple[str, ...]) -> None:
    """Linter, formatter, type checker and tests, as whoever takes it over would run them."""
    run_in(emitted, *tool)


def test_it_is_the_same_each_time(emitted: Path, flowmap: Command, tmp_path: Path) -> None:
    """Byte for byte; the other variant differs in what it is bound for alone."""
    before = files_of(emitted)
    flowmap("emit", "adaptive-disable", "--source", RELEASE, "-o", str(tmp_path / "again"))
    assert files_of(tmp_path / "again") == before
    flowmap("emit", "adaptive-disable", "--source", RELEASE, "--variant", "dummy-draft", "-o", str(tmp_path / "other"))
    other = files_of(tmp_path / "other")
    differing = {path for path in before.keys() | other.keys() if before.get(path) != other.get(path)}
    expected = {"BINDING.md", "adaptive_disable/binding.py", "adaptive_disable/default_variant.py", MANIFEST}
    assert differing == expected


def test_what_is_installed_is_checked_without_being_imported(emitted: Path) -> None:
    """The release that it was emitted for passes."""
    file = open_source(RELEASE, (), SilentProgress()).files[0]
    root = file.location.removesuffix(file.path)
    paths = os.pathsep.join((str(emitted), root))
    subprocess.run([sys.executable, "-c", CHECK], env=os.environ | {"PYTHONPATH": paths}, check=True)
