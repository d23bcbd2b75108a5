"""An index is written whole or not at all, and never misread."""

from __future__ import annotations

import dataclasses
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from flowmap.store.format import FORMAT, IndexOutdated
from flowmap.store.index import open_file
from flowmap.store.write import _COLUMNS, IndexTables, Row, write_index
from tests.toy import toy_tables


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A written index."""
    file = tmp_path / "index" / "toy.db"
    write_index(file, toy_tables())
    return file


def only_file(folder: Path) -> Path:
    """The one file of a folder: nothing half-written lies beside it."""
    (file,) = folder.iterdir()
    return file


def test_what_is_written_is_read(path: Path) -> None:
    """The rows come back as nouns, the folder is made, nothing is left beside the file."""
    index = open_file(path)
    assert index.source == "toy 1.0"
    assert [entry.path for entry in index.files.values()][1] == "toy/app.py"
    assert only_file(path.parent) == path


def test_every_table_of_the_schema_is_written(path: Path) -> None:
    """No table of the schema is forgotten, and each has the columns that its rows must have."""
    connection = sqlite3.connect(path)
    query = "SELECT m.name, (SELECT COUNT(*) FROM pragma_table_info(m.name)) FROM sqlite_schema m WHERE m.type = 'table'"
    tables = {name: n_columns for name, n_columns in connection.execute(query) if not name.startswith("sqlite_")}
    connection.close()
    assert tables.pop("meta") == 2
    assert tables == _COLUMNS
    fields = {field.name.rstrip("_") for field in dataclasses.fields(IndexTables)}
    assert fields == {*_COLUMNS, "meta"}


def test_a_run_that_fails_leaves_the_old_index(path: Path) -> None:
    """A row that breaks the schema, in the middle of the work, changes nothing."""
    before = path.read_bytes()

    def rows() -> Iterator[Row]:
        yield (0, 0, 0, "proven", None)
        yield (1,)

    with pytest.raises(sqlite3.Error):
        write_index(path, dataclasses.replace(toy_tables(), target=rows()))
    assert path.read_bytes() == before
    assert only_file(path.parent) == path


def test_a_reader_keeps_the_index_that_it_opened(path: Path) -> None:
    """Another run may replace the file while it is read."""
    index = open_file(path)
    write_index(path, dataclasses.replace(toy_tables(), meta={"source": "toy 2.0"}))
    assert index.source == "toy 1.0"
    assert len(index.definitions([0, 1, 2])) == 3
    assert open_file(path).source == "toy 2.0"


def test_what_a_killed_run_left_goes(path: Path) -> None:
    """A part file of long ago is removed; one that may still be written stays."""
    left, alive = path.with_name("toy.db.x.part"), path.with_name("toy.db.y.part")
    for part in (left, alive):
        part.write_bytes(b"half")
    os.utime(left, (0, 0))
    write_index(path, toy_tables())
    assert not left.exists()
    assert alive.exists()


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    """Nothing of the time or the machine gets into an index."""
    for name in ("a.db", "b.db"):
        write_index(tmp_path / name, toy_tables())
    assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()


def test_another_format_is_not_read(path: Path) -> None:
    """An index of an older flowmap is said to be one, so that it is built again."""
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()
    with pytest.raises(IndexOutdated, match=f"format {FORMAT + 1}"):
        open_file(path)


@pytest.mark.parametrize("content", [b"", b"not an index at all" * 100])
def test_what_is_no_index_is_not_read(tmp_path: Path, content: bytes) -> None:
    """An empty file or another one is no index."""
    file = tmp_path / "other.db"
    file.write_bytes(content)
    with pytest.raises(IndexOutdated):
        open_file(file)


def test_a_missing_file_is_not_made(tmp_path: Path) -> None:
    """Opening for reading creates nothing."""
    with pytest.raises(IndexOutdated):
        open_file(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_damaged_index_is_not_read(path: Path) -> None:
    """A file that was cut short, as on a full disk, is no index."""
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(IndexOutdated):
        open_file(path)


def test_an_index_cannot_be_changed_through_a_reader(path: Path) -> None:
    """Readers open read-only."""
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        list(open_file(path).rows("DELETE FROM site"))
