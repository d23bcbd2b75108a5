"""The tree of what a function runs, in the order in which it runs, with the statements around the calls as branches.

Told once: a function's own calls stand where it is nearest to the root; elsewhere its line says where to look.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, takewhile

from flowmap.model.program import Definition, DefinitionKind, Site, SiteKind, Status, Target
from flowmap.model.view import Line, Role, Span, TreeNode
from flowmap.reports.abridged import abridged
from flowmap.reports.overlay import NO_RUN, Overlay
from flowmap.reports.phrases import (
    GAP,
    Detail,
    callee_text,
    count,
    early_exits,
    expression_guards,
    guard_line,
    kind_note,
    mark,
    note,
    place_span,
    sites_left_out,
    symbol_span,
)
from flowmap.reports.steps import step_lines, step_words
from flowmap.reports.walk import Cut, Walk
from flowmap.store.chains import evidence_chain, let_go_at
from flowmap.store.index import Index
from flowmap.store.sites import counts_of_resolved

RECURSION = "↺ recursion"
ABOVE = "see above"
BELOW = "see below"
_LONGEST_CALLEE = 48


@dataclass(slots=True)
class _Telling:
    """What was told so far, from the top of the page down."""

    index: Index
    walk: Walk
    detail: Detail
    overlay: Overlay
    n_calls: dict[int, int]
    told: set[int] = field(default_factory=set)
    alternatives: dict[tuple[int, ...], Site] = field(default_factory=dict)  # where each choice of targets was told


def tree_down(index: Index, walk: Walk, detail: Detail, overlay: Overlay = NO_RUN) -> tuple[TreeNode, ...]:
    """One tree a root, its sites below it."""
    met = {target.definition.id: target.definition for sites in walk.sites.values() for site in sites for target in site.targets}
    unopened = [definition for number, definition in met.items() if walk.cut.get(number) in (Cut.DEPTH, Cut.BUDGET)]
    telling = _Telling(index, walk, detail, overlay, dict(counts_of_resolved(index, unopened)))
    return unwrapped(tuple(_function(telling, root, (symbol_span(root),), ()) for root in walk.roots))


def unwrapped(roots: tuple[TreeNode, ...]) -> tuple[TreeNode, ...]:
    """What hangs below the only root, where the root itself says nothing that the page's title does not."""
    alone = len(roots) == 1 and roots[0].children and len(roots[0].line) == 1
    return roots[0].children if alone else roots


def _function(telling: _Telling, one: Definition, line: Line, above: tuple[int, ...], below: tuple[Line, ...] = ()) -> TreeNode:
    """The line of a function, and what it runs where this is the place to tell it. `above`: the functions it stands under."""
    walk = telling.walk
    here = not above or walk.levels.get(one.id) == len(above)
    if one.id in above:
        return TreeNode((*line, GAP, note(RECURSION)), (), below)
    if one.id in walk.cut:
        return TreeNode((*line, *_unopened(telling, one)), (), below)
    if not walk.sites.get(one.id):
        return TreeNode(line, (), below)
    shown, left_out = _shown(telling, walk.sites[one.id])
    if not shown:
        return TreeNode((*line, GAP, note(left_out)), (), below)
    if one.id in telling.told or not here:
        return TreeNode((*line, GAP, note(ABOVE if one.id in telling.told else BELOW)), (), below)
    telling.told.add(one.id)
    children = tuple(_sites(telling, shown, (*above, one.id)))
    rest = (TreeNode((note(left_out),)),) if left_out else ()
    return TreeNode(line, children + rest, below)


def _shown(telling: _Telling, sites: Sequence[Site]) -> tuple[list[Site], str]:
    """The sites that get a line each, and the counted line for the others."""
    if telling.detail is Detail.FULL:
        return list(sites), ""
    left_out = sites_left_out(sites)
    return [site for site in sites if site.status is Status.RESOLVED], f"+ {left_out}" if left_out else ""


def _unopened(telling: _Telling, one: Definition) -> Line:
    if telling.walk.cut[one.id] in (Cut.STOP, Cut.BORDER):
        return (GAP, note("stopped here"))
    number = telling.n_calls.get(one.id, 0)
    return (GAP, note(f"… {count(number, 'call')}")) if number else ()


def _sites(
    telling: _Telling, sites: Sequence[Site], above: tuple[int, ...], passed: set[str] | None = None, n_around: int = 0
) -> Iterator[TreeNode]:
    """The sites in order, the statements around them nested as in the source; `n_around` of these are told already."""
    passed = set() if passed is None else passed
    for guard, group in groupby(sites, key=lambda site: site.guards[n_around : n_around + 1]):
        together = list(group)
        if not guard:
            yield from _in_order(telling, together, above, passed)
            continue
        n_told = n_around + _n_shared([site.guards[n_around:] for site in together])
        line = guard_line(together[0].guards[n_around:n_told], telling.detail)
        yield TreeNode(line, tuple(_sites(telling, together, above, passed, n_told)))


