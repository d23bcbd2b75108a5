"""The page of a query: the question, what answers it, and that as a picture."""

from __future__ import annotations

from flowmap.atlas.names import PageNames
from flowmap.atlas.page import AtlasPage, Section, answers, drawn
from flowmap.model.program import Confidence
from flowmap.model.query import Query
from flowmap.model.view import Paragraph, Role, Span
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.graph_query import query_graph
from flowmap.reports.phrases import Detail, note
from flowmap.reports.query import query as report
from flowmap.store.index import Index

_N_NODES = 40


def query_page(index: Index, names: PageNames, query: Query) -> AtlasPage:
    """The page of a query of the slice."""
    lead = (Paragraph((Span(query.question),)), Paragraph((note("the same on a terminal: "), _command(query))))
    drawing = GraphQuestion(query.name, Wing.BOTH, None, Confidence.INFERRED, _N_NODES)
    answered = Section("Answers", answers(lambda: report(index, query, Detail.BRIEF)))
    pictured = Section("As a picture", (), drawn(index, lambda: query_graph(index, query, drawing)))
    return AtlasPage(names.queries[query.name], query.name, lead, (answered, *([pictured] if pictured.graphs else [])))


def _command(query: Query) -> Span:
    return Span(f"flowmap query {query.name}", Role.CODE)
