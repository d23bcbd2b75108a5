"""`flowmap trace NAME --profile A --against B`: what runs in one configuration alone, and the guards that decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, Pruned, Site, Status
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.reports.phrases import GAP, blank, count, heading, note, place_span, short_name, symbol_span
from flowmap.reports.subjects import find, with_constructors
from flowmap.store.index import Index
from flowmap.store.sites import pruned_at, sites_of

SiteKey = tuple[Place, str, str]  # where it stands, what it says, its kind
NO_GUARD = "no guard is known that decides"
MOST_FUNCTIONS = 500


@dataclass(frozen=True, slots=True)
class Side:
    """An index of one configuration, and the name of that."""

    name: str
    index: Index


@dataclass(frozen=True, slots=True)
class DifferenceQuestion:
    """Whose calls are compared, how many calls deep, and from which confidence on."""

    name: str
    depth: int
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """A call that runs in one configuration only. `guard` is the place of the test that decides, "" where none is known."""

    caller: str
    file: str
    line: int
    expr: str
    target: str
    only_in: str
    guard: str
    why: str


@dataclass(frozen=True, slots=True)
class DifferenceRecord:
    """All that differs below a function."""

    symbol: str
    first: str
    second: str
    edges: tuple[EdgeRecord, ...]


@dataclass(frozen=True, slots=True)
class _Edge:
    """A call in one configuration, and why it is not in the other."""

    caller: Definition
    site: Site
    target: Definition
    side: Side
    why: Pruned | None


def difference(first: Side, second: Side, question: DifferenceQuestion) -> View:
    """What differs below a function between two configurations, as far as both run the function that calls.

    Errors: FlowmapError when the name is unknown or ambiguous.
    """
    subject = find(first.index, question.name)
    roots = [one.symbol for one in with_constructors(first.index, subject)]
    edges = tuple(_walk((first, second), roots, question))
    blocks: list[Block] = [Paragraph((note(_counted(edges, first, second)),))]
    for caller, found in groupby(edges, key=lambda edge: edge.caller.symbol):
        rows = list(found)
        place: Line = (place_span(first.index, rows[0].caller.place),) if rows[0].caller.place else ()
        assert caller == rows[0].caller.symbol, "edges come caller by caller"
        blocks += [blank(), heading(short_name(rows[0].caller), ""), Paragraph(place), Tree(tuple(map(_line, rows)))]
    record = DifferenceRecord(subject[0].symbol, first.name, second.name, tuple(map(_record, edges)))
    title = (symbol_span(subject[0]), GAP, note(f"{first.name} against {second.name}"))
    return View(title, tuple(blocks), record, first.index.source)


def _counted(edges: Sequence[_Edge], first: Side, second: Side) -> str:
    if not edges:
        return "nothing differs"
    counts = [f"{count(sum(edge.side is side for edge in edges), 'call')} only in {side.name}" for side in (first, second)]
    return ", ".join(counts)


def _walk(sides: tuple[Side, Side], roots: Sequence[str], question: DifferenceQuestion) -> Iterator[_Edge]:
    """Level by level, through the functions that both configurations run."""
    opened, met = list(roots), set(roots)
    for _ in range(question.depth):
        both: dict[str, None] = {}
        found = [_calls(side, opened, question.confidence) for side in sides]
        for caller in opened:
            mine, other = found[0].get(caller, _NOTHING), found[1].get(caller, _NOTHING)
            yield from sorted((*_only(mine, other, sides[0]), *_only(other, mine, sides[1])), key=_place)
            both.update(dict.fromkeys(mine.symbols & other.symbols))
        opened = sorted(both.keys() - met)[: MOST_FUNCTIONS - len(met)]
        met.update(opened)


@dataclass(frozen=True, slots=True)
class _Calls:
    """The sites of a function that lead into the indexed code, and what is pruned at each."""

    sites: Mapping[SiteKey, Site]
    pruned: Mapping[SiteKey, Sequence[Pruned]]

    @property
    def symbols(self) -> set[str]:
        """What runs."""
        return {target.symbol for site in self.sites.values() for target in _inside(site)}


_NOTHING = _Calls({}, {})


def _calls(side: Side, callers: Sequence[str], confidence: Confidence) -> dict[str, _Calls]:
    query = "SELECT id FROM symbol WHERE text IN (SELECT value FROM json_each(?)) ORDER BY id"
    texts = "[" + ",".join(f'"{one}"' for one in callers) + "]"
    definitions = side.index.definitions(row[0] for row in side.index.rows(query, texts))
    sites = sites_of(side.index, definitions, confidence)
    pruned = pruned_at(side.index, sites)
    grouped: dict[str, tuple[dict[SiteKey, Site], dict[SiteKey, Sequence[Pruned]]]] = {one: ({}, {}) for one in callers}
    for site in sites:
        live, gone = grouped[site.caller.symbol]
        key = (site.place, site.expr, site.kind.value)
        gone[key] = pruned.get(site.id, ())
        if site.status is Status.RESOLVED:
            live[key] = site
    return {one: _Calls(*found) for one, found in grouped.items()}


def _inside(site: Site) -> Iterator[Definition]:
    return (target.definition for target in site.targets if target.definition.place is not None)


def _only(mine: _Calls, other: _Calls, side: Side) -> Iterator[_Edge]:
    """The calls of a function that the other side lacks."""
    for key, site in mine.sites.items():
        there = {one.symbol for one in _inside(other.sites[key])} if key in other.sites else set()
        whys = {one.definition.symbol: one for one in other.pruned.get(key, ())}
        for target in _inside(site):
            if target.symbol not in there:
                yield _Edge(site.caller, site, target, side, whys.get(target.symbol))


def _place(edge: _Edge) -> tuple[Place, str, str]:
    return (edge.site.place, edge.target.symbol, edge.side.name)


def _line(edge: _Edge) -> TreeNode:
    index = edge.side.index
    line: Line = (place_span(index, edge.site.place), GAP, note(f"only {edge.side.name}"), GAP, symbol_span(edge.target))
    return TreeNode(line, (), (_because(index, edge.why),))


def _because(index: Index, why: Pruned | None) -> Line:
    if why is None:
        return (note(NO_GUARD),)
    place: Line = (place_span(index, why.place), GAP) if why.place else ()
    return (note("elsewhere "), *place, Span(why.why, Role.CODE))


def _record(edge: _Edge) -> EdgeRecord:
    guard = str(edge.why.place) if edge.why and edge.why.place else ""
    return EdgeRecord(
        caller=edge.caller.symbol,
        file=edge.site.place.file,
        line=edge.site.place.line,
        expr=edge.site.expr,
        target=edge.target.symbol,
        only_in=edge.side.name,
        guard=guard,
        why=edge.why.why if edge.why else NO_GUARD,
    )
