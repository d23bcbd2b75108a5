"""Small programs after what public bug reports of call graph tools are about; each says which edges it expects and forbids."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import FACTS

COMMAND = Path(sys.executable).with_name("flowmap")  # the installed command, beside the Python that runs the tests
PROGRAMS = sorted((FACTS / "cases").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_expected_edges_are_there_and_forbidden_ones_are_not(program: Path, tmp_path: Path) -> None:
    """The runner that came with the programs has the last word."""
    (tmp_path / program.name).write_bytes(program.read_bytes())
    done = subprocess.run(
        [sys.executable, str(FACTS / "cases.py"), str(COMMAND), str(tmp_path)],
        env=os.environ | {"FLOWMAP_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "1 of 1 cases right\n", done.stdout + done.stderr
