"""The graph of what a question of `queries/` finds: the functions in which it finds anything, each with the lines where it does,
the fields that they touch there, and the calls between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from flowmap.follow.world import World
from flowmap.model.access import Access
from flowmap.model.graph import Graph, GraphKind
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Definition, DefinitionKind, Site
from flowmap.model.query import Query
from flowmap.query.answer import answer_query
from flowmap.query.hits import Hit
from flowmap.reports.graph_parts import GraphQuestion, clusters_of, edges_of, node_of
from flowmap.reports.state_drawing import StateDrawing
from flowmap.store.index import Index
from flowmap.store.sites import sites_of

_OWN = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY, DefinitionKind.LAMBDA, DefinitionKind.MODULE)


def query_graph(index: Index, query: Query, question: GraphQuestion) -> Graph:
    """What a query selects, those functions first in which it finds most; `question.name` is that of the query.

    Errors: FlowmapError when the query is about another project, a name of it is not there, or nothing is found.
    """
    hits = answer_query(index, query).hits
    if not hits:
        raise FlowmapError(Problem(f"query {query.name}", "finds nothing here"), code=ExitCode.FINDING)
    counted = Counter(hit.function.id for hit in hits)
    drawing = StateDrawing(World(index), question)
    for hit in sorted(hits, key=lambda hit: (-counted[hit.function.id], hit.place)):
        _draw(drawing, hit)
    found = drawing.graph(f"query {query.name}: {query.question}", ())
    shown = {one.id: one for one in index.definitions(drawing.functions)}
    more = _run_by_them(hits, shown, question)
    every = {**shown, **{one.id: one for one in more}}
    calls = edges_of(index, sites_of(index, every.values(), question.confidence), every, question.detail)
    n_left_out = len({hit.function.id for hit in hits} - set(shown))
    nodes = (*found.nodes, *(node_of(index, one, 1) for one in more))
    notes = (f"not drawn: {n_left_out} more functions in which it finds something; --nodes",) if n_left_out else ()
    return Graph(GraphKind.QUERY, found.title, nodes, (*found.edges, *calls), clusters_of(every.values()), n_left_out, notes)


def _draw(drawing: StateDrawing, hit: Hit) -> None:
    match hit.found:
        case Access():
            drawing.access(hit.found)
        case Site():
            drawing.line(hit.function, hit.place, hit.found.kind.value)
        case Definition():
            drawing.line(hit.function, hit.place, hit.found.kind.value)


def _run_by_them(hits: Iterable[Hit], shown: dict[int, Definition], question: GraphQuestion) -> Sequence[Definition]:
    """What the calls run that were found, as far as there is room."""
    sites = [hit.found for hit in hits if isinstance(hit.found, Site)]
    targets = {target.definition.id: target.definition for site in sites for target in site.targets}
    own = [one for one in targets.values() if one.kind in _OWN and one.id not in shown]
    return own[: max(question.n_nodes - len(shown), 0)]
