"""Answers a query out of an index, and holds the answer to what is expected of it."""

from __future__ import annotations

from collections.abc import Iterator

from flowmap.model.access import Access
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence
from flowmap.model.query import EVERYTHING, Expectation, Find, Query
from flowmap.query.anchors import Subject, definitions_meant, fields_meant, is_called
from flowmap.query.hits import Answer, Answered, Hit
from flowmap.query.only import filters
from flowmap.query.release import Release, is_elsewhere, release_of, version_in
from flowmap.store.index import Index
from flowmap.store.sites import sites_of, sites_running


def answer_query(index: Index, query: Query) -> Answer:
    """What a query finds in an index.

    Errors: FlowmapError when the query is about another project, or with every name that nothing bears.
    """
    release = release_of(index.source)
    if is_elsewhere(query, release):
        what = f"asks about {query.about}, and this is {index.source}"
        raise FlowmapError(Problem(f"query {query.name}", what, f"--source pypi:{query.about}==VERSION asks it of that."))
    subject = Subject(index, release, f"query {query.name}", query.about)
    parts = tuple(_part(subject, find) for find in query.finds)
    if subject.problems:
        raise FlowmapError(*dict.fromkeys(subject.problems), code=ExitCode.FINDING)
    return Answer(query, parts)


def accesses_found(answer: Answer) -> tuple[Access, ...]:
    """The accesses of fields among the answers, by file, line and column.

    Errors: FlowmapError when the query looks for none.
    """
    if not any(find.fields for find in answer.query.finds):
        what = "looks for no fields, so it has no accesses"
        raise FlowmapError(Problem(f"query {answer.query.name}", what, f"flowmap query {answer.query.name}"))
    found = [hit.found for hit in answer.hits if isinstance(hit.found, Access)]
    return tuple(sorted(found, key=lambda access: access.place))


def expectation_for(query: Query, release: Release | None) -> Expectation | None:
    """What is expected of a query in a release; None where nothing is."""
    if release is None or is_elsewhere(query, release):
        return None
    return next((one for one in query.expectations if version_in(one.release) == release.version), None)


def unmet(answer: Answer, expected: Expectation) -> tuple[str, ...]:
    """What is not as expected; () where all is."""
    return tuple(_unmet(answer, expected))


def _unmet(answer: Answer, expected: Expectation) -> Iterator[str]:
    hits = answer.hits
    if len(hits) < expected.at_least:
        yield f"{len(hits)} answers, at least {expected.at_least} are expected"
    if 0 <= expected.at_most < len(hits):
        yield f"{len(hits)} answers, at most {expected.at_most} are expected"
    functions = {hit.function.id: hit.function for hit in hits}.values()
    for name in expected.in_functions:
        if not any(is_called(function, name) for function in functions):
            yield f"no answer in {name}, where one is expected"
    for name in expected.not_in_functions:
        if any(is_called(function, name) for function in functions):
            yield f"an answer in {name}, where none is expected"


def _part(subject: Subject, find: Find) -> Answered:
    first_note, first_absent = len(subject.notes), len(subject.absent)
    hits = [*_accesses(subject, find), *_calls(subject, find), *_functions(subject, find)]
    conditions = filters(subject, find.only)
    counted = tuple(hit for hit in hits if all(counts(hit) for counts in conditions))
    absent = tuple(dict.fromkeys(subject.absent[first_absent:]))
    return Answered(find, counted, tuple(dict.fromkeys(subject.notes[first_note:])), absent)


def _accesses(subject: Subject, find: Find) -> Iterator[Hit]:
    for name, found in fields_meant(subject, find.fields):
        yield from (Hit(name, access, access.confidence) for access in found)


def _calls(subject: Subject, find: Find) -> Iterator[Hit]:
    everything = tuple(anchor for anchor in find.calls if any(name.text == EVERYTHING for name in anchor.names))
    if everything:
        for name, functions in definitions_meant(subject, find.only.in_function):
            sites = sites_of(subject.index, functions, Confidence.INFERRED)
            yield from (Hit(name, site, Confidence.PROVEN) for site in sorted(sites, key=lambda site: site.id))
    for name, found in definitions_meant(subject, tuple(anchor for anchor in find.calls if anchor not in everything)):
        ids = {one.id for one in found}
        for site in sites_running(subject.index, found, Confidence.INFERRED):
            strengths = {target.confidence for target in (*site.targets, *site.makes) if target.definition.id in ids}
            yield Hit(name, site, min(strengths, key=list(Confidence).index))


def _functions(subject: Subject, find: Find) -> Iterator[Hit]:
    for name, found in definitions_meant(subject, find.functions):
        yield from (Hit(name, one, Confidence.PROVEN) for one in found if one.place is not None)
