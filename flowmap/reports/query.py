"""`flowmap query`: what answers a question that stands in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.access import Access
from flowmap.model.program import Confidence, Definition, Site, SiteKind
from flowmap.model.query import Find, Query, Show
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.query.answer import answer_query
from flowmap.query.hits import Answer, Answered, Hit
from flowmap.reports.abridged import abridged
from flowmap.reports.phrases import (
    GAP,
    Detail,
    blank,
    count,
    early_exits,
    expression_guards,
    guard_line,
    heading,
    mark,
    note,
    place_span,
    short_name,
    symbol_span,
)
from flowmap.store.index import Index

_LEGEND = "~ inferred; answers without a mark are proven"
_LONGEST_CODE = 80
_N_OWNERS = 3
_N_TARGETS = 6


@dataclass(frozen=True, slots=True)
class HitRecord:
    """An answer. `kind`: the kind of access, of call site or of definition; `stage` and `owners` of an access and `targets` of a
    call site, else empty."""

    name: str
    file: str
    line: int
    col: int
    function: str
    kind: str
    stage: str
    expr: str
    owners: tuple[str, ...]
    targets: tuple[str, ...]
    confidence: Confidence
    guards: tuple[str, ...]
    expr_guards: tuple[str, ...]
    early_exit_guards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartRecord:
    """What one [[find]] found."""

    what: str
    hits: tuple[HitRecord, ...]


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """A question and its answers."""

    query: str
    question: str
    parts: tuple[PartRecord, ...]


def query(index: Index, asked: Query, detail: Detail) -> View:
    """The answers to a query, part by part, under the names by which they were found.

    Errors: FlowmapError when the query is about another project, or with every name that nothing bears.
    """
    answer = answer_query(index, asked)
    blocks = [block for part in answer.parts for block in _part(index, part, asked.show, detail)]
    n_functions = len({hit.function.id for hit in answer.hits})
    title = (Span(asked.name, Role.SYMBOL), GAP, Span(asked.question))
    counted = note(f"{count(len(answer.hits), 'answer')} in {count(n_functions, 'function')}")
    record = QueryRecord(asked.name, asked.question, tuple(map(_part_record, answer.parts)))
    notes = tuple(dict.fromkeys(said for part in answer.parts for said in (*part.notes, *_absent(part))))
    return View(title, (Paragraph((counted,)), *blocks), record, index.source, (*notes, *_legend(answer)))


def _absent(part: Answered) -> tuple[str, ...]:
    """What the query does not look for in this release."""
    return (f"not in this release, as the query says: {', '.join(part.absent)}",) if part.absent else ()


def _legend(answer: Answer) -> tuple[str, ...]:
    return (_LEGEND,) if any(hit.confidence is not Confidence.PROVEN for hit in answer.hits) else ()


def _part(index: Index, part: Answered, show: Sequence[Show], detail: Detail) -> Iterator[Block]:
    yield blank()
    yield heading(part.find.what or _sought(part.find), count(len(part.hits), "answer") if part.hits else "no answer")
    groups: dict[str, list[Hit]] = {}
    for hit in part.hits:
        groups.setdefault(hit.name, []).append(hit)
    yield Tree(tuple(_group(index, name, hits, show, detail) for name, hits in groups.items()))


def _sought(find: Find) -> str:
    """What a part looks for, where it does not say so itself."""
    words = {"accesses": find.fields, "calls": find.calls, "definitions": find.functions}
    return ", ".join(word for word, anchors in words.items() if anchors).capitalize()


def _group(index: Index, name: str, hits: Sequence[Hit], show: Sequence[Show], detail: Detail) -> TreeNode:
    line = (Span(name, Role.CODE), GAP, note(str(len(hits))))
    return TreeNode(line, tuple(_row(index, hit, show, detail) for hit in hits))


def _row(index: Index, hit: Hit, show: Sequence[Show], detail: Detail) -> TreeNode:
    line = (
        place_span(index, hit.place),
        GAP,
        *mark(hit.confidence),
        symbol_span(hit.function),
        *_beside(hit, show),
        *_code(hit, detail),
    )
    return TreeNode(line, (), tuple(_below(hit, show, detail)))


def _beside(hit: Hit, show: Sequence[Show]) -> Line:
    if Show.ACCESS not in show:
        return ()
    match hit.found:
        case Access(kind=kind, stage=stage):
            return (GAP, note(f"{kind.value}, {stage.value}"))
        case Site(kind=kind):
            return () if kind is SiteKind.CALL else (GAP, note(kind.value))
        case Definition(kind=defined):
            return (GAP, note(defined.value))


def _code(hit: Hit, detail: Detail) -> Line:
    shown = hit.code if detail is Detail.FULL else abridged(" ".join(hit.code.split()), _LONGEST_CODE)
    return (GAP, Span(shown, Role.CODE)) if shown else ()


def _below(hit: Hit, show: Sequence[Show], detail: Detail) -> Iterator[Line]:
    if isinstance(hit.found, Definition):
        return
    if Show.TARGETS in show and isinstance(hit.found, Site) and hit.found.targets:
        yield _targets(hit.found)
    if Show.OWNER in show and isinstance(hit.found, Access):
        yield (note(f"of {_named(hit.found.owners)}"),)
    if Show.GUARDS in show or Show.CONDITIONS in show or detail is Detail.FULL:
        yield from _said(guard_line(hit.found.guards, detail))
    if Show.CONDITIONS in show or detail is Detail.FULL:
        yield from _said(expression_guards(hit.found.expr_guards, detail))
        yield from _said(early_exits(hit.found.early_exit_guards, detail))


def _targets(site: Site) -> Line:
    """What a call may run, each leading to where it stands."""
    shown = site.targets[:_N_TARGETS]
    more = (note(f" or {len(site.targets) - len(shown)} more"),) if len(site.targets) > len(shown) else ()
    named = [span for target in shown for span in (note(" or "), *mark(target.confidence), symbol_span(target.definition))]
    return (note("→ "), *named[1:], *more)


def _said(line: Line) -> Iterator[Line]:
    if line:
        yield line


def _named(owners: Iterable[Definition]) -> str:
    names = list(map(short_name, owners))
    more = [f"{len(names) - _N_OWNERS} more"] if len(names) > _N_OWNERS else []
    return " or ".join([*names[:_N_OWNERS], *more]) or "an unknown class"


def _part_record(part: Answered) -> PartRecord:
    return PartRecord(part.find.what, tuple(map(_hit_record, part.hits)))


def _hit_record(hit: Hit) -> HitRecord:
    found = hit.found
    return HitRecord(
        name=hit.name,
        file=hit.place.file,
        line=hit.place.line,
        col=hit.place.col,
        function=hit.function.symbol,
        kind=found.kind.value,
        stage=found.stage.value if isinstance(found, Access) else "",
        expr=hit.code,
        owners=tuple(owner.symbol for owner in found.owners) if isinstance(found, Access) else (),
        targets=tuple(target.definition.symbol for target in found.targets) if isinstance(found, Site) else (),
        confidence=hit.confidence,
        guards=() if isinstance(found, Definition) else found.guards,
        expr_guards=() if isinstance(found, Definition) else found.expr_guards,
        early_exit_guards=() if isinstance(found, Definition) else found.early_exit_guards,
    )
