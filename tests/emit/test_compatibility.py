"""The check that an emitted package makes at start: it reads the installed sources, and imports nothing of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.emit.projects import lay_out

CHECK = """
import sys
from quiet_drafts.compatibility import BindingMoved, check
try:
    check()
except BindingMoved as error:
    print(error)
    sys.exit(1)
assert "loop" not in sys.modules, "nothing is imported"
"""


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory, flowmap: Command) -> Path:
    """A project whose package was emitted."""
    folder = lay_out(tmp_path_factory.mktemp("emitted"))
    source = str(folder / "loop")
    recipe = str(folder / "queries" / "emit" / "quiet.toml")
    here = Path.cwd()
    os.chdir(folder)
    try:
        flowmap("emit", recipe, "--release", "1.0", "--source", source, "-o", str(folder / "out"))
    finally:
        os.chdir(here)
    return folder


def checked(folder: Path, installed: Path, code: int = 0) -> str:
    """What the check says of what is installed in a folder."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(folder / "out"), str(installed)))}
    done = subprocess.run(
        [sys.executable, "-c", CHECK], env=environment, cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == code, done.stderr + done.stdout
    return done.stdout


def installed(folder: Path, place: Path, before: str, after: str) -> Path:
    """The loop, installed with one text changed."""
    for path in (folder / "loop").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        (place / path.name).write_text(text.replace(before, after) if path.name == "loop.py" else text, encoding="utf-8")
    return place


def test_what_it_was_emitted_for_passes(emitted: Path) -> None:
    """And nothing of it is imported for that."""
    checked(emitted, emitted / "loop")


def test_what_is_not_relied_on_may_be_another(emitted: Path, tmp_path: Path) -> None:
    """Lines may move, and other functions may change."""
    changed = installed(emitted, tmp_path, "import torch\n", "import torch\n\n\nOTHER = 1\n")
    checked(emitted, changed)
    checked(emitted, installed(emitted, tmp_path, "return logits.argmax()", "return logits.max()"))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("def step(self, batch", "def step(self, other, batch", "took (self, batch) and takes (self, other, batch)"),
        ("def step(", "def stepped(", "loop.Worker.step (loop.py:66 in loop 1.0): is gone"),
        ("drafts = self.draft(batch)", "drafts = self.draft(batch), 1", "says something else now, from line 66 on"),
        ("class Worker:", "class Worker(Model):", "took () and takes (Model)"),
        ("    accepted: object = None\n", "", "is no field of its class any more"),
        ("    accepted: object = None", "    accepted: int = 1", "is declared otherwise: accepted: int = 1"),
        ("self.worker.step(batch)", "self.worker.draft(batch)", "called step once, and calls it nowhere"),
        ("self.worker.step(batch)", "self.worker.step(batch, 1)", "calls it otherwise: self.worker.step(batch, 1)"),
    ],
    ids=str,
)
def test_what_moved_is_said(emitted: Path, tmp_path: Path, before: str, after: str, said: str) -> None:
    """With where it was, what it is now, and what it is needed for."""
    assert said in checked(emitted, installed(emitted, tmp_path, before, after), code=1)


@pytest.mark.parametrize("mark", ["\x0c\n", "# \u2028\n", "\x0c# page\n"])
def test_only_ends_of_lines_end_a_line(mark: str, tmp_path: Path, flowmap: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A form feed moves nothing: what stands behind it is bound and checked, and not what stands a line further."""
    folder = lay_out(tmp_path / "project")
    loop = folder / "loop" / "loop.py"
    loop.write_text(mark + loop.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(folder)
    flowmap("emit", "quiet", "--release", "1.0", "-o", "out")
    checked(folder, folder / "loop")
    (tmp_path / "changed").mkdir()
    said = checked(
        folder, installed(folder, tmp_path / "changed", "drafts = self.draft(batch)", "drafts = self.draft(batch), 1"), 1
    )
    assert "says something else now" in said
    assert "takes" not in said


def test_all_that_moved_is_said_at_once(emitted: Path, tmp_path: Path) -> None:
    """Nobody repairs one thing after another."""
    said = checked(emitted, tmp_path, code=1)
    assert said.count("there is no module loop") == 7
    assert "Nothing was changed. Emit it anew: flowmap emit quiet" in said