def _n_shared(guards: Sequence[Sequence[str]]) -> int:
    """How many guards all of these lists begin with."""
    return sum(1 for _ in takewhile(lambda alike: len(set(alike)) == 1, zip(*guards, strict=False)))


def _in_order(telling: _Telling, sites: Iterable[Site], above: tuple[int, ...], passed: set[str]) -> Iterator[TreeNode]:
    """The sites of one block. A test that would have left before is said once, where it first has to hold."""
    for site in sites:
        new = [guard for guard in site.early_exit_guards if guard not in passed]
        passed.update(new)
        if new:
            yield TreeNode(early_exits(new, telling.detail))
        yield _site(telling, site, above)


def _site(telling: _Telling, site: Site, above: tuple[int, ...]) -> TreeNode:
    tail = (GAP, place_span(telling.index, site.place), *kind_note(site))
    guards = expression_guards(site.expr_guards, telling.detail)
    below = (*((guards,) if guards else ()), *_let_go(telling, site))
    if len(site.targets) == 1 and site.status is Status.RESOLVED:
        (target,) = site.targets
        line = (*mark(target.confidence), symbol_span(target.definition), *tail, *telling.overlay.beside(site, target))
        line = (*line, *telling.overlay.watch.beside(target.definition))
        return _function(
            telling, target.definition, line, above, (*below, *_evidence(telling, target, _at(telling.index, target)))
        )
    callee = Span(abridged(callee_text(site.expr), _LONGEST_CALLEE), Role.CODE)
    if site.status is not Status.RESOLVED:
        return TreeNode((callee, *tail, GAP, note(_outside(site))), (), below)
    many = f"{_rows(site)} {len(site.targets)}"
    same = telling.alternatives.setdefault(tuple(target.definition.id for target in site.targets), site)
    if same is not site and telling.detail is Detail.BRIEF and not telling.overlay.n_calls:
        again = Span(f"{many}, as at {place_span(telling.index, same.place).text}", Role.NOTE, same.place)
        return TreeNode((callee, *tail, GAP, again), (), below)
    return TreeNode((callee, *tail, GAP, note(f"{many}:")), tuple(_alternatives(telling, site, above)), below)


def _rows(site: Site) -> str:
    """Whether all of them run: so does a class with the methods that make its instances."""
    first = site.targets[0].definition
    made = first.kind is DefinitionKind.CLASS and all(each.definition.owner == first.symbol for each in site.targets[1:])
    return "each of" if made or site.kind is SiteKind.DISPATCH else "one of"


def _alternatives(telling: _Telling, site: Site, above: tuple[int, ...]) -> Iterator[TreeNode]:
    limit = telling.walk.n_branches
    for target in site.targets[:limit]:
        seen = telling.overlay.beside(site, target)
        line = (*mark(target.confidence), symbol_span(target.definition), *_defined(telling.index, target.definition), *seen)
        yield _function(telling, target.definition, line, above, _evidence(telling, target, ()))
    if len(site.targets) > limit:
        yield TreeNode((note(f"+ {len(site.targets) - limit} more, all with -v"),))


def _defined(index: Index, definition: Definition) -> Line:
    return (GAP, place_span(index, definition.place)) if definition.place else (GAP, note("outside the index"))


def _at(index: Index, target: Target) -> tuple[Line, ...]:
    place = target.definition.place
    return ((note("defined at "), place_span(index, place)),) if place else ()


def _evidence(telling: _Telling, target: Target, at: tuple[Line, ...]) -> tuple[Line, ...]:
    return (*at, *evidence_lines(telling.index, target)) if telling.detail is Detail.FULL else ()


def evidence_lines(index: Index, target: Target) -> tuple[Line, ...]:
    """Why a site may run a target: a line a step, what is known last first."""
    steps = step_lines(index, evidence_chain(index, target.evidence))
    return tuple((note("from " if number else "because "), *step) for number, step in enumerate(steps))


def _let_go(telling: _Telling, site: Site) -> Iterator[Line]:
    """Where more came together than is followed: the answer may be short of something."""
    if telling.detail is Detail.FULL:
        for one in let_go_at(telling.index, [site]).get(site.id, ()):
            yield (Span(f"beyond the bound: {step_words(one)}", Role.WARNING), GAP, place_span(telling.index, one.place))


def _outside(site: Site) -> str:
    names = [target.definition.symbol.removeprefix("ext:") for target in site.targets]
    told = site.reason or ", ".join(names)
    return f"{site.status.value}: {told}" if told else site.status.value
