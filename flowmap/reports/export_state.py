"""`flowmap export state`: every access of some fields as a line of JSON, sorted by file, line and column."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flowmap.reports.state import StateQuestion, accesses_for
from flowmap.store.index import Index

FORM_VERSION = 1


def export_state(index: Index, question: StateQuestion) -> Iterator[str]:
    """One line of JSON an access, without its end.

    Errors: FlowmapError when a field or class is unknown.
    """
    encode = json.JSONEncoder(ensure_ascii=False).encode
    found = sorted(accesses_for(index, question), key=lambda access: access.place)
    for access in found:
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
