"""The page of a field: its life from birth to the last read, and what each of its accesses has to do with the others."""

from __future__ import annotations

from collections import Counter

from flowmap.atlas.names import PageNames
from flowmap.atlas.page import AtlasPage, Drawn, Section
from flowmap.follow.world import World
from flowmap.model.access import Access
from flowmap.model.annotated import Mark, MarkKind
from flowmap.model.program import Confidence
from flowmap.model.view import Line, Paragraph, Role, Span, Table, Tree, TreeNode
from flowmap.reports.graph import graph_view
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.marks import WatchedField, marks_of
from flowmap.reports.phrases import GAP, Detail, count, guard_line, mark, note, place_span, symbol_span
from flowmap.reports.state_drawing import StateDrawing
from flowmap.store.index import Index

_N_NODES = 30


def field_page(index: Index, names: PageNames, field: WatchedField) -> AtlasPage:
    """The page of a watched field."""
    marks = marks_of(field)
    sections = (
        Section("Who gives, and who takes", (_ends(index, marks),), (_state(index, field),)),
        Section("All accesses", (_table(index, marks),)),
    )
    return AtlasPage(names.fields[field.name], field.name, (Paragraph(_counted(field, marks)), *_owners(field)), sections)


def _state(index: Index, field: WatchedField) -> Drawn:
    """The functions that touch it, each with the lines where it does."""
    drawing = StateDrawing(World(index), GraphQuestion(field.name, Wing.BOTH, None, Confidence.INFERRED, _N_NODES))
    for access in field.accesses:
        drawing.access(access)
    drawing.iterations(field.accesses)
    graph = drawing.graph(f"state of {field.name}", ())
    return Drawn(graph, graph_view(index, graph))


def _counted(field: WatchedField, marks: tuple[Mark, ...]) -> Line:
    kinds = Counter(each.kind for each in marks)
    parts = ", ".join(f"{kinds[kind]} {kind.value}" for kind in MarkKind if kinds[kind])
    functions = count(len({each.function.id for each in field.accesses}), "function")
    files = count(len({each.place.file for each in field.accesses}), "file")
    return (note(f"{count(len(marks), 'access', 'accesses')} ({parts}) in {functions} of {files}"),)


def _owners(field: WatchedField) -> tuple[Paragraph, ...]:
    owners = list(dict.fromkeys(owner for access in field.accesses for owner in access.owners))
    spans = tuple(span for owner in owners for span in (note(", "), symbol_span(owner)))[1:]
    return (Paragraph((note("owned by "), *spans)),) if spans else ()


def _ends(index: Index, marks: tuple[Mark, ...]) -> Tree:
    """The functions that give the field a value, those that change it, and those that take it."""
    titles = {
        MarkKind.WRITE: "written in",
        MarkKind.CARRY: "carried from elsewhere in",
        MarkKind.UPDATE: "updated in",
        MarkKind.READ: "read in",
    }
    return Tree(
        tuple(
            TreeNode((note(title),), tuple(_function(index, found) for found in _by_function(marks, kind)))
            for kind, title in titles.items()
            if any(each.kind is kind for each in marks)
        )
    )


def _by_function(marks: tuple[Mark, ...], kind: MarkKind) -> list[list[Access]]:
    found: dict[int, list[Access]] = {}
    for each in marks:
        if each.kind is kind:
            found.setdefault(each.access.function.id, []).append(each.access)
    return list(found.values())


def _function(index: Index, found: list[Access]) -> TreeNode:
    places = tuple(span for one in found for span in (GAP, *mark(one.confidence), place_span(index, one.place)))
    return TreeNode((symbol_span(found[0].function), *places))


def _table(index: Index, marks: tuple[Mark, ...]) -> Table:
    rows = tuple(
        (
            (place_span(index, each.access.place),),
            (note(each.kind.value),),
            (note(each.access.stage.value),),
            (symbol_span(each.access.function),),
            (*mark(each.access.confidence), Span(each.access.expr, Role.CODE)),
            guard_line(each.access.guards, Detail.BRIEF),
        )
        for each in marks
    )
    return Table(("Line", "Does", "Stage", "In", "Code", "Under"), rows)
