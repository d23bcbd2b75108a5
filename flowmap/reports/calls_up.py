"""The tree of what runs a function, up to where the program is entered. Told once, like the tree down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from flowmap.model.program import Definition, DefinitionKind, Site, Target
from flowmap.model.view import Line, TreeNode
from flowmap.reports.calls_down import ABOVE, BELOW, RECURSION, evidence_lines, unwrapped
from flowmap.reports.overlay import NO_RUN, Overlay
from flowmap.reports.phrases import GAP, Detail, count, kind_note, mark, note, place_span, short_name, symbol_span, way_guards
from flowmap.reports.pruned import pruned_nodes
from flowmap.reports.walk import Cut, Walk
from flowmap.store.classes import part_of
from flowmap.store.index import Index
from flowmap.store.modules import entry_reasons
from flowmap.store.sites import pruned_at, sites_pruned

_N_MORE_SITES = 3
_CLOSED = {
    Cut.STOP: "stopped here",
    Cut.BORDER: "stopped here",
    Cut.DEPTH: "…",
    Cut.BUDGET: "…",
    Cut.WEAKER: "… callers with --up",
}


@dataclass(slots=True)
class _Telling:
    """What was told so far, from the top of the page down."""

    index: Index
    walk: Walk
    detail: Detail
    overlay: Overlay
    entries: dict[int, tuple[str, ...]]
    pruned: Mapping[int, Sequence[Site]]  # of functions without a caller: the calls that do not run in this configuration
    told: set[int] = field(default_factory=set)


def tree_up(index: Index, walk: Walk, detail: Detail, overlay: Overlay = NO_RUN) -> tuple[TreeNode, ...]:
    """One tree a root, its callers below it."""
    callers = [site.caller for sites in walk.sites.values() for site in sites]
    entries = entry_reasons(index, [*walk.roots, *callers])
    telling = _Telling(index, walk, detail, overlay, entries, _pruned(index, walk))
    return unwrapped(tuple(_function(telling, root, _root(root), ()) for root in walk.roots))


def _pruned(index: Index, walk: Walk) -> dict[int, list[Site]]:
    uncalled = {number for number, sites in walk.sites.items() if not sites} if index.configuration else set()
    gone = sites_pruned(index, index.definitions(sorted(uncalled)))
    pruned = pruned_at(index, gone)
    found: dict[int, list[Site]] = {}
    for site in gone:
        for number in dict.fromkeys(one.definition.id for one in pruned[site.id]):
            found.setdefault(number, []).append(site)
    return found


def _root(root: Definition) -> Line:
    return (symbol_span(root), *((GAP, note(part_of(root))) if part_of(root) else ()))


def _function(telling: _Telling, one: Definition, line: Line, above: tuple[int, ...], below: tuple[Line, ...] = ()) -> TreeNode:
    walk = telling.walk
    here = not above or walk.levels.get(one.id) == len(above)
    if one.id in above:
        return TreeNode((*line, GAP, note(RECURSION)), (), below)
    if one.id in telling.told or (walk.sites.get(one.id) and not here):
        return TreeNode((*line, GAP, note(ABOVE if one.id in telling.told else BELOW)), (), below)
    telling.told.add(one.id)
    line = (*line, *_entered(telling, one))
    if one.id in walk.cut:
        return TreeNode((*line, GAP, note(_CLOSED[walk.cut[one.id]])), (), below)
    if not walk.sites.get(one.id):
        gone = tuple(_gone(telling, one))
        return TreeNode((*line, *_uncalled(telling, one)), gone, below)
    return TreeNode(line, tuple(_callers(telling, one, (*above, one.id))), below)


def _entered(telling: _Telling, one: Definition) -> Line:
    reasons = telling.entries.get(one.id, ())
    return (GAP, note(f"▸ entry point: {'; '.join(reasons)}")) if reasons else ()


def _uncalled(telling: _Telling, one: Definition) -> Line:
    if one.kind is DefinitionKind.MODULE:
        return (GAP, note("runs on import"))
    if one.kind is DefinitionKind.CLASS:
        return (GAP, note("runs with its class body"))
    if one.id in telling.entries:
        return ()
    return (GAP, note("no caller in this configuration" if one.id in telling.pruned else "no caller in the index"))


def _gone(telling: _Telling, one: Definition) -> Iterator[TreeNode]:
    """The calls that run it in other configurations only."""
    sites = telling.pruned.get(one.id, ())
    limit = telling.walk.n_branches
    yield from pruned_nodes(telling.index, sites[:limit], {one.id})
    if len(sites) > limit:
        yield TreeNode((note(f"+ {count(len(sites) - limit, 'more call')} pruned: flowmap callers {short_name(one)}"),))


def _callers(telling: _Telling, one: Definition, above: tuple[int, ...]) -> Iterator[TreeNode]:
    by_caller: dict[int, list[Site]] = {}
    for site in telling.walk.sites[one.id]:
        by_caller.setdefault(site.caller.id, []).append(site)
    limit = telling.walk.n_branches
    for sites in list(by_caller.values())[:limit]:
        yield _caller(telling, one, sites, above)
    rest = len(by_caller) - limit
    if rest > 0:
        yield TreeNode((note(f"+ {count(rest, 'more caller')}: flowmap callers {short_name(one)}"),))


def _caller(telling: _Telling, one: Definition, sites: Sequence[Site], above: tuple[int, ...]) -> TreeNode:
    first, others = sites[0], sites[1:]
    target = _target(first, one)
    line = (*mark(target.confidence), symbol_span(first.caller), GAP, place_span(telling.index, first.place), *kind_note(first))
    line = (*line, *telling.overlay.beside(first, target), *telling.overlay.watch.beside(first.caller))
    limit = len(others) if telling.detail is Detail.FULL else _N_MORE_SITES
    below = [*_below(telling, first, target)]
    for site in others[:limit]:
        below.extend(_also(telling, site, _target(site, one)))
    if len(others) > limit:
        below.append((note(f"and at {count(len(others) - limit, 'more place')}"),))
    return _function(telling, first.caller, line, above, tuple(below))


def _also(telling: _Telling, site: Site, target: Target) -> tuple[Line, ...]:
    """One more call site in the same caller; in brief its guards stand beside it."""
    seen = telling.overlay.beside(site, target)
    place = (note("also "), *mark(target.confidence), place_span(telling.index, site.place), *kind_note(site), *seen)
    lines = _below(telling, site, target)
    if telling.detail is Detail.FULL:
        return (place, *lines)
    return ((*place, *(span for line in lines for span in (GAP, *line))),)


def _below(telling: _Telling, site: Site, target: Target) -> tuple[Line, ...]:
    evidence = evidence_lines(telling.index, target) if telling.detail is Detail.FULL else ()
    return (*way_guards(site, telling.detail), *evidence)


def _target(site: Site, one: Definition) -> Target:
    return next(target for target in (*site.targets, *site.makes) if target.definition.id == one.id)
