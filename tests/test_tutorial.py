"""The tutorial does not promise what does not happen: its commands are run in order, and print what stands below them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.golden
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tutorial.md"
LEFT_OUT = (".git", ".venv", "build", "dist")  # of a clone
_PART = re.compile(
    r"^```console\n(?P<console>.*?)^```$"
    r"|^(?P<fence>`{3,})\{code-block\} \w+\n:caption: (?P<name>\S+)\n\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
OFFLINE = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}  # that 0 is pip's way to say "none"
TERMINAL = {"COLUMNS": "80", "PYTHONUTF8": "1", "NO_COLOR": "1"}


@dataclass(slots=True)
class Reader:
    """Somebody who does what the page says, beginning in a clone."""

    folder: Path
    environment: dict[str, str]

    def does(self, part: re.Match[str]) -> str:
        """Type the commands of a block, or write the file that one is; gives the block with what was printed."""
        if part["name"]:
            self.folder.joinpath(part["name"]).parent.mkdir(parents=True, exist_ok=True)
            self.folder.joinpath(part["name"]).write_text(part["text"], encoding="utf-8")
            return part[0]
        commands = [line.removeprefix("$ ") for line in part["console"].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"$ {command}\n{self._prints(command)}" for command in commands) + "```"

    def _prints(self, command: str) -> str:
        """What a command prints on standard output. It may change the folder."""
        line = f"{command} && pwd >&3"
        read, write = os.pipe()
        done = subprocess.run(
            ["bash", "-c", f"exec 3>&{write}; {line}"],
            cwd=self.folder,
            env=os.environ | self.environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
            pass_fds=[write],
        )
        os.close(write)
        with os.fdopen(read, encoding="utf-8") as told:
            self.folder = Path(told.read().strip() or self.folder)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        return done.stdout


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    """In a clone, with a cache of their own, offline, at a terminal of 80 columns."""
    clone = tmp_path / "clone"
    clone.mkdir()
    for path in ROOT.iterdir():
        if path.name not in LEFT_OUT:
            clone.joinpath(path.name).symlink_to(path)
    own = {"FLOWMAP_CACHE": str(tmp_path / "cache"), "PIP_TARGET": str(tmp_path / "installed")}
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # as in an environment that is active
    return Reader(clone, OFFLINE | TERMINAL | own)


def lines(text: str) -> Iterator[str]:
    """The lines of a page without the blanks at their ends."""
    yield from (line.rstrip() for line in text.splitlines())


def test_the_tutorial_happens(reader: Reader, request: pytest.FixtureRequest) -> None:
    """From the installation to the page in a manual."""
    text = PAGE.read_text(encoding="utf-8")
    happened = "\n".join(lines(_PART.sub(reader.does, text))) + "\n"
    if request.config.getoption("--rewrite-goldens"):
        PAGE.write_text(happened, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == happened, "see how with: make goldens && git diff docs"
    site = reader.folder / "site" / "index.html"
    assert [each for each in ("Voucher.take", "fm-source", "fm-update") if each not in site.read_text(encoding="utf-8")] == []
