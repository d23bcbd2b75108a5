"""Accesses of fields out of the index: by the field's name. And which fields there are."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from flowmap.model.access import Access, AccessKind, LifeStage
from flowmap.model.program import Confidence, Definition
from flowmap.store.classes import orders
from flowmap.store.index import Index, Row, as_json

_IN = "IN (SELECT value FROM json_each(?))"
_ACCESSES = f"""
SELECT n.name, a.file, a.line, a.col, a.function, a.kind, a.stage, a.confidence, a.owners, v.text, e.text,
    a.guards, a.expr_guards, a.early_exit_guards
FROM access a JOIN field n ON n.id = a.field JOIN phrase v ON v.id = a.via JOIN phrase e ON e.id = a.expr
WHERE a.field {_IN} AND a.confidence <= ? ORDER BY a.id
"""
_OWNERS = f"SELECT id, class FROM owners WHERE id {_IN} ORDER BY id, position"
_OWNING = """
SELECT DISTINCT o.class FROM access a JOIN field n ON n.id = a.field JOIN owners o ON o.id = a.owners
WHERE n.name = ? AND a.confidence < 2 ORDER BY o.class
"""
_KINDS, _STAGES, _CONFIDENCES = tuple(AccessKind), tuple(LifeStage), tuple(Confidence)
_CLOSE = 0.6
_N_NEAREST = 5


def field_names(index: Index) -> tuple[str, ...]:
    """The names of all fields that anything touches."""
    return tuple(name for (name,) in index.rows("SELECT name FROM flow_field ORDER BY name"))


def accesses_of(index: Index, names: Iterable[str], confidence: Confidence) -> tuple[Access, ...]:
    """The accesses of the fields of these names, by file, line and column; weaker ones than `confidence` left out."""
    ids = [number for number, name in _fields(index) if name in set(names)]
    return _accesses(index, ids, confidence)


def owned_by(index: Index, cls: Definition, found: Sequence[Access]) -> tuple[Access, ...]:
    """The accesses of a class's field; of the nearest class of its order that has the field where it has none of its own. A class
    that is never made and touches the field itself has what the classes below it own. None where none has."""
    owners = {owner.id for access in found for owner in access.owners}
    order = (cls, *orders(index, [cls]).get(cls.id, ()))
    nearest = next(([one.id] for one in order if one.id in owners), _owning_below(index, cls, found))
    return tuple(access for access in found if any(owner.id in nearest for owner in access.owners))


def _owning_below(index: Index, cls: Definition, found: Sequence[Access]) -> list[int]:
    """The owners below a class of a field that its own methods store."""
    own = [one for one in found if one.kind is not AccessKind.READ and one.function.symbol.startswith(f"{cls.symbol}.")]
    owners = list(dict.fromkeys(owner for access in own for owner in access.owners))
    below = orders(index, owners)
    return [owner.id for owner in owners if any(one.id == cls.id for one in below.get(owner.id, ()))]


def by_computed_names(index: Index, name: str, owners: Sequence[Definition]) -> tuple[Access, ...]:
    """The accesses by a computed name that may mean a field of one of these owners: their receivers inherit from one."""
    ids = [number for number, pattern in _fields(index) if "*" in pattern and fnmatchcase(name, pattern)]
    rows = index.rows(f"SELECT DISTINCT class FROM class_order WHERE symbol {_IN}", as_json({owner.id for owner in owners}))
    below = {row[0] for row in rows}
    found = _accesses(index, ids, Confidence.POSSIBLE)
    return tuple(one for one in found if any(owner.id in below for owner in one.owners))


def owner_counts(index: Index, names: Iterable[str]) -> Mapping[str, Counter[str]]:
    """For each field name its owners' symbols with the number of accesses, the most first."""
    found: dict[str, Counter[str]] = {}
    for access in accesses_of(index, names, Confidence.INFERRED):
        found.setdefault(access.field, Counter()).update(owner.symbol for owner in access.owners)
    return found


