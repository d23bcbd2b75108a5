"""What is kept of releases: what each defines, and what became of it in another. One SQLite file for all.

A release that is in the ledger is not read again; a file that several releases hold is in it once. Questions are answered from
rows: nothing is loaded whole.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flowmap.drift.fields import FieldMatching
from flowmap.drift.matching import How, Matching
from flowmap.model.drift import FIELD, Change, Fate, Whereabouts
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.sketch import FileSketch, unpack_sketch

_SCHEMA = Path(__file__).with_name("ledger.sql")
_FIX = "Free some space, or wait for the other flowmap; `flowmap cache prune` clears what is kept."
_WAIT_SECONDS = 20.0  # for another process that writes
_HERE = "JOIN holds ON holds.file = definition.file JOIN file ON file.id = definition.file"
_ROW = "holds.release, symbol, name, kind, owner, module, path, line, signature, digest"
_STUBS_LAST = "ORDER BY holds.release, path GLOB '*.pyi', definition.rowid"


@dataclass(frozen=True, slots=True)
class Ledger:
    """An open ledger. Releases and files go by their numbers in it. `making` names the code that compares releases."""

    connection: sqlite3.Connection
    making: str

    def release(self, identity: str) -> int | None:
        """The number of a release that is wholly in the ledger."""
        row = self.connection.execute("SELECT id FROM release WHERE identity = ?", (identity,)).fetchone()
        return row[0] if row else None

    def files(self, keys: Iterable[str]) -> dict[str, int]:
        """The numbers of those files that are in the ledger, by key."""
        query = "SELECT key, id FROM file WHERE key IN (SELECT value FROM json_each(?))"
        return dict(self.connection.execute(query, (json.dumps(list(keys)),)))

    def add_release(self, identity: str, keys: Sequence[str], made: Iterable[tuple[str, bytes]]) -> int:
        """Adds a release whose files have these keys, with the packed sketches of those that are not in the ledger yet.

        Where another process added it meanwhile, that stays.
        """
        with self.connection:
            for key, packed in made:
                self._add_file(key, packed)
            self.connection.execute("INSERT OR IGNORE INTO release (identity) VALUES (?)", (identity,))
            number = self.release(identity)
            assert number is not None, "a row was inserted"
            rows = ((file, number) for file in self.files(keys).values())
            self.connection.executemany("INSERT OR IGNORE INTO holds VALUES (?, ?)", rows)
        return number

    def _add_file(self, key: str, packed: bytes) -> None:
        sketch = unpack_sketch(zlib.decompress(packed))
        row = (key, sketch.path, packed)
        cursor = self.connection.execute("INSERT OR IGNORE INTO file (key, path, sketch) VALUES (?, ?, ?)", row)
        if cursor.rowcount:
            rows = list(_rows_of(cursor.lastrowid or 0, sketch))
            self.connection.executemany("INSERT INTO definition VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def only_in(self, release: int, other: int) -> list[FileSketch]:
        """The sketches of the files that one release holds and another does not."""
        query = """SELECT sketch FROM file WHERE id IN
            (SELECT file FROM holds WHERE release = ? EXCEPT SELECT file FROM holds WHERE release = ?) ORDER BY path"""
        return [unpack_sketch(zlib.decompress(row[0])) for row in self.connection.execute(query, (release, other))]

    def pair(self, before: int, after: int) -> int | None:
        """The number of two releases that were compared."""
        query = "SELECT id FROM pair WHERE before = ? AND after = ? AND making = ?"
        row = self.connection.execute(query, (before, after, self.making)).fetchone()
        return row[0] if row else None

    def add_pair(self, before: int, after: int, found: tuple[Matching, FieldMatching]) -> int:
        """Notes what became of one release in another."""
        with self.connection:
            row = (before, after, self.making)
            added = self.connection.execute("INSERT OR IGNORE INTO pair (before, after, making) VALUES (?, ?, ?)", row).rowcount
            number = self.pair(before, after)
            assert number is not None, "a row was inserted"
            if added:
                rows = ((number, *row) for row in _changes_of(*found))
                self.connection.executemany("INSERT INTO change VALUES (?, ?, ?, ?, ?)", rows)
        return number

    def named(self, text: str, releases: Sequence[int]) -> list[Whereabouts]:
        """All that bears a name, or a symbol that ends with it at a dot, in some releases; by release."""
        wanted = text.strip().replace(".<locals>", "")
        query = f"SELECT {_ROW} FROM definition {_HERE} WHERE name = ? AND {_of(releases)} {_STUBS_LAST}"
        found = self._each_once(query, wanted.rpartition(".")[2])
        return [one for one in found if f".{one.symbol.replace('.<locals>', '')}".endswith(f".{wanted}")]

    def at(self, release: int, symbol: str) -> Whereabouts | None:
        """Where a symbol is in a release."""
        query = f"SELECT {_ROW} FROM definition {_HERE} WHERE symbol = ? AND {_of([release])} {_STUBS_LAST}"
        return next(iter(self._each_once(query, symbol)), None)

    def members(self, release: int, owner: str) -> list[Whereabouts]:
        """What stands in a class, its fields too."""
        query = f"SELECT {_ROW} FROM definition {_HERE} WHERE owner = ? AND {_of([release])} {_STUBS_LAST}"
        return self._each_once(query, owner)

    def names(self, release: int) -> list[str]:
        """The names of all that a release defines."""
        query = f"SELECT DISTINCT name FROM definition {_HERE} WHERE {_of([release])} ORDER BY name"
        return [row[0] for row in self.connection.execute(query)]

    def onward(self, pair: int, symbol: str) -> list[Change]:
        """What became of a symbol that its release's successor has not."""
        return self._changes(
            "SELECT was, became, how, likeness FROM change WHERE pair = ? AND was = ? ORDER BY rowid", pair, symbol
        )

    def backward(self, pair: int, symbol: str) -> list[Change]:
        """What a symbol was before, where that had another symbol."""
        return self._changes(
            "SELECT was, became, how, likeness FROM change WHERE pair = ? AND became = ? ORDER BY rowid", pair, symbol
        )

    def _changes(self, query: str, pair: int, symbol: str) -> list[Change]:
        return [Change(was, became, Fate(fate), n) for was, became, fate, n in self.connection.execute(query, (pair, symbol))]

    def _each_once(self, query: str, value: str) -> list[Whereabouts]:
        """Of one symbol in one release the first: a definition before a field, a text before its stub."""
        found: dict[tuple[int, str], Whereabouts] = {}
        for row in self.connection.execute(query, (value,)):
            found.setdefault((row[0], row[1]), Whereabouts(*row))
        return list(found.values())


