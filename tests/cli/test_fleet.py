"""`flowmap fleet` indexes many sources and says in one table what was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flowmap.gather import FEW_FILES
from tests.conftest import Command

MANY = FEW_FILES + 1
APP = "def used(): ...\ndef main():\n    used()\n"


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """A file that names two folders, one of them twice, and one that is not there."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "app.py").write_text(APP, encoding="utf-8")
    path = tmp_path / "sources.txt"
    names = [tmp_path / "one", "# a remark", "", tmp_path / "two", tmp_path / "none", tmp_path / "one"]
    path.write_text("\n".join(map(str, names)), encoding="utf-8")
    return path


def test_each_source_has_a_row_and_failures_are_told(listed: Path, flowmap: Command) -> None:
    """The others go on; the exit code is 1."""
    cache = str(listed.parent / "cache")
    done = flowmap("fleet", str(listed), "--format", "json", "--quiet", code=1, FLOWMAP_CACHE=cache)
    record = json.loads(done.stdout)
    record = record.get("record", record)
    found = {Path(row["source"]).name: (row["files"], row["sites"], bool(row["problems"])) for row in record["sources"]}
    assert found == {"one": (1, 1, False), "two": (1, 1, False), "none": (0, 0, True)}
    assert record["failed"] == 1


def test_what_is_indexed_is_not_indexed_again(listed: Path, flowmap: Command) -> None:
    """After an interruption the same command goes on."""
    cache = str(listed.parent / "cache")
    flowmap("index", str(listed.parent / "one"), FLOWMAP_CACHE=cache)
    rows = flowmap("fleet", str(listed), "--quiet", code=1, FLOWMAP_CACHE=cache).stdout.splitlines()
    (one,) = [row for row in rows if f"{listed.parent / 'one'} " in row]
    (two,) = [row for row in rows if f"{listed.parent / 'two'} " in row]
    assert one.rstrip().endswith("kept")
    assert not two.rstrip().endswith("kept")


@pytest.mark.parametrize("text", ["", "# nothing\n\n", None])
def test_a_file_without_sources_is_one_message(tmp_path: Path, flowmap: Command, text: str | None) -> None:
    """Exit code 2."""
    path = tmp_path / "sources.txt"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    done = flowmap("fleet", str(path), code=2)
    assert str(path) in done.stderr
    assert "Errno" not in done.stderr
    assert "source a line" in done.stderr or "Write one a line" in done.stderr


def test_a_row_says_how_much_was_new(tmp_path: Path, flowmap: Command) -> None:
    """The share of lines in files not seen before, as a further release has them; nothing of an index that is kept."""
    folder = tmp_path / "app"
    folder.mkdir()
    for number in range(MANY):
        (folder / f"m{number}.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "sources.txt").write_text(str(folder), encoding="utf-8")
    shares = []
    for text in ("x = 1\n", "x = 2\n", "x = 2\n"):
        (folder / "m0.py").write_text(text, encoding="utf-8")
        done = flowmap("fleet", str(tmp_path / "sources.txt"), "--format", "json", "-q", FLOWMAP_CACHE=str(tmp_path / "cache"))
        record = json.loads(done.stdout)
        shares.append(record.get("record", record)["sources"][0]["new"])
    assert shares == [1.0, round(1 / MANY, 3), None]


def test_index_says_in_full_how_much_is_new(tmp_path: Path, flowmap: Command) -> None:
    """On standard error, where an index is made."""
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    asked = ("index", str(tmp_path), "-v")
    assert "3 of 3 lines (100%) stand in files not seen before" in flowmap(*asked, FLOWMAP_CACHE=str(tmp_path / "cache")).stderr
    assert "not seen before" not in flowmap(*asked, FLOWMAP_CACHE=str(tmp_path / "cache")).stderr
