"""An index whose lines have moved: the one from before, with other lines in the rows of the files that were edited."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flowmap.model.flow import Row, pack_moves, unpack_moves
from flowmap.store.index import Index, as_json
from flowmap.store.write import whole

LINES = {  # the columns that hold lines of a row's `file`
    "site": ("line", "name_line", "end_line"),
    "evidence": ("line",),
    "widened": ("line",),
    "import": ("line",),
    "table_row": ("line",),
    "access": ("line", "end_line"),
}
_ASSIGNED = "UPDATE assigned SET line = moved(line) WHERE class IN (SELECT id FROM symbol WHERE file = ?)"
_SYMBOL = "UPDATE symbol SET line = ?, end_line = ?, doc = ? WHERE id = ?"
_FLOWS = "SELECT scope, body FROM flow_scope WHERE scope IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class MovedFile:
    """A file whose lines have moved. `scopes`: line, end line and first line of the docstring of each, as they are now."""

    file: int
    digest: str
    n_lines: int
    text: bytes
    lines: Mapping[int, int]
    scopes: Sequence[tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as an index knows it."""

    number: int
    module: str
    digest: str


def kept_files(index: Index) -> dict[str, KeptFile]:
    """The files of an index by path, in their order."""
    rows = index.rows("SELECT path, id, module, digest FROM file ORDER BY id")
    return {path: KeptFile(number, module, digest) for path, number, module, digest in rows}


def kept_text(index: Index, file: int) -> bytes:
    """A file as it was indexed."""
    ((body,),) = index.rows("SELECT body FROM text WHERE file = ?", file)
    return zlib.decompress(body)


def is_named_in_problems(index: Index, path: str) -> bool:
    """Whether a problem of the subject stands in a file."""
    return any(where.startswith(path) for (where,) in index.rows("SELECT where_ FROM problem"))


def shown_spans(index: Index, table: str, file: int) -> list[tuple[int, int, int, int]]:
    """The stretches of a file's text that rows of `site` or `access` stand for: line, column, end line, end column."""
    return [*index.rows(f"SELECT DISTINCT line, col, end_line, end_col FROM {table} WHERE file = ?", file)]


def write_moved(path: Path, base: Path, identity: str, files: Sequence[MovedFile]) -> None:
    """Writes the index at `base` to `path` with the lines as they are now, whole or not at all.

    Errors: OSError where nothing can be written, sqlite3.Error when a row stands on a line that is not among those that moved.
    """
    with whole(path, base) as connection:
        connection.execute("BEGIN")
        connection.execute("UPDATE meta SET value = ? WHERE key = 'identity'", (identity,))
        for each in files:
            move(connection, each)
        connection.execute("COMMIT")


def move(connection: sqlite3.Connection, moved: MovedFile) -> None:
    """Moves the lines of one file."""
    connection.create_function("moved", 1, moved.lines.__getitem__, deterministic=True)
    file = moved.file
    connection.execute("UPDATE file SET digest = ?, lines = ? WHERE id = ?", (moved.digest, moved.n_lines, file))
    connection.execute("UPDATE text SET body = ? WHERE file = ?", (zlib.compress(moved.text, 1), file))
    for table, columns in LINES.items():
        changes = ", ".join(f"{column} = moved({column})" for column in columns)
        connection.execute(f"UPDATE {table} SET {changes} WHERE file = ?", (file,))
    connection.execute(_ASSIGNED, (file,))
    symbols = [number for (number,) in connection.execute("SELECT id FROM symbol WHERE file = ? ORDER BY id", (file,))]
    connection.executemany(_SYMBOL, [(*scope, number) for number, scope in zip(symbols, moved.scopes, strict=True)])
    bodies = connection.execute(_FLOWS, (as_json(symbols),)).fetchall()
    changed = [(moved_moves(body, moved.lines), scope) for scope, body in bodies]
    connection.executemany("UPDATE flow_scope SET body = ? WHERE scope = ?", changed)


def moved_moves(body: bytes, lines: Mapping[int, int]) -> bytes:
    """A scope's rows of moves at their lines."""
    moves = unpack_moves(body)
    params = tuple((name, node, kind, lines[line]) for name, node, kind, line in moves.params)
    rows: Iterator[Row] = ((row[0], lines[row[1]], *row[2:]) for row in moves.rows)
    return pack_moves(moves._replace(params=params, rows=tuple(rows)))
