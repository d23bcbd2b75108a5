"""The tools that a user would pick instead, on the same files, each in a virtual environment of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks.processes import Run, measured

PYREFLY = "pyrefly==1.5.0"


def pyrefly_report(files: Path, home: Path) -> Run | None:
    """pyrefly's call-graph report (what Pysa reads), with two threads; None where it cannot be installed or fails."""
    tool = installed(PYREFLY, "pyrefly", home)
    if tool is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        copy = shutil.copytree(files, Path(folder) / "files")  # it leaves out what version control ignores
        run = measured((str(tool), "check", "--threads", "2", "--report-pysa", str(out), str(copy)), {})
        return run if out.is_dir() and any(out.iterdir()) else None


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
