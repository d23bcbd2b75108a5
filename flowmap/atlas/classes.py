"""The page of a class: its order, which class of it provides each method and what that shadows, and its fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flowmap.atlas.names import PageNames
from flowmap.atlas.page import AtlasPage, Section, answers, drawn, where_it_stands
from flowmap.atlas.slice import Slice
from flowmap.model.program import Confidence, Definition
from flowmap.model.view import Line, Paragraph, Role, Span, Table
from flowmap.reports.class_orders import hosts_of
from flowmap.reports.graph_classes import class_graph
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.heads import head_lines
from flowmap.reports.marks import WatchedField
from flowmap.reports.phrases import Detail, count, note, place_span, short_name, symbol_span
from flowmap.reports.site_lists import ListQuestion, callers
from flowmap.store.classes import hosts, orders, provided
from flowmap.store.index import Index

_N_NODES = 40
_NAMES = ("Position", "Class", "Defined at")


def class_page(index: Index, slice_: Slice, names: PageNames, one: Definition) -> AtlasPage:
    """The page of a class of the slice."""
    doc = (Paragraph((Span(one.doc),)),) if one.doc else ()
    lead = (Paragraph(where_it_stands(index, one)), *map(Paragraph, head_lines(index, one)), *doc)
    return AtlasPage(names.classes[one.symbol], short_name(one), lead, tuple(_sections(index, slice_, names, one)))


def _sections(index: Index, slice_: Slice, names: PageNames, one: Definition) -> Iterator[Section]:
    order = orders(index, [one]).get(one.id, ())
    if order:
        yield Section("Its order", (_order(index, order),))
        members = provided(index, order)
        if members:
            yield Section("What it provides", (_provided(index, members),))
    fields = [field for field in slice_.watch.fields if any(one in each.owners for each in field.accesses)]
    if fields:
        yield Section("Watched fields", (_fields(names, fields),))
    if hosts(index, one):
        yield Section("Classes that it ends in", answers(lambda: hosts_of(index, one.symbol, Detail.BRIEF)))
    making = ListQuestion(one.symbol, Confidence.INFERRED, Detail.BRIEF)
    yield Section("Who makes it", answers(lambda: callers(index, making)))
    around = GraphQuestion(one.symbol, Wing.BOTH, None, Confidence.INFERRED, _N_NODES)
    yield Section("Bases and subclasses", (), drawn(index, lambda: class_graph(index, around)))


def _order(index: Index, order: Sequence[Definition]) -> Table:
    rows = tuple(
        ((note(str(number)),), (Span(short_name(each), Role.SYMBOL, each.place),), _at(index, each))
        for number, each in enumerate(order, start=1)
    )
    return Table(_NAMES, rows)


def _provided(index: Index, members: dict[str, tuple[Definition, ...]]) -> Table:
    rows = tuple(
        (
            (Span(name, Role.SYMBOL, found[0].place),),
            (Span(found[0].owner.rpartition(".")[2] or found[0].owner, Role.CODE),),
            _at(index, found[0]),
            tuple(span for each in found[1:] for span in (note(", "), symbol_span(each)))[1:],
        )
        for name, found in members.items()
    )
    return Table(("Name", "Provided by", "At", "Shadows"), rows)


def _at(index: Index, one: Definition) -> Line:
    return (place_span(index, one.place),) if one.place else (note("outside the index"),)


def _fields(names: PageNames, fields: Sequence[WatchedField]) -> Table:
    counted = ((field, count(len(field.accesses), "access", "accesses")) for field in fields)
    rows = tuple(((Span(field.name, Role.CODE, page=names.fields[field.name]),), (note(text),)) for field, text in counted)
    return Table(("Field", "Accesses"), rows)
