"""A page of an atlas: what it says, before anything is known of HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flowmap.model.graph import Graph
from flowmap.model.problem import FlowmapError
from flowmap.model.program import Definition
from flowmap.model.view import Block, Line, Paragraph, View
from flowmap.reports.graph import graph_view
from flowmap.reports.phrases import note, place_span
from flowmap.store.index import Index


@dataclass(frozen=True, slots=True)
class Drawn:
    """A graph with its text twin."""

    graph: Graph
    twin: View


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page. `graphs` stand above the blocks."""

    title: str
    blocks: tuple[Block, ...]
    graphs: tuple[Drawn, ...] = ()


@dataclass(frozen=True, slots=True)
class AtlasPage:
    """A page under its name, which is its address without the ending."""

    name: str
    title: str
    lead: tuple[Block, ...]
    sections: tuple[Section, ...]


def where_it_stands(index: Index, one: Definition) -> Line:
    """What a definition is, and where it stands: the place leads to its line."""
    place: Line = (note(" at "), place_span(index, one.place)) if one.place else ()
    return (note(f"{one.kind.value} of {one.module}"), *place)


def answers(ask: Callable[[], View]) -> tuple[Block, ...]:
    """The blocks of a report for a page that says the rest itself, with its remarks; where it has no answer, why."""
    try:
        view = ask()
    except FlowmapError as error:
        return tuple(Paragraph((note(f"{problem.where}: {problem.what}"),)) for problem in error.problems)
    return (*view.blocks, *(Paragraph((note(remark),)) for remark in view.notes))


def drawn(index: Index, ask: Callable[[], Graph]) -> tuple[Drawn, ...]:
    """A graph with its twin; nothing where there is no such graph."""
    try:
        graph = ask()
    except FlowmapError:
        return ()
    return (Drawn(graph, graph_view(index, graph)),)
