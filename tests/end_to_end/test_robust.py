"""What goes wrong on a real machine: runs beside one another or killed, read-only caches, files that do not parse."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Command

FLOWMAP = [sys.executable, "-m", "flowmap"]
CLASS = "from pkg.base import helper\n\n\nclass C{0}:\n    def run(self):\n        return helper()\n"
MODULE = CLASS + "\n\ndef f{0}(a):\n    return a\n" * 30
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of enough files that indexing it takes a moment, and more than one process."""
    folder = tmp_path / "pkg"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "base.py").write_text("def helper(): ...\n", encoding="utf-8")
    for number in range(120):
        (folder / f"m{number}.py").write_text(MODULE.format(number), encoding="utf-8")
    return folder


@pytest.fixture
def start(package: Path, tmp_path: Path) -> Start:
    """Starts `flowmap callers helper` on the package, with a cache of its own, in a process group of its own."""

    def started(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        command = [*FLOWMAP, *(arguments or ("callers", "helper", "--format", "lines")), "--source", str(package)]
        return subprocess.Popen(
            command,
            env=os.environ | {"FLOWMAP_CACHE": str(tmp_path / "cache"), "PYTHONUTF8": "1"} | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )

    return started


def answer_of(process: subprocess.Popen[str], code: int = 0) -> str:
    """What a process says on standard output, once it has ended as it should."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert "Traceback" not in err
    return out


def left_in(folder: Path) -> list[str]:
    """What an index folder holds besides finished indexes and the records of their use."""
    names = [path.name for path in (folder / "index").glob("*")] if folder.exists() else []
    return [name for name in names if not name.endswith((".sqlite", ".sqlite.from"))]


def test_two_runs_at_once_both_end_right(start: Start, tmp_path: Path) -> None:
    """Whoever is first puts its index in place; the other's replaces it whole; nothing else is left."""
    answers = [answer_of(each) for each in [start(), start(), start()]]
    assert answers[0].count("pkg/") == 120
    assert len(set(answers)) == 1
    assert left_in(tmp_path / "cache") == []
    assert answer_of(start()) == answers[0]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_after_a_run_that_was_stopped_in_the_middle_the_next_one_is_right(start: Start, how: signal.Signals) -> None:
    """No half index is ever taken for one, whether the run was killed or interrupted."""
    stopped = start()
    assert stopped.stderr is not None
    assert "reading files" in stopped.stderr.readline()
    os.killpg(stopped.pid, how)
    out, err = stopped.communicate(timeout=60)
    assert out == ""
    assert "Traceback" not in err
    assert answer_of(start()).count("pkg/") == 120


def test_an_interrupt_has_its_own_exit_code(start: Start) -> None:
    """Ctrl-C ends the run and its workers at once, with the shell's 130 and no traceback of any of them."""
    process = start()
    assert process.stderr is not None
    process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)
    assert answer_of(process, 130) == ""


def test_workers_end_with_the_run_that_started_them(start: Start) -> None:
    """When that one alone is killed nobody goes on waiting for work: its output is closed soon."""
    process = start()
    assert process.stderr is not None
    process.stderr.readline()
    process.kill()
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("harm", ["cut", "other format", "no index", "empty"])
def test_a_harmed_index_is_made_anew(start: Start, tmp_path: Path, harm: str) -> None:
    """A damaged file, or one of another format, is never misread."""
    answer = answer_of(start())
    (path,) = (tmp_path / "cache" / "index").glob("*.sqlite")
    match harm:
        case "cut":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        case "other format":
            with sqlite3.connect(path) as connection:
                connection.execute("PRAGMA user_version = 999")
            connection.close()
        case "no index":
            path.write_text("no index", encoding="utf-8")
        case _:
            path.write_bytes(b"")
    assert answer_of(start()) == answer


def test_a_cache_that_cannot_be_written_is_said_once(start: Start, tmp_path: Path) -> None:
    """The answer comes from memory, with one remark on standard error."""
    (tmp_path / "file").touch()
    process = start(FLOWMAP_CACHE=str(tmp_path / "file" / "cache"))
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out.count("pkg/")) == (0, 120)
    assert err.count("cannot be kept") == 1
    assert "    Name another folder in FLOWMAP_CACHE." in err.splitlines()


def test_a_read_only_cache_answers_from_what_is_there(start: Start, tmp_path: Path) -> None:
    """Nothing has to be written for a warm answer."""
    answer = answer_of(start())
    folders = [tmp_path / "cache" / "index", tmp_path / "cache"]
    try:
        for folder in folders:
            folder.chmod(0o555)
        process = start()
        out, err = process.communicate(timeout=120)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (process.returncode, out) == (0, answer)
    assert "reading files" not in err
    assert "cannot" not in err


