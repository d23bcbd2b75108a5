"""The page of a function: who runs it, what it runs, the state that it touches, the calls around it, and its control flow."""

from __future__ import annotations

from collections.abc import Iterator

from flowmap.atlas.names import PageNames
from flowmap.atlas.page import AtlasPage, Section, answers, drawn, where_it_stands
from flowmap.atlas.slice import Slice
from flowmap.model.annotated import Mark
from flowmap.model.program import Confidence, Definition
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Table
from flowmap.reports.graph_calls import call_graph
from flowmap.reports.graph_control import control_graph
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.heads import head_lines
from flowmap.reports.phrases import Detail, count, guard_line, mark, note, ordinal, place_span, short_name, symbol_span
from flowmap.reports.reached import reached_through
from flowmap.reports.site_lists import ListQuestion, callees, callers
from flowmap.store.index import Index

_N_NODES = 30
_N_BLOCKS, _N_STRAIGHT = 40, 3
_DEPTH = 2
_N_HOSTS = 20


def function_page(index: Index, slice_: Slice, names: PageNames, one: Definition) -> AtlasPage:
    """The page of a function of the slice."""
    lead = [Paragraph(where_it_stands(index, one)), *map(Paragraph, head_lines(index, one))]
    if one.doc:
        lead.append(Paragraph((Span(one.doc),)))
    if one.decorators:
        lead.append(Paragraph((note("decorated: "), Span(", ".join(one.decorators), Role.CODE))))
    return AtlasPage(names.functions[one.symbol], short_name(one), tuple(lead), tuple(_sections(index, slice_, names, one)))


def _sections(index: Index, slice_: Slice, names: PageNames, one: Definition) -> Iterator[Section]:
    question = ListQuestion(one.symbol, Confidence.INFERRED, Detail.BRIEF)
    hosts = _hosts(index, one)
    if hosts:
        yield Section("Reached through", (hosts,))
    yield Section("Who runs it", answers(lambda: callers(index, question)))
    yield Section("What it runs", answers(lambda: callees(index, question)))
    touched = marks_in(slice_, one)
    if touched:
        yield Section("State that it touches", (_touched(index, names, touched),))
    around = GraphQuestion(one.symbol, Wing.BOTH, _DEPTH, Confidence.INFERRED, _N_NODES)
    yield Section("Calls around it", (), drawn(index, lambda: call_graph(index, around)))
    within = GraphQuestion(one.symbol, Wing.BOTH, None, Confidence.INFERRED, _N_BLOCKS)
    control = drawn(index, lambda: control_graph(index, within))
    if control and len(control[0].graph.nodes) > _N_STRAIGHT:
        yield Section("Its control flow", (), control)


def _hosts(index: Index, one: Definition) -> Table | None:
    """The classes that a method is reached through, where there are others than its own."""
    reached = reached_through(index, one)
    if len(reached) <= 1:
        return None
    rows = tuple(
        (
            (symbol_span(each.host),),
            (note(f"{ordinal(each.position)} of {each.n_classes} in its order"),),
            (note("runs "), symbol_span(each.winner)) if each.winner != one else (note("this one"),),
        )
        for each in reached[:_N_HOSTS]
    )
    left = len(reached) - _N_HOSTS
    said: Line = (note(f"and {count(left, 'more class', 'more classes')}"),)
    more: tuple[tuple[Line, ...], ...] = ((said, (), ()),) if left > 0 else ()
    return Table(("Class", "Where it stands", "What runs"), (*rows, *more))


def marks_in(slice_: Slice, one: Definition) -> tuple[Mark, ...]:
    """What a function does to watched fields, in the order of the text."""
    lines = slice_.watch.marks.get(one.place.file, {}) if one.place else {}
    found = (mark for marks in lines.values() for mark in marks if mark.access.function.id == one.id)
    return tuple(sorted(found, key=lambda mark: mark.access.place))


def _touched(index: Index, names: PageNames, marks: tuple[Mark, ...]) -> Block:
    rows = tuple(
        (
            (place_span(index, each.access.place),),
            (note(each.kind.value),),
            (Span(each.field, Role.CODE, page=names.fields.get(each.field, "")),),
            (*mark(each.access.confidence), Span(each.access.expr, Role.CODE)),
            guard_line(each.access.guards, Detail.BRIEF),
        )
        for each in marks
    )
    return Table(("Line", "Does", "Field", "Code", "Under"), rows)
