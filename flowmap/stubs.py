"""What the stub of a module of the standard library says, from the cache or read anew: only what a program asks for is read."""

from __future__ import annotations

import marshal

from flowmap.extract.stubs import extract_stub
from flowmap.model.stubs import STUB_FORMAT, StubModule
from flowmap.source.typeshed import keep_stub, kept_stub, stub_text, top_modules


def read_stub(module: str) -> StubModule | None:
    """The rows of a module's stub; None where there is none. Reads it again at each call."""
    if module.partition(".")[0] not in top_modules():
        return None
    making = f"{STUB_FORMAT}.{marshal.version}"
    kept = kept_stub(module, making)
    if kept is not None:
        rows: StubModule = marshal.loads(kept)
        return rows
    return make_stub(module, making)


def make_stub(module: str, making: str) -> StubModule | None:
    """Reads the stub's text, and keeps the rows for the next time."""
    found = stub_text(module)
    if found is None:
        return None
    rows = extract_stub(module, *found)
    keep_stub(module, making, marshal.dumps(rows))
    return rows
