"""`flowmap export state`: the accesses of some fields, or those that a query finds, as lines of JSON, sorted by place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from flowmap.model.access import Access
from flowmap.model.query import Query
from flowmap.query.answer import accesses_found, answer_query
from flowmap.reports.state import StateQuestion, accesses_for
from flowmap.store.index import Index

FORM_VERSION = 1


def export_state(index: Index, question: StateQuestion) -> Iterator[str]:
    """One line of JSON an access, without its end.

    Errors: FlowmapError when a field or class is unknown.
    """
    return _rows(accesses_for(index, question))


def export_found(index: Index, query: Query) -> Iterator[str]:
    """One line of JSON for each access among the answers to a query, without its end.

    Errors: FlowmapError when the query cannot be answered, or looks for no field.
    """
    return _rows(accesses_found(answer_query(index, query)))


def _rows(found: Iterable[Access]) -> Iterator[str]:
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for access in sorted(found, key=lambda access: access.place):
        yield encode(
            {
                "field": access.field,
                "owners": [owner.symbol for owner in access.owners],
                "file": access.place.file,
                "line": access.place.line,
                "col": access.place.col,
                "function": access.function.symbol,
                "access": access.kind.value,
                "expr": access.expr,
                "confidence": access.confidence.value,
            }
        )
