"""`flowmap callers` and `flowmap callees`: the call sites into a function, and out of it, as flat lists with counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.program import Confidence, Definition, Pruned, Site, Status, Target
from flowmap.model.view import Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.reports.calls_down import evidence_lines
from flowmap.reports.phrases import (
    GAP,
    LEGEND,
    Detail,
    all_guards,
    blank,
    callee_text,
    count,
    kind_note,
    mark,
    note,
    place_span,
    short_name,
    sites_left_out,
    symbol_span,
)
from flowmap.reports.pruned import PrunedRecord, pruned_nodes, pruned_records, why_line
from flowmap.reports.records import FunctionRecord, SiteRecord, function_record, site_record, target_record
from flowmap.reports.subjects import find, with_constructors, with_own_constructors
from flowmap.store.chains import evidence_chain
from flowmap.store.classes import head_of, part_of
from flowmap.store.index import Index
from flowmap.store.sites import pruned_at, sites_of, sites_pruned, sites_running


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """Whose sites are asked for, from which confidence on, and how much is said of each."""

    name: str
    confidence: Confidence
    detail: Detail


@dataclass(frozen=True, slots=True)
class SitesRecord:
    """The sites into, or out of, the definitions of one symbol."""

    subject: tuple[FunctionRecord, ...]
    sites: tuple[SiteRecord, ...]
    pruned: tuple[PrunedRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """What a question finds: the definitions asked about, their sites, and those that may be pruned."""

    subject: Sequence[Definition]
    wanted: Sequence[Definition]  # with the constructors that belong to them
    sites: Sequence[Site]
    may_be_pruned: Sequence[Site]

    def record(self, index: Index, detail: Detail) -> SitesRecord:
        """The sites as a program gets them."""
        sites = tuple(_record(index, site, detail) for site in self.sites)
        return SitesRecord(tuple(map(function_record, self.subject)), sites, tuple(pruned_records(index, self.may_be_pruned)))


def callers(index: Index, question: ListQuestion) -> View:
    """The sites that may run a function, by file and line. Of a class: those that make it, whichever constructor they run, and
    those that run a constructor of its own body.

    Errors: FlowmapError when the name is unknown or ambiguous.
    """
    found = _running(index, question)
    sites, gone = found.sites, found.may_be_pruned
    ids = {one.id for one in found.wanted}
    rows = tuple(
        _caller(index, site, [each for each in (*site.targets, *site.makes) if each.definition.id in ids], question.detail)
        for site in sites
    )
    n_functions = len({site.caller.id for site in sites})
    counted = f"{count(len(sites), 'call site')} in {count(n_functions, 'function')}" if sites else "no call site in the index"
    if gone:
        counted += f"; {count(len(gone), 'site')} pruned"
    return _view(index, found, ((*rows, *pruned_nodes(index, gone, ids)), counted), question.detail)


def callers_record(index: Index, question: ListQuestion) -> SitesRecord:
    """As `callers`, for a program: nothing is put into words. Errors: as of `callers`."""
    return _running(index, question).record(index, question.detail)


def _running(index: Index, question: ListQuestion) -> _Found:
    subject = find(index, question.name)
    wanted = with_own_constructors(index, subject)
    return _Found(subject, wanted, sites_running(index, wanted, question.confidence), sites_pruned(index, wanted))


def callees(index: Index, question: ListQuestion) -> View:
    """The sites inside a function, in the order in which they run; of a class, those of its constructors too.

    Errors: FlowmapError when the name is unknown or ambiguous.
    """
    found = _inside(index, question)
    sites = found.sites
    pruned = pruned_at(index, sites)
    rows = tuple(_callee(index, site, question.detail, pruned.get(site.id, ())) for site in sites)
    resolved = sum(site.status is Status.RESOLVED for site in sites)
    rest = sites_left_out(sites)
    counted = (
        f"{count(len(sites), 'call site')}: {resolved} into the indexed code{', ' if rest else ''}{rest}"
        if sites
        else "no call site"
    )
    return _view(index, found, (rows, counted), question.detail)


def callees_record(index: Index, question: ListQuestion) -> SitesRecord:
    """As `callees`, for a program: nothing is put into words. Errors: as of `callees`."""
    return _inside(index, question).record(index, question.detail)


def _inside(index: Index, question: ListQuestion) -> _Found:
    subject = find(index, question.name)
    wanted = with_constructors(index, subject)
    sites = sites_of(index, wanted, question.confidence)
    return _Found(subject, wanted, sites, sites)


def _view(index: Index, found: _Found, shown: tuple[tuple[TreeNode, ...], str], detail: Detail) -> View:
    rows, counted = shown
    first = head_of(found.subject)
    place: Line = (GAP, Span(str(first.place), Role.PLACE)) if first.place else (GAP, note("outside the index"))
    title = (symbol_span(first), *place)
    others = [one.place for one in found.subject if one.id != first.id and one.place and not part_of(one)]
    also: Line = tuple(span for each in others for span in (note(", "), place_span(index, each)))[1:]
    again = (Paragraph((note("also defined at "), *also)),) if also else ()
    blocks = (*again, Paragraph((note(counted),)), blank(), Tree(rows))
    return View(title, blocks, found.record(index, detail), index.source, (LEGEND,))


def _caller(index: Index, site: Site, targets: Sequence[Target], detail: Detail) -> TreeNode:
    weakest = max((each.confidence for each in targets), key=list(Confidence).index)
    line = (
        place_span(index, site.place),
        GAP,
        *mark(weakest),
        symbol_span(site.caller),
        *kind_note(site),
        *_part(targets),
        *_made(site, targets),
    )
    return TreeNode(line, (), (*all_guards(site, detail), *_evidence(index, targets, detail)))


def _part(targets: Sequence[Target]) -> Line:
    """Which part of a property runs, where it is not the one that is read."""
    parts = dict.fromkeys(part_of(each.definition) for each in targets)
    return (GAP, note(", ".join(parts))) if all(parts) else ()


def _made(site: Site, targets: Sequence[Target]) -> Line:
    """Which other classes are made where a constructor that they inherit is what was asked for."""
    others = [each.definition for each in site.makes]
    if not others or any(one in others or one.owner in {each.symbol for each in others} for one in _defined(targets)):
        return ()
    return (GAP, note(f"makes {', '.join(map(short_name, others))}"))


def _defined(targets: Sequence[Target]) -> list[Definition]:
    return [each.definition for each in targets]


def _callee(index: Index, site: Site, detail: Detail, pruned: Sequence[Pruned]) -> TreeNode:
    place = place_span(index, site.place)
    if site.status is not Status.RESOLVED:
        reason = f"{site.status.value}: {site.reason}" if site.reason else site.status.value
        outside: Line = tuple(_named(site.targets)) or (Span(callee_text(site.expr), Role.CODE),)
        return TreeNode((place, GAP, *outside, *kind_note(site), GAP, note(reason)), (), all_guards(site, detail))
    gone = ((note("not "), symbol_span(one.definition), GAP, *why_line(index, one)) for one in pruned)
    below = (*all_guards(site, detail), *gone, *_evidence(index, site.targets, detail))
    return TreeNode((place, GAP, *_named(site.targets), *kind_note(site)), (), below)


def _named(targets: Sequence[Target]) -> Iterator[Span]:
    for number, target in enumerate(targets):
        if number:
            yield note(" or ")
        yield from (*mark(target.confidence), symbol_span(target.definition))


def _evidence(index: Index, targets: Sequence[Target], detail: Detail) -> Iterator[Line]:
    for target in targets if detail is Detail.FULL else ():
        yield from evidence_lines(index, target)


def _record(index: Index, site: Site, detail: Detail) -> SiteRecord:
    if detail is Detail.BRIEF:
        return site_record(site)
    return site_record(site, tuple(target_record(each, evidence_chain(index, each.evidence)) for each in site.targets))
