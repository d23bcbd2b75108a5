"""Call sites for which nothing is given, by shape: what stopped the engine, and whether the indexed code has such a name."""

from __future__ import annotations

from dataclasses import dataclass

from flowmap.model.place import Place
from flowmap.store.index import Index

UNKNOWN_RECEIVER = "runs on an object from outside the index"

_SHAPES = """
SELECT shape, COUNT(*), SUM(named), MIN(id) FROM (
    SELECT s.id, s.name IN (SELECT name FROM symbol WHERE kind IN ('class', 'function', 'method', 'property')) AS named,
        CASE WHEN s.reason LIKE '% has no % that is known' THEN 'the receiver has no such name that is known'
            WHEN s.reason LIKE '% is not known to be callable' THEN 'what is called is not known to be callable'
            ELSE s.reason END AS shape
    FROM site s
    WHERE s.kind <> 'border' AND (s.status IN ('unresolved', 'dynamic') OR (s.status = 'external' AND s.reason = ?))
) GROUP BY shape ORDER BY 3 DESC, 2 DESC, 1
"""


@dataclass(frozen=True, slots=True)
class Shape:
    """Sites without a target for one reason. `n_named`: those whose called name the indexed code defines somewhere."""

    reason: str
    n_sites: int
    n_named: int
    example: Place


def untargeted(index: Index) -> tuple[Shape, ...]:
    """Sites that are unresolved or dynamic, or that run on an object of which nothing is known, by reason; most named first."""
    rows = list(index.rows(_SHAPES, UNKNOWN_RECEIVER))
    query = "SELECT s.id, s.file, s.line, s.col FROM site s WHERE s.id IN (SELECT value FROM json_each(?))"
    ids = "[" + ", ".join(str(row[3]) for row in rows) + "]"
    places = {number: Place(index.files[file].path, line, col) for number, file, line, col in index.rows(query, ids)}
    return tuple(Shape(reason, n_sites, n_named, places[first]) for reason, n_sites, n_named, first in rows)