def field_owners(index: Index, name: str) -> tuple[int, ...]:
    """The ids of the classes that own a field of a name."""
    return tuple(cls for (cls,) in index.rows(_OWNING, name))


def fields_of(index: Index, cls: Definition) -> tuple[str, ...]:
    """The names of the fields that a class owns, by name."""
    query = """SELECT DISTINCT n.name FROM owners o JOIN access a ON a.owners = o.id JOIN field n ON n.id = a.field
        WHERE o.class = ? AND a.confidence < 2 AND n.name <> '*' ORDER BY n.name"""
    return tuple(name for (name,) in index.rows(query, cls.id))


def fields_touched(index: Index, functions: Iterable[int]) -> Mapping[tuple[int, str], int]:
    """How often these functions access a field: by the ids of its owners and its name."""
    query = f"""SELECT o.class, n.name, COUNT(*) FROM access a JOIN field n ON n.id = a.field JOIN owners o ON o.id = a.owners
        WHERE a.function {_IN} AND a.confidence < 2 AND n.name NOT LIKE '%*%' GROUP BY o.class, n.name ORDER BY o.class, n.name"""
    return {(owner, name): number for owner, name, number in index.rows(query, as_json(functions))}


def holders(index: Index, owners: Iterable[int]) -> tuple[int, ...]:
    """The ids of the functions with a variable that may hold an object of one of these classes, or of one below them."""
    below = f"SELECT class FROM class_order WHERE symbol {_IN}"
    sets = f"SELECT id FROM owners WHERE class IN ({below})"
    rows = index.rows(f"SELECT DISTINCT function FROM held WHERE owners IN ({sets})", as_json(sorted(owners)))
    return tuple(function for (function,) in rows)


def nearest_fields(index: Index, name: str) -> tuple[str, ...]:
    """The names of fields most like one that was not found, the likest first."""
    lowered = {known.lower(): known for _, known in _fields(index) if "*" not in known}
    parts = [known for text, known in lowered.items() if name.lower() in text]
    alike = [lowered[text] for text in difflib.get_close_matches(name.lower(), lowered, n=_N_NEAREST, cutoff=_CLOSE)]
    return tuple(dict.fromkeys([*alike, *sorted(parts, key=len)]))[:_N_NEAREST]


def _fields(index: Index) -> list[tuple[int, str]]:
    return list(index.rows("SELECT id, name FROM field"))


def _accesses(index: Index, fields: Sequence[int], confidence: Confidence) -> tuple[Access, ...]:
    rows = list(index.rows(_ACCESSES, as_json(fields), _CONFIDENCES.index(confidence)))
    owners: dict[int, list[int]] = {}
    for number, cls in index.rows(_OWNERS, as_json({row[8] for row in rows})):
        owners.setdefault(number, []).append(cls)
    known = index.known({row[4] for row in rows} | {cls for classes in owners.values() for cls in classes})
    sets = {number: tuple(known[cls] for cls in classes) for number, classes in owners.items()}
    index.guards({number for row in rows for number in row[11:]})
    return tuple(_access(index, row, known[row[4]], sets.get(row[8], ())) for row in rows)


def _access(index: Index, row: Row, function: Definition, owners: tuple[Definition, ...]) -> Access:
    field, file, line, col, _, kind, stage, confidence, _, via, expr, *guards = row
    place = index.place(file, line, col)
    assert place is not None, "an access stands in a file"
    texts = index.guards(guards)
    return Access(
        field=field,
        owners=owners,
        place=place,
        function=function,
        kind=_KINDS[kind],
        stage=_STAGES[stage],
        expr=expr or f"{via}.{field}",
        via=via,
        confidence=_CONFIDENCES[confidence],
        guards=texts[guards[0]],
        expr_guards=texts[guards[1]],
        early_exit_guards=texts[guards[2]],
    )
