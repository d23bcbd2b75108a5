"""Facts that were extracted before, by what they were made from: one SQLite file in the cache for all subjects.

The bytes are packed and unpacked elsewhere. A key follows from a file's content and from where it stands in its package; the name
of the SQLite file from the code that extracts. What cannot be read or written counts as not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from flowmap.model.source import SourceFile
from flowmap.source.cache_places import facts_folder

_SCHEMA = "CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID"
_KNOWN = "SELECT key FROM facts WHERE key IN (SELECT value FROM json_each(?))"
_READ = "SELECT key, body FROM facts WHERE key IN (SELECT value FROM json_each(?))"
_WAIT_SECONDS = 20.0  # for another process that writes
_MOST_MAKINGS = 2  # versions of the extracting code whose facts are kept


def facts_key(file: SourceFile) -> str:
    """What the facts of a file are kept under: they say where the file stands, so a copy elsewhere has facts of its own."""
    place = f"{file.path}\0{file.module}\0{file.is_package}\0{file.is_stub}\0{file.digest}"
    return hashlib.blake2b(place.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def kept_facts(files: Sequence[SourceFile], making: str) -> Mapping[str, bytes]:
    """The facts that are kept of some files, by path, as they were given to `keep_facts`."""
    paths = {facts_key(file): file.path for file in files}
    path = _path(making)
    if not path.exists():
        return {}
    with contextlib.suppress(sqlite3.Error, OSError), contextlib.closing(_opened(path)) as connection:
        return {paths[key]: body for key, body in connection.execute(_READ, (json.dumps(list(paths)),))}
    return {}


def files_seen(files: Sequence[SourceFile], making: str) -> frozenset[str]:
    """The paths of the files whose facts are kept."""
    paths = {facts_key(file): file.path for file in files}
    path = _path(making)
    if not path.exists():
        return frozenset()
    with contextlib.suppress(sqlite3.Error, OSError), contextlib.closing(_opened(path)) as connection:
        return frozenset(paths[key] for (key,) in connection.execute(_KNOWN, (json.dumps(list(paths)),)))
    return frozenset()


def keep_facts(made: Iterable[tuple[SourceFile, bytes]], making: str) -> None:
    """Keeps the facts of some files, all or none. Without effect where nothing can be written."""
    path = _path(making)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _write(path, ((facts_key(file), body) for file, body in made))
        except sqlite3.OperationalError:
            return  # another process writes, or the disk is full or read-only: the next run tries again
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)  # it is damaged: the next run begins anew
            return
        _drop_older(path)


def _write(path: Path, rows: Iterator[tuple[str, bytes]]) -> None:
    with contextlib.closing(_opened(path)) as connection, connection:
        connection.execute(_SCHEMA)
        connection.executemany("INSERT OR IGNORE INTO facts VALUES (?, ?)", rows)


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_WAIT_SECONDS)


def _path(making: str) -> Path:
    return facts_folder() / f"{making}.sqlite"


def _drop_older(path: Path) -> None:
    """Removes the facts of all but the last versions of the extracting code."""
    others = sorted(path.parent.glob("*.sqlite"), key=lambda one: -one.stat().st_mtime)
    for one in [other for other in others if other != path][_MOST_MAKINGS - 1 :]:
        one.unlink(missing_ok=True)
