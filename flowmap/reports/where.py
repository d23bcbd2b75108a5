"""`flowmap where`: every definition that a name may mean, and what shadows what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.program import Attribute, Definition
from flowmap.model.view import Line, Role, Span, Tree, TreeNode, View
from flowmap.reports.assigned import attribute_line
from flowmap.reports.heads import head_lines
from flowmap.reports.phrases import GAP, count, note, part_note, place_span, symbol_span
from flowmap.reports.reached import Reached, reached_through
from flowmap.reports.records import FunctionRecord, function_record
from flowmap.reports.subjects import every, find, place_in
from flowmap.store.classes import attributes_named, head_of, part_of, whole
from flowmap.store.index import Index
from flowmap.store.names import named

_N_SHADOWS = 6


@dataclass(frozen=True, slots=True)
class ShadowRecord:
    """In the class `host` this definition hides the others of its name, or (`winner` differs) is hidden itself."""

    host: str
    winner: str
    shadowed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhereRecord:
    """A definition and the classes in which it shadows something or is shadowed. `part`: `setter`, `deleter`, `getter` or
    `overload` where it is that part of a property or function that stands elsewhere; "" as a rule."""

    definition: FunctionRecord
    part: str
    shadows: tuple[ShadowRecord, ...]


def where(index: Index, name: str) -> View:
    """The definitions that a name or a place means, by symbol.

    Errors: FlowmapError when nothing bears the name.
    """
    found = find(index, name) if place_in(name) or name.endswith((".py", ".pyi")) else _every(index, name)
    shadows = {one.id: [each for each in reached_through(index, one) if _tells(each, one)] for one in found}
    wholes = _wholes(found)
    nodes = tuple(_node(index, parts, shadows[head_of(parts).id], _again(index, head_of(parts), wholes)) for parts in wholes)
    record = tuple(WhereRecord(function_record(one), part_of(one), tuple(map(_shadow, shadows[one.id]))) for one in found)
    title = (Span(name, Role.SYMBOL), GAP, note(count(len(wholes), "definition")))
    return View(title, (Tree(nodes),), record, index.source)


def _every(index: Index, name: str) -> tuple[Definition, ...]:
    """The definitions that a name may mean, and the classes' attributes of that name."""
    assigned = attributes_named(index, name)
    if not assigned:
        return every(index, name)
    held = {definition.id for one in assigned for definition in one.definitions}
    return (*(one for one in named(index, name) if one.name == assigned[0].name or one.id not in held), *assigned)


def _wholes(found: Sequence[Definition]) -> tuple[tuple[Definition, ...], ...]:
    """The definitions, those together that make up one property or overloaded function, in the order given."""
    by_symbol: dict[str, list[Definition]] = {}
    for one in found:
        by_symbol.setdefault(one.symbol, []).append(one)
    wholes: list[tuple[Definition, ...]] = []
    for alike in by_symbol.values():
        wholes += _told_apart(alike)
    return tuple(wholes)


def _told_apart(alike: list[Definition]) -> list[tuple[Definition, ...]]:
    """The definitions of one symbol, those together that make up one meaning of it, in the order of the text."""
    found: list[tuple[Definition, ...]] = []
    while alike:
        found.insert(0, whole(alike))
        del alike[-len(found[0]) :]
    return found


def _tells(each: Reached, one: Definition) -> bool:
    return bool(each.shadowed) or each.winner.id != one.id


def _node(index: Index, parts: tuple[Definition, ...], shadows: list[Reached], again: Line) -> TreeNode:
    one = head_of(parts)
    place: Line = (Span(str(one.place), Role.PLACE, one.place), GAP) if one.place else ()
    what = attribute_line(index, one) if isinstance(one, Attribute) else (GAP, note(one.kind.value))
    line = (*place, symbol_span(one), *what)
    below: list[Line] = list(head_lines(index, one))
    below += [_part(index, each) for each in parts if each.id != one.id]
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


def _part(index: Index, one: Definition) -> Line:
    place: Line = (GAP, place_span(index, one.place)) if one.place else ()
    return (note(f"{part_note(one)} "), Span(f"{one.name}{one.signature}", Role.CODE), *place)


def _classes(hosts: Sequence[Definition]) -> Line:
    rest = len(hosts) - _N_SHADOWS
    return (*_listed(hosts[:_N_SHADOWS]), *([note(f" and {rest} more")] if rest > 0 else []))


def _listed(definitions: Sequence[Definition]) -> Line:
    return tuple(span for one in definitions for span in (note(", "), symbol_span(one)))[1:]


def _again(index: Index, one: Definition, wholes: Sequence[tuple[Definition, ...]]) -> Line:
    """Where the same symbol is defined once more: the last definition that runs is the one that counts."""
    heads = map(head_of, wholes)
    others = [other.place for other in heads if other.symbol == one.symbol and other.id != one.id and other.place]
    return (note("also defined at "), place_span(index, others[0])) if others else ()


def _shadow(each: Reached) -> ShadowRecord:
    return ShadowRecord(each.host.symbol, each.winner.symbol, tuple(one.symbol for one in each.shadowed))
