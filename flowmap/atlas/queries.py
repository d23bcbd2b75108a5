"""The page of a query: the question, and what answers it."""

from __future__ import annotations

from flowmap.atlas.names import PageNames
from flowmap.atlas.page import AtlasPage, Section, answers
from flowmap.model.query import Query
from flowmap.model.view import Paragraph, Role, Span
from flowmap.reports.phrases import Detail, note
from flowmap.reports.query import query as report
from flowmap.store.index import Index


def query_page(index: Index, names: PageNames, query: Query) -> AtlasPage:
    """The page of a query of the slice."""
    lead = (Paragraph((Span(query.question),)), Paragraph((note("the same on a terminal: "), _command(query))))
    return AtlasPage(
        names.queries[query.name], query.name, lead, (Section("Answers", answers(lambda: report(index, query, Detail.BRIEF))),)
    )


def _command(query: Query) -> Span:
    return Span(f"flowmap query {query.name}", Role.CODE)
