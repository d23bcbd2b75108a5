"""What one file brings: its imports and importers, its definitions, its tables; and where the program is entered."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator

from flowmap.model.place import Place
from flowmap.model.program import Definition, EntryPoint, FileEntry, Import, TableRow
from flowmap.store.index import Index, as_json

_IMPORTS = "SELECT file, line, col, module, name, alias, target FROM import"
_IN = "IN (SELECT value FROM json_each(?))"


def imports_of(index: Index, path: str) -> tuple[Import, ...]:
    """What a file imports, in the order of the text."""
    return tuple(_imports(index, f"{_IMPORTS} WHERE file = ? ORDER BY line, col", index.file_ids[path]))


def imports_from(index: Index, path: str) -> tuple[Import, ...]:
    """The imports, in other files, that bring something from this file, by place."""
    found = _imports(index, f"{_IMPORTS} WHERE target = ?", index.file_ids[path])
    return tuple(sorted((each for each in found if each.place.file != path), key=lambda each: each.place))


def definitions_in(index: Index, path: str) -> tuple[Definition, ...]:
    """The definitions of a file, the module itself among them, in the order of the text."""
    query = "SELECT id FROM symbol WHERE file = ? ORDER BY line, col, id"
    return tuple(index.definitions(row[0] for row in index.rows(query, index.file_ids[path])))


def table_rows(index: Index, path: str) -> tuple[TableRow, ...]:
    """The rows of tables from a key to classes or functions that stand in a file."""
    query = """SELECT r.id, r.line, r.col, r.name, r.key, t.symbol FROM table_row r LEFT JOIN table_target t ON t.row = r.id
        WHERE r.file = ? ORDER BY r.line, r.col, r.id, t.symbol"""
    found: dict[int, tuple[Place, str, str, list[int]]] = {}
    for number, line, col, name, key, symbol in index.rows(query, index.file_ids[path]):
        targets = found.setdefault(number, (Place(path, line, col), name, key, []))[3]
        targets.extend([] if symbol is None else [symbol])
    return tuple(TableRow(place, name, key, tuple(index.definitions(ids))) for place, name, key, ids in found.values())


def entry_points(index: Index) -> tuple[EntryPoint, ...]:
    """Where the program is entered from outside, by symbol."""
    rows = list(index.rows("SELECT symbol, why FROM entry"))
    known = index.known({row[0] for row in rows})
    found = [EntryPoint(known[symbol], why) for symbol, why in rows]
    return tuple(sorted(found, key=lambda each: (each.definition.symbol, each.why)))


def entry_reasons(index: Index, definitions: Iterable[Definition]) -> dict[int, tuple[str, ...]]:
    """Of these definitions the entry points, by id, with why each is one."""
    query = f"SELECT symbol, why FROM entry WHERE symbol {_IN} ORDER BY symbol, why"
    reasons: dict[int, tuple[str, ...]] = {}
    for symbol, why in index.rows(query, as_json({each.id for each in definitions})):
        reasons[symbol] = (*reasons.get(symbol, ()), why)
    return reasons


def files_ending(index: Index, path: str) -> tuple[FileEntry, ...]:
    """The files that a path means: the one that lies there, seen from the working folder; else those whose own path ends, at a
    folder's border, with it; else, since it may lead to the source, the one whose own path is the longest end of it."""
    lying = _lying_at(index, path)
    if lying:
        return lying
    given = posixpath.normpath(path.replace("\\", "/"))
    suffix = given.strip("/")
    is_below = not os.path.isabs(path) and not given.startswith(("/", "../"))
    ending = tuple(entry for entry in index.files.values() if entry.path == suffix or entry.path.endswith(f"/{suffix}"))
    if is_below and ending:
        return ending
    parts = suffix.split("/")
    ends = ("/".join(parts[start:]) for start in range(len(parts) - is_below))  # a folder that is not there is not ignored
    end = next((end for end in ends if end in index.file_ids), "")
    is_another = end in index.locations and os.path.exists(path)
    return (index.files[index.file_ids[end]],) if end and not is_another else ()


def _lying_at(index: Index, path: str) -> tuple[FileEntry, ...]:
    """The file of the index that lies at a path of this machine, of a package its `__init__.py`; as far as it is known where the
    files lie."""
    path = os.path.join(path, "__init__.py") if os.path.isdir(path) else path
    if not index.locations or not os.path.exists(path):
        return ()
    name, place = f"/{os.path.basename(path)}", os.path.realpath(path)
    alike = (entry for entry in index.files.values() if f"/{entry.path}".endswith(name) and entry.path in index.locations)
    return tuple(entry for entry in alike if os.path.realpath(index.locations[entry.path]) == place)[:1]


def definition_at(index: Index, place: Place) -> Definition | None:
    """The innermost definition around a line: the module where no other is; None when the file gave no facts."""
    query = """SELECT id FROM symbol WHERE file = ? AND (kind = 'module' OR line <= ? AND end_line >= ?) AND kind <> 'lambda'
        ORDER BY kind = 'module', line DESC, end_line, col DESC, id DESC LIMIT 1"""
    ids = [row[0] for row in index.rows(query, index.file_ids[place.file], place.line, place.line)]
    return index.definitions(ids)[0] if ids else None


def _imports(index: Index, query: str, file: int) -> Iterator[Import]:
    for number, line, col, module, name, alias, target in index.rows(query, file):
        place = Place(index.files[number].path, line, col)
        yield Import(place, module, name, alias, "" if target is None else index.files[target].path)
