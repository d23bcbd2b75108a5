"""What a command loads whose index is kept: it starts as quickly as that allows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = """
import atexit, json, sys

def tell():
    sys.stderr.write(json.dumps(sorted(sys.modules)))

atexit.register(tell)
from flowmap.cli.main import main
main()
"""
COMMANDS = [("trace", "step"), ("callers", "step"), ("where", "step"), ("state", "lens")]
ROOMS = {"cli", "model", "render", "reports", "source", "store", "warm"}
OTHERS = {"click", "packaging", "platformdirs"}
HEAVY = {  # of the standard library: what fetches, compiles, runs, or waits for others
    *("asyncio", "concurrent", "email", "http", "logging", "multiprocessing", "pickle", "socket", "ssl", "subprocess"),
    *("tarfile", "unittest", "venv", "xml", "zipfile"),
}
MOST_OWN = 68  # modules of flowmap


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small program whose index is kept."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "app.py").write_text(
        "class Box:\n    lens = 1\n\ndef step(box: Box):\n    return box.lens\n\nstep(Box())\n", "utf-8"
    )
    loaded_by(folder, "index")
    return folder


def loaded_by(program: Path, *arguments: str) -> set[str]:
    """The modules that a command has loaded when it is done."""
    environment = os.environ | {"FLOWMAP_CACHE": str(program / ".cache"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", RUN, *arguments, "--quiet", "--source", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=program, check=True)
    return set(json.loads(done.stderr))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_warm_command_loads_what_it_uses(program: Path, command: tuple[str, ...]) -> None:
    """No room of the engine, no library that it does not use, and nothing of the standard library that takes long."""
    loaded = loaded_by(program, *command)
    own = {name for name in loaded if name.startswith("flowmap.")}
    assert {name.split(".")[1] for name in own} <= ROOMS
    tops = {name.partition(".")[0] for name in loaded}
    strange = {name for name in tops - sys.stdlib_module_names if not name.startswith(("_", "__"))}
    assert strange - {"flowmap"} <= OTHERS
    assert not tops & HEAVY
    assert len(own) <= MOST_OWN


def test_making_an_index_loads_the_engine(program: Path) -> None:
    """So the test above would see it."""
    (program / "more.py").write_text("x = 1\n", "utf-8")
    assert {"flowmap.solve.solve", "flowmap.extract.extract"} <= loaded_by(program, "where", "step")


def test_what_is_watched_in_a_trace_is_loaded_for_that_alone(program: Path) -> None:
    """The accesses of fields are found only where fields are named."""
    assert "flowmap.reports.watch" not in loaded_by(program, "trace", "step")
    assert "flowmap.reports.watch" in loaded_by(program, "trace", "step", "--watch", "lens")
