"""`flowmap where`: every definition that a name may mean, and what shadows what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.program import Definition
from flowmap.model.view import Line, Role, Span, Tree, TreeNode, View
from flowmap.reports.phrases import GAP, count, note, place_span, symbol_span
from flowmap.reports.reached import Reached, reached_through
from flowmap.reports.records import FunctionRecord, function_record
from flowmap.reports.subjects import every, find, place_in
from flowmap.store.index import Index

_N_SHADOWS = 6


@dataclass(frozen=True, slots=True)
class ShadowRecord:
    """In the class `host` this definition hides the others of its name, or (`winner` differs) is hidden itself."""

    host: str
    winner: str
    shadowed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhereRecord:
    """A definition and the classes in which it shadows something or is shadowed."""

    definition: FunctionRecord
    shadows: tuple[ShadowRecord, ...]


def where(index: Index, name: str) -> View:
    """The definitions that a name or a place means, by symbol.

    Errors: FlowmapError when nothing bears the name.
    """
    found = find(index, name) if place_in(name) else every(index, name)
    shadows = {one.id: [each for each in reached_through(index, one) if _tells(each, one)] for one in found}
    nodes = tuple(_node(index, one, shadows[one.id], _again(index, one, found)) for one in found)
    record = tuple(WhereRecord(function_record(one), tuple(map(_shadow, shadows[one.id]))) for one in found)
    title = (Span(name, Role.SYMBOL), GAP, note(count(len(found), "definition")))
    return View(title, (Tree(nodes),), record, index.source)


def _tells(each: Reached, one: Definition) -> bool:
    return bool(each.shadowed) or each.winner.id != one.id


def _node(index: Index, one: Definition, shadows: list[Reached], again: Line) -> TreeNode:
    place: Line = (Span(str(one.place), Role.PLACE, one.place), GAP) if one.place else ()
    line = (*place, symbol_span(one), GAP, note(one.kind.value))
    below: list[Line] = [(Span(f"{one.name}{one.signature}", Role.CODE),)] if one.signature else []
    below += [again] if again else []
    below += list(_shadow_lines(index, one, shadows))
    return TreeNode(line, (), tuple(below))


def _shadow_lines(index: Index, one: Definition, shadows: list[Reached]) -> Iterator[Line]:
    """A line for each thing that happens to the definition, with the classes in which it does."""
    alike: dict[tuple[int, ...], list[Reached]] = {}
    for each in shadows:
        alike.setdefault((each.winner.id, *(other.id for other in each.shadowed)), []).append(each)
    for together in alike.values():
        first, classes = together[0], _classes([each.host for each in together])
        if first.winner.id == one.id:
            yield (note("shadows "), *_listed(first.shadowed), note(" in "), *classes)
        else:
            place: Line = (GAP, place_span(index, first.winner.place)) if first.winner.place else ()
            yield (note("shadowed by "), symbol_span(first.winner), *place, note(" in "), *classes)


def _classes(hosts: Sequence[Definition]) -> Line:
    rest = len(hosts) - _N_SHADOWS
    return (*_listed(hosts[:_N_SHADOWS]), *([note(f" and {rest} more")] if rest > 0 else []))


def _listed(definitions: Sequence[Definition]) -> Line:
    return tuple(span for one in definitions for span in (note(", "), symbol_span(one)))[1:]


def _again(index: Index, one: Definition, found: tuple[Definition, ...]) -> Line:
    """Where the same symbol is defined once more: the last definition that runs is the one that counts."""
    others = [other.place for other in found if other.symbol == one.symbol and other.id != one.id and other.place]
    return (note("also defined at "), place_span(index, others[0])) if others else ()


def _shadow(each: Reached) -> ShadowRecord:
    return ShadowRecord(each.host.symbol, each.winner.symbol, tuple(one.symbol for one in each.shadowed))
