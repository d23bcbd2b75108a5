"""`flowmap mro` and `flowmap hosts`: a class's order and who provides what in it, and the classes that a mixin ends in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Attribute, Definition, DefinitionKind, Held
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.reports.assigned import attribute_line
from flowmap.reports.phrases import GAP, Detail, blank, count, heading, note, ordinal, place_span, short_name, symbol_span
from flowmap.reports.refused import refusal_lines, refusal_texts
from flowmap.reports.subjects import find_class_or_base
from flowmap.store.classes import bare, head_of, hosts, members, orders, provided
from flowmap.store.index import Index

_COMPUTED = "?"  # stands in a class order for a base of which the text says nothing
_N_METHODS = 40
_N_OVERRIDES = 4


@dataclass(frozen=True, slots=True)
class ProvidedRecord:
    """What a class provides under a name: the method or property that wins, and those further down the order that it shadows.
    `kind` is `attribute` where the body of a class assigns the name; `holds` are the symbols of what it is known to hold then."""

    name: str
    symbol: str
    shadows: tuple[str, ...]
    kind: DefinitionKind
    holds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OrderRecord:
    """A class's order, itself first, and what it provides, by name. `refused`: why Python would not make it, empty as a rule."""

    symbol: str
    order: tuple[str, ...]
    provides: tuple[ProvidedRecord, ...]
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MixinHostRecord:
    """A class that a mixin ends in. `position` counts from 1; `overridden`: names of the mixin that the host takes elsewhere."""

    symbol: str
    file: str
    line: int
    position: int
    n_classes: int
    overridden: tuple[ProvidedRecord, ...]
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostsRecord:
    """The classes that a class ends in."""

    symbol: str
    hosts: tuple[MixinHostRecord, ...]
    refused: tuple[str, ...]


def mro(index: Index, name: str, detail: Detail) -> View:
    """A class's method resolution order, and which class provides each method.

    Errors: FlowmapError when there is no such class, or it stands outside the indexed code.
    """
    one = find_class_or_base(index, name)
    order = orders(index, [one]).get(one.id)
    if order is None:
        what, fix = (
            "stands outside the indexed code, so its order is not known",
            f"flowmap hosts {name} lists what inherits from it",
        )
        raise FlowmapError(Problem(bare(one), what, fix), code=ExitCode.FINDING)
    provides = provided(index, order)
    refusals = refusal_lines(index, order)
    record = OrderRecord(
        one.symbol, tuple(map(bare, order)), tuple(_provided(*item) for item in provides.items()), refusal_texts(refusals)
    )
    limit = len(provides) if detail is Detail.FULL else _N_METHODS
    rows = tuple(_method(index, key, found) for key, found in list(provides.items())[:limit])
    more = (f"{len(provides) - limit} more methods with -v",) if len(provides) > limit else ()
    blocks: tuple[Block, ...] = (
        *map(Paragraph, refusals),
        Table(("", "", ""), tuple(_position(index, number, each) for number, each in enumerate(order, start=1))),
        blank(),
        heading("Provides", _counted([found[0] for found in provides.values()])),
        Tree(rows),
    )
    title = (symbol_span(one), *_placed(one), GAP, note(count(len(order), "class", "classes") + " in its order"))
    return View(title, blocks, record, index.source, more)


def hosts_of(index: Index, name: str, detail: Detail) -> View:
    """The classes whose order contains a class, with its position there and what they take from elsewhere.

    Errors: FlowmapError when there is no such class.
    """
    one = find_class_or_base(index, name)
    found = hosts(index, one)
    along = orders(index, found)
    own = members(index, [one]).get(one.id, {})
    others = members(index, {each.id: each for order in along.values() for each in order}.values())
    refusals = {host.id: refusal_lines(index, along[host.id]) for host in found}
    records = tuple(_host(host, one, (along[host.id], refusal_texts(refusals[host.id])), (own, others)) for host in found)
    nodes = tuple(
        _host_node(index, host, record, (refusals[host.id], detail)) for host, record in zip(found, records, strict=True)
    )
    of_itself = refusal_lines(index, orders(index, [one]).get(one.id, ()))
    title = (symbol_span(one), *_placed(one), GAP, note(f"in the order of {count(len(found), 'class', 'classes')}"))
    record = HostsRecord(one.symbol, records, refusal_texts(of_itself))
    return View(title, (*map(Paragraph, of_itself), Tree(nodes)), record, index.source)


