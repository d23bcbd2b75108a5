"""The index of one subject, open for reading: its files and definitions. The other files of this package ask it for more.

An `Index` holds a connection and remembers the definitions, guards and files that it has read, since the same few come
back in every answer. Every question takes many ids at once and costs a fixed number of queries.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from flowmap.model.place import Place
from flowmap.model.problem import Problem
from flowmap.model.program import Definition, DefinitionKind, FileEntry
from flowmap.model.typed import encodable
from flowmap.store.format import FORMAT, IndexOutdated

_DEFINITIONS = """
SELECT s.id, s.text, s.name, s.kind, s.file, s.line, s.col, s.end_line, o.text, s.signature, s.decorators, s.doc
FROM symbol s LEFT JOIN symbol o ON o.id = s.owner WHERE s.id IN (SELECT value FROM json_each(?))
"""

NOWHERE: Mapping[str, str] = {}
NO_TEXTS = "[]"

Row = tuple[Any, ...]  # as SQLite gives it; the schema says what stands in it


class Index:
    """Answers questions about one subject. Opened by `open_file`, or by `store/memory.py`; never changes."""

    def __init__(self, connection: sqlite3.Connection, locations: Mapping[str, str] = NOWHERE) -> None:
        self._connection = connection
        self.locations = locations  # of files that the user keeps in a folder: where each lies, by its path in the index
        self._definitions: dict[int, Definition] = {}
        self._guards: dict[int, tuple[str, ...]] = {0: ()}
        self._texts: dict[str, tuple[str, ...]] = {}
        self.meta: Mapping[str, str] = dict(connection.execute("SELECT key, value FROM meta"))

    @property
    def source(self) -> str:
        """The subject, as the user would name it."""
        return self.meta.get("source", "")

    @property
    def configuration(self) -> str:
        """What the index assumes, in short; "" for an index of the whole subject."""
        return self.meta.get("configuration", "")

    def rows(self, query: str, *values: object) -> Iterator[Row]:
        """The rows of a query over `schema.sql`, as they come."""
        try:
            return self._connection.execute(query, values)
        except UnicodeEncodeError:
            return self._connection.execute(query, [encodable(each) if isinstance(each, str) else each for each in values])

    @contextlib.contextmanager
    def asked_by_others(self, allowed: Callable[..., int], n_steps: int) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that somebody else wrote: SQLite asks `allowed` before it does anything of one, and
        every `n_steps` steps Python has its turn, so that an interrupt is noticed."""
        self._connection.set_authorizer(allowed)
        self._connection.set_progress_handler(lambda: 0, n_steps)
        try:
            yield self._connection
        finally:
            self._connection.set_authorizer(None)
            self._connection.set_progress_handler(None, 0)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @cached_property
    def files(self) -> Mapping[int, FileEntry]:
        """Every file of the subject, by id."""
        query = "SELECT id, path, module, lines, problem FROM file ORDER BY id"
        return {number: FileEntry(path, module, n_lines, problem) for number, path, module, n_lines, problem in self.rows(query)}

    @cached_property
    def file_ids(self) -> Mapping[str, int]:
        """The id of each file, by path."""
        return {entry.path: number for number, entry in self.files.items()}

    @cached_property
    def modules_by_name(self) -> Mapping[str, Sequence[str]]:
        """The modules of all files, by the last part of their names."""
        found: dict[str, list[str]] = {}
        for entry in self.files.values():
            found.setdefault(entry.module.rpartition(".")[2], []).append(entry.module)
        return found

    @cached_property
    def short_paths(self) -> Mapping[str, str]:
        """For each path its shortest suffix that names no other file: what a reader sees, and may type."""
        return _shortest_suffixes([entry.path for entry in self.files.values()])

    def place(self, file: int | None, line: int, col: int = 0) -> Place | None:
        """The place in a file given by id; None outside the indexed code."""
        return None if file is None else Place(self.files[file].path, line, col)

    def definitions(self, ids: Iterable[int]) -> list[Definition]:
        """The definitions with these ids, in the order given."""
        wanted = list(ids)
        missing = {number for number in wanted if number not in self._definitions}
        if missing:
            for row in self.rows(_DEFINITIONS, as_json(missing)):
                self._definitions[row[0]] = self._definition(row)
        return [self._definitions[number] for number in wanted]

    def known(self, ids: Iterable[int]) -> Mapping[int, Definition]:
        """All definitions read so far, after making sure that these are among them."""
        self.definitions(ids)
        return self._definitions

    def guards(self, ids: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
        """All lists of guards read so far, after making sure that these are among them."""
        missing = {number for number in ids if number not in self._guards}
        if missing:
            query = "SELECT id, texts FROM guard_list WHERE id IN (SELECT value FROM json_each(?))"
            self._guards.update((number, tuple(json.loads(texts))) for number, texts in self.rows(query, as_json(missing)))
        return self._guards

    def problems(self) -> tuple[Problem, ...]:
        """What went wrong while the index was made."""
        return tuple(Problem(*row) for row in self.rows("SELECT where_, what, fix FROM problem ORDER BY where_, what"))

    def text_lines(self, path: str) -> tuple[str, ...]:
        """The lines of a file as it was indexed; empty when the index holds no text of it."""
        if path not in self._texts:
            query = "SELECT body FROM text WHERE file = ?"
            bodies = [zlib.decompress(body) for (body,) in self.rows(query, self.file_ids.get(path, -1))]
            text = bodies[0].decode("utf-8", "replace") if bodies else ""
            self._texts[path] = tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")) if text else ()
        return self._texts[path]

    def _definition(self, row: Row) -> Definition:
        number, text, name, kind, file, line, col, end_line, owner, signature, decorators, doc = row
        entry = None if file is None else self.files[file]
        return Definition(
            id=number,
            symbol=text,
            name=name,
            kind=DefinitionKind(kind),
            place=None if entry is None else Place(entry.path, line, col),
            end_line=end_line,
            owner=owner or "",
            module="" if entry is None else entry.module,
            signature=signature,
            decorators=() if decorators == NO_TEXTS else tuple(json.loads(decorators)),
            doc=doc,
        )


def open_file(path: Path, locations: Mapping[str, str] = NOWHERE) -> Index:
    """Open an index file for reading. It is never written, and one that another run replaces meanwhile stays readable.

    Errors: IndexOutdated when the file is missing, damaged, or of another format.
    """
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        _check(connection, path)
        return Index(connection, locations)
    except sqlite3.DatabaseError as error:
        raise IndexOutdated(f"{path}: {error}") from error


def as_json(ids: Iterable[int]) -> str:
    """Ids as the one parameter of `IN (SELECT value FROM json_each(?))`: one prepared query for any number of them."""
    return f"[{','.join(map(str, ids))}]"


def _check(connection: sqlite3.Connection, path: Path) -> None:
    ((version,),) = connection.execute("PRAGMA user_version")
    if version != FORMAT:
        connection.close()
        raise IndexOutdated(f"{path}: format {version}, this flowmap reads {FORMAT}")


def _shortest_suffixes(paths: Sequence[str]) -> dict[str, str]:
    suffixes: dict[str, str] = {}
    waiting, n_parts = list(paths), 1
    while waiting:
        shared: dict[str, list[str]] = {}
        for path in waiting:
            shared.setdefault("/".join(path.split("/")[-n_parts:]), []).append(path)
        alone = {found[0]: suffix for suffix, found in shared.items() if len(found) == 1 or found[0] == suffix}
        suffixes.update(alone)
        waiting, n_parts = [path for path in waiting if path not in alone], n_parts + 1
    return suffixes
