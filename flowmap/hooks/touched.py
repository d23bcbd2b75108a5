"""Which fields the functions of a step read and write, and where: the accesses of an index, by function and by field."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from flowmap.model.place import Place
from flowmap.store.index import Index, as_json

Field = tuple[int, str]  # the class that owns it, its name
Accesses = Mapping[Field, tuple[tuple[int, Place], ...]]  # the functions that access a field, and where, by file and line

_IN = "IN (SELECT value FROM json_each(?))"
_ACCESSES = f"""
SELECT a.function, n.name, w.class, a.kind, a.stage, a.file, a.line FROM access a JOIN field n ON n.id = a.field
JOIN owners w ON w.id = a.owners WHERE a.confidence < 2 AND a.function {_IN} ORDER BY a.file, a.line, a.col, n.name, w.position
"""
_KEPT = f"""
SELECT DISTINCT w.class FROM access a JOIN phrase v ON v.id = a.via JOIN owners w ON w.id = a.owners
WHERE a.confidence < 2 AND v.text LIKE '%_._%' AND v.text NOT LIKE '%(%' AND a.function {_IN}
"""
_MADE = f"SELECT m.class, s.caller FROM made m JOIN site s ON s.id = m.site WHERE m.confidence <> 'possible' AND s.caller {_IN}"
_CONSTRUCTORS = f"SELECT id FROM symbol WHERE name IN ('__init__', '__new__', '__post_init__') AND id {_IN}"
_MEMBERS = f"SELECT class, symbol FROM member WHERE symbol {_IN}"
_READ, _WRITE = 0, 1
_DECLARED = 0


@dataclass(frozen=True, slots=True)
class Touched:
    """What functions do to fields. `reads` and `writes` hold the fields of each function, `readers` and `writers` the accesses of
    each field; a field that is changed in place is read and written."""

    reads: Mapping[int, frozenset[Field]]
    writes: Mapping[int, frozenset[Field]]
    readers: Accesses
    writers: Accesses
    made: Mapping[int, frozenset[int]]  # for each function the classes that it makes an instance of, its own class left out
    own_methods: frozenset[tuple[int, int]]  # (class, function): the functions that stand in the body of a class
    making: frozenset[int]  # constructors: what they write is of an object that nobody else has yet
    kept: frozenset[int]  # classes whose instances are read off a field of something: they are there after the step

    def read_by(self, functions: Iterable[int]) -> set[Field]:
        """All fields that some functions read."""
        return {field for function in functions for field in self.reads.get(function, ())}

    def written_by(self, functions: Iterable[int]) -> set[Field]:
        """All fields that some functions write."""
        return {field for function in functions for field in self.writes.get(function, ())}

    def where_read(self, field: Field, functions: Collection[int]) -> tuple[Place, ...]:
        """Where some functions read a field."""
        return _places(self.readers, field, functions)

    def where_written(self, field: Field, functions: Collection[int]) -> tuple[Place, ...]:
        """Where some functions write a field."""
        return _places(self.writers, field, functions)

    def made_by(self, functions: Collection[int]) -> frozenset[int]:
        """The classes that some functions make an instance of."""
        return frozenset(cls for function in functions for cls in self.made.get(function, ()))


def touched_by(index: Index, functions: Collection[int], machinery: Collection[int]) -> Touched:
    """What some functions read, write and make themselves, guesses left out; of machinery only what it makes."""
    ids, all_ids = as_json(sorted(functions)), as_json(sorted({*functions, *machinery}))
    readers: dict[Field, list[tuple[int, Place]]] = {}
    writers: dict[Field, list[tuple[int, Place]]] = {}
    for function, name, owner, kind, stage, file, line in index.rows(_ACCESSES, ids):
        access = (function, Place(index.files[file].path, line))
        if kind != _WRITE:
            readers.setdefault((owner, name), []).append(access)
        if kind != _READ and stage != _DECLARED:
            writers.setdefault((owner, name), []).append(access)
    own = frozenset((cls, function) for cls, function in index.rows(_MEMBERS, all_ids))
    return Touched(
        reads=_by_function(readers),
        writes=_by_function(writers),
        readers={field: tuple(found) for field, found in readers.items()},
        writers={field: tuple(found) for field, found in writers.items()},
        made=_made(index, all_ids, own),
        own_methods=own,
        making=frozenset(row[0] for row in index.rows(_CONSTRUCTORS, ids)),
        kept=frozenset(row[0] for row in index.rows(_KEPT, ids)),
    )


def _made(index: Index, functions: str, own: Collection[tuple[int, int]]) -> Mapping[int, frozenset[int]]:
    """What a method makes of its own class is a copy, or another of many: it does not say that the class is made there."""
    found: dict[int, set[int]] = {}
    for cls, function in index.rows(_MADE, functions):
        if (cls, function) not in own:
            found.setdefault(function, set()).add(cls)
    return {function: frozenset(classes) for function, classes in found.items()}


def _by_function(accesses: Mapping[Field, Iterable[tuple[int, Place]]]) -> Mapping[int, frozenset[Field]]:
    found: dict[int, set[Field]] = {}
    for field, by in accesses.items():
        for function, _ in by:
            found.setdefault(function, set()).add(field)
    return {function: frozenset(fields) for function, fields in found.items()}


def _places(accesses: Accesses, field: Field, functions: Collection[int]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(place for function, place in accesses.get(field, ()) if function in functions))
