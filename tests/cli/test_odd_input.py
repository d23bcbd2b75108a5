"""What shells and pipes pass on: bytes that are no text, numbers of any length, streams and folders that are gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flowmap.api import open_index
from flowmap.model.problem import FlowmapError
from flowmap.model.typed import encodable, line_number
from tests.conftest import Command

ROOT = Path(__file__).parents[2]
NOT_TEXT = "\udcff"  # as Python gives a byte 0xff of the command line
LONG = "9" * 20
LONGER = "9" * 5000  # more digits than Python reads
PROGRAM = "class Job:\n    fast = True\n\n    def run(self):\n        return helper()\n\n\ndef helper():\n    return Job.fast\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package `shop`; the current folder holds it."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FLOWMAP_SOURCE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def in_shell(command: str, *arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[str]:
    """What a shell makes of a command line in which `$F` is flowmap; `arguments` are `$1` and the following."""
    environment = os.environ | {"F": f"{sys.executable} -m flowmap", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", command, "sh", *arguments], input=text, env=environment, capture_output=True, check=False)
    told = (done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    assert "Traceback (most recent" not in "".join(told), told
    return subprocess.CompletedProcess(done.args, done.returncode, *told)


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ('$F trace "$1"', 1, r"\udcff: no such name"),
        ('$F trace shop.helper --to "$1"', 1, r"\udcff: no such name"),
        ('$F trace shop.helper --assume "Job.fast=$1"', 2, "is no assumption: it is not UTF-8"),
        ('$F trace shop.helper --stop-at "$1"', 0, ""),
        ('$F flow "$1"', 1, r"\udcff: no class has a field of this name"),
        ('$F sql "$1"', 2, "the SQL: holds bytes that are no text"),
        ('$F index "$1"', 2, r"\udcff: there is no such file or folder"),
        ('mkdir "$1" && cp -r shop "$1" && $F index --source "$1/shop"', 0, ""),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_name_that_is_no_text_is_told_as_escapes(command: str, code: int, said: str) -> None:
    """Wherever it stands; a folder may have such a name."""
    done = in_shell(f"{command} -q", NOT_TEXT)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr


@pytest.mark.parametrize("digits", [LONG, LONGER], ids=["20 digits", "5000 digits"])
@pytest.mark.parametrize("command", ["trace", "show", "explain", "flow"])
@pytest.mark.usefixtures("folder")
def test_a_line_with_a_long_number_is_not_there(command: str, digits: str) -> None:
    """Also where it is longer than a number in an index can be."""
    done = in_shell(f"$F {command} shop/__init__.py:{digits} -q")
    assert done.returncode == 1
    assert "9 lines" in done.stderr


@pytest.mark.usefixtures("folder")
def test_a_traceback_may_hold_anything() -> None:
    """Bytes that are no text, and numbers that no file has lines for."""
    text = f'  File "shop/__init__.py", line {LONGER}, in run\n'.encode()
    assert "1 of 1 frame in the index" in in_shell("$F trace -", text=b"\xff\n" + text).stdout
    assert in_shell("$F trace - -q", text=b"\xff").returncode == 1


@pytest.mark.usefixtures("folder")
def test_a_stream_that_is_closed_is_one_message() -> None:
    """Or none, where it is not needed."""
    closed = in_shell("$F trace shop.helper -q >&-")
    assert (closed.returncode, "standard output: is closed" in closed.stderr) == (2, True)
    assert "holds no traceback" in in_shell("$F trace - -q <&-").stderr
    written = in_shell("$F export calls -o calls.jsonl <&- >&- 2>&-")
    assert (written.returncode, len(Path("calls.jsonl").read_text(encoding="utf-8").splitlines())) == (0, 1)


@pytest.mark.usefixtures("folder")
def test_a_folder_that_is_gone_is_named() -> None:
    """As what it is: no disk is full."""
    done = in_shell("mkdir gone && cd gone && rmdir ../gone && $F trace shop.helper")
    assert (done.returncode, "the current folder: is not there any more" in done.stderr) == (2, True)
    assert "space" not in done.stderr


def test_the_interface_takes_paths_and_refuses_nothing(folder: Path) -> None:
    """A path is a source; an empty text names none; a name that is no text is a name that is not there."""
    shop = open_index(folder / "shop")
    assert [site.expr for site in shop.callers("helper")] == ["helper()"]
    with pytest.raises(FlowmapError, match="names nothing"):
        open_index("")
    with pytest.raises(FlowmapError, match="no such name"):
        shop.callers(NOT_TEXT)


def test_text_and_numbers_that_fit_stay_as_they_are() -> None:
    """Only what the index has no room for is changed."""
    assert (encodable("größe"), encodable("a" + NOT_TEXT)) == ("größe", r"a\udcff")
    assert (line_number("12"), line_number("0")) == (12, 0)
    assert line_number(LONG) == line_number(LONGER) > 10**9


def test_an_executor_of_no_known_form_is_refused_though_the_index_is_ready(flowmap: Command, tmp_path: Path) -> None:
    """What was typed is wrong whether or not it is needed."""
    (tmp_path / "app.py").write_text("def f(): ...\n", encoding="utf-8")
    cache = str(tmp_path / "cache")
    flowmap("index", str(tmp_path), FLOWMAP_CACHE=cache)
    for text in ("foo", "dask://"):
        assert "names no executor" in flowmap("index", "--executor", text, str(tmp_path), code=2, FLOWMAP_CACHE=cache).stderr
