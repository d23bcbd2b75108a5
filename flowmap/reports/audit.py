"""`flowmap audit`: flowmap and jedi compared over a sample of call sites, by the shape of what is called."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.opinion import Second, Verdict
from flowmap.model.program import Confidence, Site, SiteKind
from flowmap.model.view import Block, Line, Role, Span, Table, Tree, TreeNode, View
from flowmap.reports.agreement import Compared, compare
from flowmap.reports.phrases import GAP, Detail, blank, callee_text, count, heading, note, place_span, short_name
from flowmap.store.index import Index
from flowmap.store.sites import sites_by_id
from flowmap.store.spans import sites_of_kinds, spans

_KINDS = (SiteKind.CALL, SiteKind.PROPERTY, SiteKind.DECORATOR)  # the others have no name to ask at
_TOLD = (Verdict.DISAGREE, Verdict.JEDI_ONLY)  # what is worth a look
_N_TOLD = 12
_ALL = "all"


@dataclass(frozen=True, slots=True)
class AuditQuestion:
    """How many sites are drawn, with which seed; the same ones come for the same seed. Who is asked."""

    sample: int
    seed: int
    confidence: Confidence
    detail: Detail
    second: Second


@dataclass(frozen=True, slots=True)
class ShapeRecord:
    """The number of sites of one shape by verdict."""

    shape: str
    sites: int
    agree: int
    flowmap_only: int
    jedi_only: int
    disagree: int
    both_silent: int


@dataclass(frozen=True, slots=True)
class AuditedRecord:
    """One site that was compared."""

    file: str
    line: int
    col: int
    expr: str
    shape: str
    verdict: Verdict
    flowmap: tuple[str, ...]
    jedi_only: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """The rates by shape, the whole first, and every site that was compared. `not_asked` have no name, or jedi broke there."""

    sites_of_index: int
    seed: int
    not_asked: int
    shapes: tuple[ShapeRecord, ...]
    sites: tuple[AuditedRecord, ...]


def audit(index: Index, question: AuditQuestion) -> View:
    """Asks for a second opinion on a sample of the sites that have a name to ask at."""
    every = sites_of_kinds(index, _KINDS)
    chosen = sample(every, question.sample, question.seed)
    sites = {site.id: site for site in sites_by_id(index, chosen, question.confidence)}
    found = [(sites[each.site], compare(index, sites[each.site], each)) for each in question.second(spans(index, chosen))]
    asked = [(site, compared) for site, compared in found if not compared.problem]
    record = AuditRecord(
        len(every), question.seed, len(found) - len(asked), tuple(_shapes(asked)), tuple(_audited(*each) for each in asked)
    )
    title = (
        Span("flowmap and jedi", Role.HEADING),
        GAP,
        note(f"{count(len(asked), 'site')} of {len(every):,}, seed {question.seed}"),
    )
    return View(title, tuple(_blocks(index, record, asked, question.detail)), record, index.source, tuple(_notes(record)))


def sample(every: Sequence[int], most: int, seed: int) -> list[int]:
    """At most so many of these numbers, in their order: the same ones for the same seed, on every system."""
    ranked = sorted(every, key=lambda number: hashlib.blake2b(f"{seed} {number}".encode(), digest_size=8).digest())
    return sorted(ranked[:most])


def shape(site: Site) -> str:
    """What the called expression looks like: `f()`, `self.m()`, `x.y.m()`."""
    if site.kind is not SiteKind.CALL:
        return site.kind.value
    callee = callee_text(site.expr)
    if not callee.replace(".", "").isidentifier():
        return "super().m()" if callee.startswith("super(") else "(…).m()"
    n_dots = callee.count(".")
    if n_dots == 0:
        return "f()"
    receiver = "self" if callee.startswith("self.") else "x"
    return f"{receiver}.m()" if n_dots == 1 else f"{receiver}.y.m()"


def _shapes(asked: Sequence[tuple[Site, Compared]]) -> Iterator[ShapeRecord]:
    counted = Counter((name, compared.verdict) for site, compared in asked for name in (_ALL, shape(site)))
    names = sorted({name for name, _ in counted}, key=lambda name: (name != _ALL, name))
    for name in names:
        numbers = [counted[name, verdict] for verdict in Verdict]
        yield ShapeRecord(name, sum(numbers), *numbers)


def _audited(site: Site, compared: Compared) -> AuditedRecord:
    ours = tuple(each.definition.symbol for each in site.targets)
    alone = tuple(said.symbol for said in compared.jedi_only)
    return AuditedRecord(site.place.file, site.place.line, site.place.col, site.expr, shape(site), compared.verdict, ours, alone)


def _blocks(index: Index, record: AuditRecord, asked: Sequence[tuple[Site, Compared]], detail: Detail) -> Iterator[Block]:
    heads = ("", "sites", *(verdict.value for verdict in Verdict))
    yield Table(heads, tuple(tuple(_cells(each)) for each in record.shapes))
    told = [each for each in asked if detail is Detail.FULL or each[1].verdict in _TOLD]
    limit = len(told) if detail is Detail.FULL else _N_TOLD
    if told:
        yield blank()
        yield heading("Worth a look" if detail is Detail.BRIEF else "Site by site", count(len(told), "site"))
        rest = len(told) - limit
        more = (TreeNode((note(f"+ {rest} more, all with -v"),)),) if rest > 0 else ()
        yield Tree((*(_node(index, *each) for each in told[:limit]), *more))


def _cells(each: ShapeRecord) -> Iterator[Line]:
    yield (Span(each.shape),)
    yield (Span(f"{each.sites:>6,}"),)
    for number in (each.agree, each.flowmap_only, each.jedi_only, each.disagree, each.both_silent):
        yield (Span(f"{100 * number / each.sites:5.1f}%"), note(f" {number:,}"))


def _node(index: Index, site: Site, compared: Compared) -> TreeNode:
    ours = ", ".join(short_name(each.definition) for each in site.targets) or "nothing"
    theirs = ", ".join(said.symbol for said in compared.jedi_only) or "nothing else"
    line = (place_span(index, site.place), GAP, Span(callee_text(site.expr), Role.CODE), GAP, note(compared.verdict.value))
    return TreeNode(line, (), ((note(f"flowmap: {ours}"),), (note(f"jedi: {theirs}"),)))


def _notes(record: AuditRecord) -> Iterator[str]:
    yield "agree: at least one definition is named by both"
    if record.not_asked:
        yield f"{count(record.not_asked, 'site')} more could not be asked about: no name stands there, or jedi broke"
