"""Everything that some definitions run, however far away: one question to the index."""

from __future__ import annotations

from collections.abc import Iterable

from flowmap.model.program import Definition
from flowmap.store.index import Index, as_json

_REACHED = """
WITH RECURSIVE reached(symbol) AS (
    SELECT value FROM json_each(?)
    UNION SELECT t.symbol FROM reached r JOIN site s ON s.caller = r.symbol JOIN target t ON t.site = s.id
    WHERE t.confidence <> 'possible'
) SELECT symbol FROM reached
"""


def reached_from(index: Index, definitions: Iterable[Definition]) -> frozenset[int]:
    """The ids of the definitions themselves and of all that may run when they do, guesses by name left out."""
    return frozenset(row[0] for row in index.rows(_REACHED, as_json({one.id for one in definitions})))
