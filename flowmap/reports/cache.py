"""`flowmap cache list` and `prune`: what is kept in the user's cache, from which source, how large, when last used."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from flowmap.model.source import CacheEntry, CacheKind
from flowmap.model.view import Line, Paragraph, Role, Span, Table, View
from flowmap.reports.phrases import GAP, count, note

_UNIT = 1000
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class CacheEntryRecord:
    """One thing in the cache. `used` is in seconds since the epoch."""

    kind: CacheKind
    name: str
    source: str
    n_bytes: int
    used: float


def cached(entries: Sequence[CacheEntry], folder: str, done: str) -> View:
    """The entries of a cache folder. `done` says what was done with them: `kept`, `removed`."""
    rows = tuple(_row(entry, time.time()) for entry in entries)
    total = count(len(entries), "entry", "entries") + f" {done}, {size(sum(entry.n_bytes for entry in entries))}"
    table = (Table(("kind", "size", "last used", "source"), rows),) if rows else ()
    record = tuple(CacheEntryRecord(entry.kind, entry.name, entry.source, entry.n_bytes, entry.used) for entry in entries)
    title = (Span(folder, Role.HEADING), GAP, note(total))
    return View(title, table or (Paragraph((note("nothing is kept here"),)),), record, "the cache, whatever the source")


def size(n_bytes: float) -> str:
    """A number of bytes with its unit: `0 B`, `12.3 MB`."""
    for unit in ("B", "kB", "MB"):
        if n_bytes < _UNIT:
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= _UNIT
    return f"{n_bytes:.1f} GB"


def _row(entry: CacheEntry, now: float) -> tuple[Line, ...]:
    days = int((now - entry.used) // _DAY)
    used = count(days, "day") + " ago" if days > 0 else "today"
    return (
        (Span(entry.kind.value),),
        (Span(f"{size(entry.n_bytes):>9}"),),
        (note(used),),
        (Span(entry.source or entry.name, Role.CODE),),
    )
