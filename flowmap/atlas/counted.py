"""What is said at the end: what the site holds, and where it begins."""

from __future__ import annotations

from dataclasses import dataclass

from flowmap.model.view import Role, Span, Table, View
from flowmap.reports.phrases import note
from flowmap.store.index import Index


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers of pages, and how many of their sources were written anew."""

    functions: int
    classes: int
    fields: int
    queries: int
    files: int
    written: int


def counted_view(index: Index, counted: Counted, first: str) -> View:
    """The numbers as a view. `first` is the page to open."""
    rows = (
        ("functions", counted.functions),
        ("classes", counted.classes),
        ("watched fields", counted.fields),
        ("queries", counted.queries),
        ("annotated files", counted.files),
        ("written anew", counted.written),
    )
    table = Table(("", ""), tuple(((Span(what),), (note(f"{number:,}"),)) for what, number in rows))
    return View(
        (Span(first, Role.HEADING),),
        (table,),
        counted,
        index.source,
        ("written anew: sources of pages that changed",),
    )
