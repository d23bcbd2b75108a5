"""`flowmap queries`: the questions that have names, and whether they are answered as their files expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.problem import FlowmapError
from flowmap.model.query import Query
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.query.answer import answer_query, expectation_for, unmet
from flowmap.query.read import ReadFile
from flowmap.query.release import Release, is_elsewhere, release_of
from flowmap.reports.phrases import GAP, count, note
from flowmap.store.index import Index

_NO_SOURCE = "the queries, whatever the source"


class Verdict(StrEnum):
    """What came of a query."""

    EXPECTED = "as expected"
    UNEXPECTED = "not as expected"
    ANSWERED = "answered"  # and nothing is expected of it in this release
    ELSEWHERE = "not asked"  # it is about another project
    WRONG = "cannot be answered"  # its file is wrong, or a name in it is gone


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """A query. `releases`: those of which it says what it expects. `problems`: why it cannot be asked."""

    name: str
    question: str
    about: str
    file: str
    releases: tuple[str, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """What came of a query. `n_answers` is -1 where it was not answered; `why` says what is not as expected."""

    name: str
    verdict: Verdict
    n_answers: int
    why: tuple[str, ...]


def listed(read: Sequence[ReadFile]) -> View:
    """All queries with their questions."""
    nodes = tuple(_listed(one) for one in read)
    record = tuple(_listed_record(one) for one in read)
    blocks: tuple[Block, ...] = (Tree(nodes),) if nodes else (Paragraph((note("there is none"),)),)
    title = (note(count(len(read), "query", "queries")),)
    return View(title, blocks, record, _NO_SOURCE, ("flowmap query NAME answers one",) if nodes else ())


def checked(index: Index, read: Sequence[ReadFile]) -> View:
    """Every query put to an index, and its answer held to what is expected of that release. The record says what came of each."""
    release = release_of(index.source)
    record = tuple(_checked(index, one, release) for one in read)
    counts = [f"{sum(one.verdict is verdict for one in record)} {verdict.value}" for verdict in _met(record)]
    title = (note(f"{count(len(record), 'query', 'queries')}: {', '.join(counts)}"),)
    asked = [one for one in record if one.verdict is not Verdict.ELSEWHERE]
    others = sorted({one.query.about for one in read if one.query} - {""}) if len(asked) < len(record) else ()
    notes = (f"not asked: those about {', '.join(others)}",) if others else ()
    return View(title, (Tree(tuple(map(_outcome, asked))),) if asked else (), record, index.source, notes)


def is_as_expected(view: View) -> bool:
    """Whether no query of a check fails."""
    records = view.record if isinstance(view.record, tuple) else ()
    return not any(one.verdict in (Verdict.UNEXPECTED, Verdict.WRONG) for one in records)


def _met(record: Sequence[CheckedRecord]) -> list[Verdict]:
    return [verdict for verdict in Verdict if any(one.verdict is verdict for one in record)]


def _listed(one: ReadFile) -> TreeNode:
    if one.query is None:
        below = tuple((Span(str(problem), Role.WARNING),) for problem in one.problems)
        return TreeNode((Span(one.file.name, Role.CODE), GAP, Span("cannot be read", Role.WARNING)), (), below)
    about = (GAP, note(f"about {one.query.about}")) if one.query.about else ()
    return TreeNode((Span(one.file.name, Role.CODE), *about), (), ((Span("  "), Span(one.query.question)),))


def _listed_record(one: ReadFile) -> ListedRecord:
    query = one.query or Query(one.file.name, "", "", (), (), ())
    releases = tuple(expected.release for expected in query.expectations)
    return ListedRecord(query.name, query.question, query.about, one.file.shown, releases, tuple(map(str, one.problems)))


def _checked(index: Index, one: ReadFile, release: Release | None) -> CheckedRecord:
    query = one.query
    if query is None:
        return CheckedRecord(one.file.name, Verdict.WRONG, -1, tuple(map(str, one.problems)))
    if is_elsewhere(query, release) or (query.about and release is None):
        return CheckedRecord(query.name, Verdict.ELSEWHERE, -1, (f"it is about {query.about}",))
    try:
        answer = answer_query(index, query)
    except FlowmapError as error:
        return CheckedRecord(query.name, Verdict.WRONG, -1, tuple(map(str, error.problems)))
    expected = expectation_for(query, release)
    if expected is None:
        return CheckedRecord(query.name, Verdict.ANSWERED, len(answer.hits), ())
    why = unmet(answer, expected)
    return CheckedRecord(query.name, Verdict.UNEXPECTED if why else Verdict.EXPECTED, len(answer.hits), why)


def _outcome(one: CheckedRecord) -> TreeNode:
    failed = one.verdict in (Verdict.UNEXPECTED, Verdict.WRONG)
    verdict = Span(one.verdict.value, Role.WARNING if failed else Role.NOTE)
    n_answers: Line = (GAP, note(count(one.n_answers, "answer"))) if one.n_answers >= 0 else ()
    below = tuple((Span("  "), Span(text)) for why in one.why for text in why.split("\n"))
    return TreeNode((Span(one.name, Role.CODE), GAP, verdict, *n_answers), (), below)
