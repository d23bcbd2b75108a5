"""Writes an index whole: either the complete new file stands at its path, or what stood there before."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from flowmap.model.typed import encodable
from flowmap.store.format import APPLICATION_ID, FORMAT

Row = tuple[object, ...]
Rows = Iterable[Row]

_PART = ".part"
_ABANDONED_SECONDS = 3600.0  # a part file this old belongs to a run that was killed
_FAST = """
PRAGMA page_size = 8192;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -131072;
"""


@dataclass(frozen=True, slots=True)
class IndexTables:
    """The rows of every table, each row a plain tuple with the columns of `schema.sql` in their order.

    The fields stand in the schema's order and bear the tables' names (`import_` is the table `import`). Any iterable will
    do; each is read once. `meta` must hold `source`, the subject as the user would name it; `format` is added here.
    """

    file: Rows
    symbol: Rows
    guard_list: Rows
    site: Rows
    target: Rows
    evidence: Rows
    stopped: Rows
    widened: Rows
    class_order: Rows
    member: Rows
    import_: Rows
    table_row: Rows
    table_target: Rows
    entry: Rows
    problem: Rows
    meta: Mapping[str, str]
    text: Rows = ()
    pruned: Rows = ()  # of an index for one configuration only, as `why`
    why: Rows = ()
    made: Rows = ()
    refused: Rows = ()
    flow_scope: Rows = ()
    flow_field: Rows = ()
    flow_file: Rows = ()
    field: Rows = ()
    phrase: Rows = ()
    owners: Rows = ()
    access: Rows = ()
    assigned: Rows = ()
    generated: Rows = ()
    held: Rows = ()


_COLUMNS = {  # table: number of columns; `tests/store/test_write.py` holds it against schema.sql
    "file": 6,
    "symbol": 12,
    "guard_list": 2,
    "site": 17,
    "target": 5,
    "evidence": 6,
    "stopped": 2,
    "widened": 5,
    "class_order": 3,
    "member": 3,
    "import": 7,
    "table_row": 6,
    "table_target": 2,
    "entry": 2,
    "problem": 3,
    "text": 2,
    "pruned": 3,
    "why": 4,
    "made": 5,
    "refused": 2,
    "flow_scope": 2,
    "flow_field": 2,
    "flow_file": 3,
    "field": 2,
    "phrase": 2,
    "owners": 3,
    "access": 17,
    "assigned": 6,
    "generated": 2,
    "held": 2,
}


def write_index(path: Path, tables: IndexTables) -> None:
    """Write the index to `path`, replacing what stands there in one step. Readers of the old file keep the old file.

    Errors: OSError when the folder cannot be written, sqlite3.Error when a row breaks the schema; `path` is untouched then.
    """
    with whole(path) as connection:
        fill(connection, tables)


@contextlib.contextmanager
def whole(path: Path, base: Path | None = None) -> Iterator[sqlite3.Connection]:
    """A database that stands at `path` once the block has ended well; it begins as a copy of `base`, else empty.

    Errors: OSError when the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=_PART, dir=path.parent)
    os.close(handle)
    part = Path(name)
    try:
        if base is not None:
            shutil.copyfile(base, part)
        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.executescript(_FAST)
            yield connection
        _flush(part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def fill(connection: sqlite3.Connection, tables: IndexTables) -> None:
    """Create the schema in an empty database and load every row in one transaction, then make the indexes."""
    connection.executescript(_sql("schema.sql"))
    connection.execute("BEGIN")
    for table, rows in _tables(tables):
        marks = ", ".join("?" * _COLUMNS[table])
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    meta = {**{key: encodable(text) for key, text in tables.meta.items()}, "format": str(FORMAT)}
    connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))
    connection.execute("COMMIT")
    connection.executescript(_sql("indexes.sql") + _sql("views.sql"))
    connection.executescript(f"ANALYZE; PRAGMA user_version = {FORMAT}; PRAGMA application_id = {APPLICATION_ID};")


def _tables(tables: IndexTables) -> Iterator[tuple[str, Rows]]:
    for table in _COLUMNS:
        yield table, getattr(tables, "import_" if table == "import" else table)


def _sql(name: str) -> str:
    return resources.files("flowmap.store").joinpath(name).read_text(encoding="utf-8")


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sweep(path: Path) -> None:
    """Remove the part files of runs that were killed. A run that still writes its own keeps it: it is younger than an hour."""
    for left in path.parent.glob(f"{path.name}.*{_PART}"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                left.unlink()
