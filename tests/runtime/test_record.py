"""`flowmap record`: what it sees, in which processes, and that the program does not notice."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Command

Seen = Callable[..., dict[tuple[str, int, str], int]]
NOTE = "def note(x):\n    return x\n\n\n"


@pytest.fixture
def record(flowmap: Command, tmp_path: Path) -> Seen:
    """Runs `pkg/app.py` with this text; gives the number of calls by (caller, line, callee)."""
    folder = tmp_path / "pkg"
    folder.mkdir()
    (folder / "__init__.py").touch()

    def recorded(text: str, code: int = 0) -> dict[tuple[str, int, str], int]:
        (folder / "app.py").write_text(text, encoding="utf-8")
        output = tmp_path / "calls.jsonl"
        command = [sys.executable, str(folder / "app.py")]
        flowmap("record", "--only", "pkg", "-o", str(output), "--", *command, code=code)
        rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
        return {(row["caller"], row["line"], row["callee"]): row["count"] for row in rows}

    return recorded


def test_calls_are_counted_at_their_lines(record: Seen) -> None:
    """Also those that code in C makes for the line, and those of a comprehension."""
    seen = record(NOTE + "def run():\n    note(1)\n    list(map(note, 'ab'))\n    return [note(x) for x in 'abc']\n\n\nrun()\n")
    assert seen == {
        ("pkg.app", 11, "pkg.app.run"): 1,
        ("pkg.app.run", 6, "pkg.app.note"): 1,
        ("pkg.app.run", 7, "pkg.app.note"): 2,
        ("pkg.app.run", 8, "pkg.app.note"): 3,
    }


def test_what_runs_without_a_call_counts_too(record: Seen) -> None:
    """Constructors, properties, operators, iteration; a decorated function stands at its own symbol."""
    text = """import functools
class A:
    def __init__(self): self.v = 1
    @property
    def p(self): return self.v
    def __add__(self, other): return self
    def __iter__(self): yield 1
@functools.lru_cache
def cached(): return 1
a = A()
a.p
a + a
for x in a: pass
cached()
"""
    callees = {(line, callee.removeprefix("pkg.app.")) for _, line, callee in record(text)}
    assert callees == {(10, "A.__init__"), (11, "A.p"), (12, "A.__add__"), (13, "A.__iter__"), (14, "cached")}


def test_a_generator_that_runs_where_it_is_made_is_seen_there(record: Seen) -> None:
    """It counts once, however often it is resumed."""
    seen = record(NOTE + "def numbers():\n    yield 1\n    yield 2\n\n\nfor x in numbers():\n    note(x)\n")
    assert seen[("pkg.app", 10, "pkg.app.numbers")] == 1
    assert seen[("pkg.app", 11, "pkg.app.note")] == 2


def test_a_context_counts_where_it_is_made(record: Seen) -> None:
    """Not at the `with`, which may stand on another line: the same as for any other generator."""
    text = """from contextlib import contextmanager
@contextmanager
def opened(): yield 1
def run():
    with (
        opened()
    ) as one, opened():
        later = opened()
    with later:
        pass
run()
"""
    assert record(text) == {
        ("pkg.app", 11, "pkg.app.run"): 1,
        ("pkg.app.run", 6, "pkg.app.opened"): 1,
        ("pkg.app.run", 7, "pkg.app.opened"): 1,
        ("pkg.app.run", 8, "pkg.app.opened"): 1,
    }


def test_threads_and_children_are_recorded(record: Seen) -> None:
    """A thread, a process of `multiprocessing`, a Python that is started, and one that is killed."""
    text = NOTE + (
        "def work(n):\n    note(n)\n\n\n"
        "if __name__ == '__main__':\n"
        "    import multiprocessing, subprocess, sys, threading, os\n"
        "    one = threading.Thread(target=work, args=(1,)); one.start(); one.join()\n"
        "    two = multiprocessing.get_context('spawn').Process(target=work, args=(1,)); two.start(); two.join()\n"
        "    run = 'import sys; sys.path.insert(0, sys.argv[1]); from pkg.app import work; work(1)'\n"
        "    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))\n"
        "    subprocess.run([sys.executable, '-c', run, here])\n"
        "    subprocess.run([sys.executable, '-c', run + '; import os; os.abort()', here], stderr=subprocess.DEVNULL)\n"
    )
    assert record(text)[("pkg.app.work", 6, "pkg.app.note")] == 4


def test_only_the_named_package_is_recorded(record: Seen) -> None:
    """Not the standard library, though it calls functions of Python code too."""
    assert record("import json\njson.dumps([1], indent=1)\n") == {}


def test_the_program_does_not_notice(flowmap: Command, tmp_path: Path) -> None:
    """Its output, its exit code, its own `sitecustomize` and its path are what they are without the recorder."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.own = True\n", encoding="utf-8")
    program = "import sys\nprint(sys.own, 'injected' in str(sys.path))\nprint('oops', file=sys.stderr)\nsys.exit(7)"
    command = ["record", "-q", "-o", str(tmp_path / "o"), "--", sys.executable, "-c", program]
    done = flowmap(*command, code=7, PYTHONPATH=f"{Path(__file__).parents[2]}{':' if sys.platform != 'win32' else ';'}{tmp_path}")
    assert (done.stdout, done.stderr) == ("True False\n", "oops\n")


def test_a_command_that_is_not_there(flowmap: Command, tmp_path: Path) -> None:
    """One message, no traceback."""
    done = flowmap("record", "-o", str(tmp_path / "o"), "--", "no-such-command", code=2)
    assert done.stderr.startswith("no-such-command: cannot be started")


def test_a_place_that_cannot_be_written_is_said_before_the_run(flowmap: Command, tmp_path: Path) -> None:
    """Not after it."""
    done = flowmap("record", "-o", str(tmp_path / "no" / "o"), "--", sys.executable, "-c", "print('ran')", code=2)
    assert done.stdout == ""


def test_nothing_that_can_be_recorded_is_said(flowmap: Command, tmp_path: Path) -> None:
    """An isolated Python takes nothing from its environment."""
    done = flowmap("record", "-o", str(tmp_path / "o"), "--", sys.executable, "-I", "-c", "pass")
    assert "started no Python that could be recorded" in done.stderr


def test_the_recorder_does_not_record_itself(flowmap: Command, tmp_path: Path) -> None:
    """Nor what it puts in the place of functions of `os`, where no package is named."""
    (tmp_path / "app.py").write_text(f"import os\n{NOTE}note(1)\nos._exit(0)\n", encoding="utf-8")
    output = tmp_path / "calls.jsonl"
    flowmap("record", "-o", str(output), "--", sys.executable, str(tmp_path / "app.py"))
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [(row["caller"], row["callee"]) for row in rows] == [("app", "app.note")]