def test_files_that_do_not_parse_are_named_and_the_rest_is_indexed(flowmap: Command, tmp_path: Path) -> None:
    """Each with its reason; a byte order mark and a declared encoding are no faults."""
    source = tmp_path / "bad"
    source.mkdir()
    texts = {
        "good.py": b"def good(): ...\n\n\ngood()\n",
        "bom.py": b"\xef\xbb\xbfdef with_mark(): ...\n\n\nwith_mark()\n",
        "cookie.py": "# -*- coding: latin-1 -*-\ndef caf\xe9(): ...\n\ncaf\xe9()\n".encode("latin-1"),
        "syntax.py": b"def broken(:\n",
        "encoding.py": b"name = '\xff\xfe'\n",
        "nul.py": b"x = 1\0\n",
        "deep.py": b"x = " + b"(" * 5000 + b")" * 5000 + b"\n",
        "empty.py": b"",
    }
    for name, text in texts.items():
        (source / name).write_bytes(text)
    cache = str(tmp_path / "cache")
    told = flowmap("index", str(source), FLOWMAP_CACHE=cache).stdout
    for name in ("syntax.py", "encoding.py", "nul.py", "deep.py"):
        assert told.count(name) == 1, told
    for name in ("good.py", "bom.py", "cookie.py", "empty.py"):
        assert name not in told
    for name in ("good", "with_mark", "caf\xe9"):
        lines = flowmap("callers", name, "--source", str(source), "--format", "lines", FLOWMAP_CACHE=cache).stdout
        assert ":4:1: " in lines
        assert len(lines.splitlines()) == 1
    assert "invalid syntax" in flowmap("module", "syntax.py", "--source", str(source), code=1, FLOWMAP_CACHE=cache).stderr


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no/such/folder", "no such file or folder"),
        ("broken.whl", "archive"),
        ("pypi:bad name", "is not of the form"),
        ("pypi:name==not.a.version!", "is not a version"),
        ("dist:no-such-distribution-anywhere", "is installed neither"),
        ("git:.@no-such-revision", ""),
        ("hollow", "holds no Python file"),
    ],
)
def test_a_source_that_is_none_is_one_message(
    flowmap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str
) -> None:
    """What, where, and what to do; exit code 2; nothing on standard output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.whl").write_text("this is no archive", encoding="utf-8")
    (tmp_path / "hollow").mkdir()
    done = flowmap("where", "x", "--source", source, code=2, FLOWMAP_CACHE=str(tmp_path / "cache"))
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert (done.stdout, len(done.stderr.splitlines()) <= 2) == ("", True)


def test_without_a_network_a_missing_release_is_one_clear_line(flowmap: Command, tmp_path: Path) -> None:
    """The index that pip is configured with does not answer: said with what to do, after no long wait."""
    offline = {name: "" for name in os.environ if name.upper().startswith("PIP_") or name.lower().endswith("_proxy")}
    offline |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0"}
    done = flowmap("where", "x", "--source", "pypi:flask==3.0.0", "-q", code=2, FLOWMAP_CACHE=str(tmp_path), **offline)
    first, *rest = done.stderr.splitlines()
    assert "pypi:flask: is not in the cache, and the index cannot be reached" in first
    assert len(rest) <= 1
    assert done.stdout == ""


def test_an_unknown_name_is_a_finding(flowmap: Command, package: Path, tmp_path: Path) -> None:
    """Exit code 1, and the nearest names."""
    done = flowmap("trace", "helpr", "--source", str(package), "-q", code=1, FLOWMAP_CACHE=str(tmp_path / "cache"))
    assert "Did you mean helper" in done.stderr


def test_a_reader_that_has_enough_is_no_error(start: Start) -> None:
    """`flowmap … | head -1` ends quietly."""
    process = start("export", "calls", "-q")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("{")
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as stream:
        assert stream.read() == ""
    assert process.wait(timeout=60) == 0


def test_which_subject_is_indexed_is_said_before(flowmap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever named none learns at once which one was chosen and why."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("def f(): ...\n", encoding="utf-8")
    (tmp_path / "notes.ipynb").write_text("{}", encoding="utf-8")
    chosen = "source: pkg (the package of the current folder's project)"
    environment = {"FLOWMAP_SOURCE": "", "FLOWMAP_CACHE": str(tmp_path / "cache")}
    first, *_, last = flowmap("callers", "nothing", code=1, **environment).stderr.splitlines()
    assert (first, last) == (chosen, "nothing: no such name in pkg")
    assert flowmap("callers", "nothing", code=1, **environment).stderr.splitlines() == [chosen, last]
    assert "source:" not in flowmap("callers", "f", **environment).stderr
    assert "1 notebook is left out" in flowmap("index", **environment).stdout
