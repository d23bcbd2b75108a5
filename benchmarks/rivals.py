"""The tools that a user would pick instead, on the same files, each in a virtual environment of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchmarks.processes import Run, measured

PYREFLY = "pyrefly==1.5.0"
N_SITES = 100  # that jedi is asked about


class Outcome(StrEnum):
    """How a run of a tool ended."""

    DONE = "done"
    FAILED = "failed"
    RAN_PAST = "ran past the limit"
    NOT_THERE = "does not install"


@dataclass(frozen=True, slots=True)
class Task:
    """What a tool is given: the copied files of the subject, and a place for what it writes."""

    files: Path
    out: Path

    @property
    def texts(self) -> list[str]:
        """All Python files."""
        return sorted(map(str, self.files.rglob("*.py")))


@dataclass(frozen=True, slots=True)
class Rival:
    """A tool: what is installed, the command's name, its arguments, and the exit codes of a run that did its work."""

    requirement: str
    command: str
    arguments: Callable[[Task], Sequence[str]]
    codes: tuple[int, ...] = (0,)
    writes: bool = True  # a result, without which it has failed


@dataclass(frozen=True, slots=True)
class Raced:
    """A tool's run: `seconds` until it ended, or was ended."""

    requirement: str
    outcome: Outcome
    seconds: float
    cpu: float
    peak: int


RIVALS: Mapping[str, Rival] = {
    "pyrefly": Rival(
        PYREFLY, "pyrefly", lambda task: ("check", "--threads", "2", "--report-pysa", str(task.out), str(task.files)), (0, 1)
    ),
    "pyright": Rival("pyright[nodejs]==1.1.414", "pyright", lambda task: ("--stats", str(task.files)), (0, 1), writes=False),
    "pyan3": Rival(
        "pyan3==2.9.0", "pyan3", lambda task: ("--uses", "--no-defines", "--tgf", "--file", str(task.out), *task.texts)
    ),
    "code2flow": Rival(
        "code2flow==2.5.1",
        "code2flow",
        lambda task: ("--language", "py", "--skip-parse-errors", "-o", f"{task.out}.json", str(task.files)),
    ),
    "jarviscg": Rival(
        "jarviscg==0.1.0rc7", "jarviscg", lambda task: ("--package", str(task.files), "-o", str(task.out), *task.texts)
    ),
}


def races(names: Sequence[str], files: Path, home: Path, limit: float) -> Iterator[Raced]:
    """Runs some tools one after the other, each for `limit` seconds at most."""
    for name in names:
        yield race(RIVALS[name], files, home, limit)


def race(rival: Rival, files: Path, home: Path, limit: float) -> Raced:
    """Runs a tool on a copy of the files: some leave out what version control ignores."""
    tool = installed(rival.requirement, rival.command, home)
    if tool is None:
        return Raced(rival.requirement, Outcome.NOT_THERE, 0.0, 0.0, 0)
    with tempfile.TemporaryDirectory() as folder:
        task = Task(Path(shutil.copytree(files, Path(folder) / "files")), Path(folder) / "out")
        run = measured((str(tool), *rival.arguments(task)), {}, limit)
        return Raced(rival.requirement, outcome_of(rival, run, task.out), run.wall, run.cpu, run.peak)


def outcome_of(rival: Rival, run: Run, out: Path) -> Outcome:
    """How it ended. A tool that wrote nothing has failed, whatever its exit code says."""
    if run.code == -1:
        return Outcome.RAN_PAST
    has_written = any(out.parent.glob(f"{out.name}*")) and not (out.is_dir() and not any(out.iterdir()))
    return Outcome.DONE if run.code in rival.codes and (has_written or not rival.writes) else Outcome.FAILED


def installed(requirement: str, command: str, home: Path) -> Path | None:
    """A command of a package, installed once below `home`; None, and a word about it, where that fails."""
    place = home / requirement.replace("==", "-")
    scripts = place / ("Scripts" if sys.platform == "win32" else "bin")
    tool = scripts / command
    if not tool.exists():
        venv.create(place, with_pip=True)
        done = subprocess.run(
            [scripts / "python", "-m", "pip", "install", "--quiet", requirement], capture_output=True, text=True, check=False
        )
        if done.returncode:
            print(f"{requirement} does not install: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
    return tool