def _placed(one: Definition) -> Line:
    return (GAP, Span(str(one.place), Role.PLACE, one.place)) if one.place else ()


def _position(index: Index, number: int, each: Definition) -> tuple[Line, ...]:
    elsewhere = "a base that is computed when it runs: not followed" if bare(each) == _COMPUTED else "outside the index"
    place: Line = (place_span(index, each.place),) if each.place else (note(elsewhere),)
    return (note(f"{number:>3}"),), (Span(short_name(each), Role.SYMBOL, each.place),), place


def _method(index: Index, name: str, found: Sequence[Definition]) -> TreeNode:
    winner, shadowed = found[0], found[1:]
    place: Line = (GAP, place_span(index, winner.place)) if winner.place else ()
    owner = short_name(winner).rpartition(".")[0] or winner.symbol
    told = attribute_line(index, winner) if isinstance(winner, Attribute) else ()
    line = (Span(name, Role.SYMBOL, winner.place), note("  from "), Span(owner, Role.CODE), *place, *told)
    below: tuple[Line, ...] = ((note(f"shadows {', '.join(map(short_name, shadowed))}"),),) if shadowed else ()
    return TreeNode(line, (), below)


def _counted(winners: Sequence[Definition]) -> str:
    """How many methods and properties a class provides; what it holds otherwise is counted apart."""
    values = sum(isinstance(one, Attribute) and one.holds in (Held.CLASS, Held.VALUE) for one in winners)
    counted = count(len(winners) - values, "method or property", "methods and properties")
    return f"{counted}, {count(values, 'attribute')}" if values else counted


def _provided(name: str, found: Sequence[Definition]) -> ProvidedRecord:
    winner = found[0]
    holds = tuple(each.symbol for each in winner.definitions) if isinstance(winner, Attribute) else ()
    return ProvidedRecord(name, winner.symbol, tuple(each.symbol for each in found[1:]), winner.kind, holds)


_Members = Mapping[int, Mapping[str, tuple[Definition, ...]]]


def _host(
    host: Definition,
    one: Definition,
    ordered: tuple[Sequence[Definition], tuple[str, ...]],
    bodies: tuple[Mapping[str, object], _Members],
) -> MixinHostRecord:
    (order, refusals), (own, all_members) = ordered, bodies
    position = [each.id for each in order].index(one.id)
    overridden = []
    for name in own:
        along = [head_of(all_members[each.id][name]) for each in order if name in all_members.get(each.id, {})]
        if along and along[0].owner != one.symbol:
            overridden.append(_provided(name, along))
    file, line = (host.place.file, host.place.line) if host.place else ("", 0)
    return MixinHostRecord(host.symbol, file, line, position + 1, len(order), tuple(overridden), refusals)


def _host_node(index: Index, host: Definition, record: MixinHostRecord, told: tuple[tuple[Line, ...], Detail]) -> TreeNode:
    refusals, detail = told
    place: Line = (GAP, place_span(index, host.place)) if host.place else ()
    where = f"{ordinal(record.position)} of {record.n_classes}"
    limit = len(record.overridden) if detail is Detail.FULL else _N_OVERRIDES
    texts = [f"{each.name} ({each.symbol.rsplit('.', 2)[-2]})" for each in record.overridden[:limit]]
    rest = len(record.overridden) - limit
    shown = ", ".join([*texts, *([f"{rest} more"] if rest > 0 else [])])
    below: tuple[Line, ...] = ((note(f"takes from elsewhere: {shown}"),),) if shown else ()
    return TreeNode((symbol_span(host), *place, GAP, note(where)), (), (*below, *refusals))
