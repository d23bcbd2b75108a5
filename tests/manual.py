"""The manual, built as `make docs` builds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build_manual(folder: Path) -> Path:
    """The folder of the site, below a folder for all that comes of it. Whatever Sphinx warns of is an error."""
    options = ("--fail-on-warning", "--keep-going", "--quiet", "-j", "auto", "-d", str(folder / "doctrees"))
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(folder / "site")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"