def _of(releases: Sequence[int]) -> str:
    return f"holds.release IN ({', '.join(map(str, releases))})"


def _rows_of(file: int, sketch: FileSketch) -> Iterator[tuple[object, ...]]:
    for one in sketch.sketches:
        yield (file, one.symbol, one.name, one.kind, one.owner, one.module, one.line, one.signature, one.digest)
    for each in sketch.fields:
        yield (file, f"{each.owner}.{each.name}", each.name, FIELD, each.owner, each.module, each.line, each.declared, "")


def _changes_of(matching: Matching, fields: FieldMatching) -> Iterator[tuple[str, str, str, float]]:
    for match in (*matching.matches, *fields.matches):
        if match.how is not How.SAME:
            yield match.before, match.after, match.how.value, match.likeness
    for doubt in (*matching.doubts, *fields.doubts):
        yield from ((doubt.before, candidate, Fate.DOUBT.value, 0.0) for candidate in doubt.candidates)
    for split in matching.splits:
        yield from ((split.before, part, Fate.SPLIT.value, float(n)) for part, n in split.parts)


@contextlib.contextmanager
def open_ledger(path: Path, making: str) -> Iterator[Ledger]:
    """The ledger in a file, made where there is none; in memory where nothing can be written there.

    Errors: FlowmapError when the disk is full, or another process writes for too long.
    """
    with contextlib.closing(_connected(path)) as connection:
        try:
            yield Ledger(connection, making)
        except sqlite3.Error as error:
            raise FlowmapError(Problem(str(path), f"cannot be read or written: {error}", _FIX)) from error


def _connected(path: Path) -> sqlite3.Connection:
    schema = _SCHEMA.read_text(encoding="utf-8")
    with contextlib.suppress(OSError, sqlite3.OperationalError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _opened(path, schema)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # it is damaged: everything in it can be made again
            path.unlink(missing_ok=True)
            return _opened(path, schema)
    return _opened(Path(":memory:"), schema)


def _opened(path: Path, schema: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS)
    try:
        connection.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; {schema}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection
