"""Answers a question about hooks out of an index: finds the candidates, and judges each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flowmap.follow.given import Given, calls_given
from flowmap.hooks.candidates import candidates_of
from flowmap.hooks.criteria import Case, covered_by, judged
from flowmap.hooks.later import taken_up_later
from flowmap.hooks.obligations import Elsewhere, line_of, obligations_of, sites_of_kind
from flowmap.hooks.roles import Known, role_of
from flowmap.hooks.step import Step, step_of
from flowmap.hooks.touched import Field
from flowmap.hooks.weights import Weights, weights
from flowmap.model.hooks import Candidate, Criterion, HookPoints, HookQuestion, HookRole, Sight, Standing, Verdict
from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, Site
from flowmap.model.query import Anchors
from flowmap.query.anchors import Subject, definitions_meant, fields_meant
from flowmap.query.release import release_of
from flowmap.store.index import Index
from flowmap.store.names import named
from flowmap.store.sites import sites_running


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question names, found in the index of one configuration; `whole` is the index without assumptions."""

    step: Step
    whole: Index
    known: Known
    elsewhere: Elsewhere
    recorded: frozenset[int]
    sized: frozenset[int]
    signals: Mapping[str, tuple[Field, ...]]
    notes: tuple[str, ...]


def hook_points(index: Index, whole: Index, question: HookQuestion) -> HookPoints:
    """The candidates for a question in one configuration, the best first. `whole` is the index of the same subject without
    assumptions: all call sites that there are come from it.

    Errors: FlowmapError when a name is unknown, or no entry point reaches an operation.
    """
    asked = _asked(step_of(index, question), whole, question)
    found = candidates_of(asked.step)
    definitions = {one.id: one for one in index.definitions(found)}
    judged_ones = (_candidate(asked, definitions[one], standing, weights()) for one, standing in found.items())
    return HookPoints(
        profile=index.configuration,
        entries=tuple(index.definitions(asked.step.entries)),
        operations=tuple(index.definitions(asked.step.operations)),
        candidates=tuple(sorted((one for one in judged_ones if one), key=_rank)),
        notes=(*asked.step.notes, *asked.notes),
    )


def _rank(candidate: Candidate) -> tuple[int, int, int, float, str]:
    """The best first: by verdict, points, what it covers, the ways through it."""
    verdict = list(Verdict).index(candidate.verdict)
    return verdict, -candidate.points, -len(candidate.covers), -candidate.share, candidate.definition.symbol


def _asked(step: Step, whole: Index, question: HookQuestion) -> Asked:
    index = step.index
    subject = Subject(index, release_of(index.source), question.name, question.about)
    acquiring = sites_of_kind(index, _definitions(subject, question.acquires))
    given = _given(subject, question.constants)
    sized = tuple(site for site in sites_of_kind(index, _definitions(subject, question.sizes)) if given.holds(site))
    return Asked(
        step=step,
        whole=whole,
        known=Known(
            acquiring=frozenset(site.caller.id for site in acquiring),
            signals=frozenset(field for signal in question.signals for field in _fields(subject, signal.fields)),
        ),
        elsewhere=Elsewhere(
            acquiring=acquiring,
            together=sites_of_kind(index, _definitions(subject, question.collectives)),
            sized=sized,
            later=taken_up_later(step, _fields(subject, question.results)),
        ),
        recorded=step.everything.reached(one.id for one in _definitions(subject, question.records)),
        sized=frozenset(function for function, _, _ in given.calls),
        signals={signal.name: _fields(subject, signal.fields) for signal in question.signals},
        notes=(*given.notes, *subject.notes, *(f"not found, and so not counted: {each}" for each in _missing(subject))),
    )


def _missing(subject: Subject) -> Iterator[str]:
    yield from (problem.what for problem in subject.problems)
    yield from subject.absent


def _definitions(subject: Subject, anchors: Anchors) -> list[Definition]:
    return [one for _, found in definitions_meant(subject, anchors) for one in found]


def _fields(subject: Subject, anchors: Anchors) -> tuple[Field, ...]:
    owned = ((owner.id, one.field) for _, found in fields_meant(subject, anchors) for one in found for owner in one.owners)
    return tuple(dict.fromkeys(owned))


def _given(subject: Subject, constants: Anchors) -> Given:
    fields = _fields(subject, constants)
    return calls_given(subject.index, fields) if fields else Given(frozenset(), ())


def _candidate(asked: Asked, definition: Definition, standing: Standing, weighing: Weights) -> Candidate | None:
    step = asked.step
    role = role_of(step, definition.id, standing, asked.known)
    if role is None:
        return None
    live = sites_running(step.index, [definition], Confidence.INFERRED)
    sees = tuple(_sights(asked, definition))
    obligations = obligations_of(step, definition.id, asked.elsewhere)
    region = step.region(definition.id)
    sizes = tuple(line_of(site) for site in asked.elsewhere.sized if site.caller.id not in region)
    static = _static(asked.whole, definition)
    case = Case(step, definition, standing, role, obligations, static, live, sees, asked.recorded, asked.sized, sizes)
    criteria = judged(case, weighing)
    points = sum(one.points for one in criteria)
    return Candidate(
        definition=definition,
        standing=standing,
        role=role,
        verdict=_verdict(criteria, points, weighing),
        points=points,
        share=step.shares.get(definition.id, 0.0),
        covers=tuple(covered_by(step, definition.id)) if role is HookRole.SKIP else (),
        call_sites=static,
        live_call_sites=_places(live),
        sees=sees,
        obligations=obligations,
        criteria=criteria,
    )


def _verdict(criteria: Iterable[Criterion], points: int, weighing: Weights) -> Verdict:
    return Verdict.INFEASIBLE if any(one.bars for one in criteria) else weighing.verdict(points)


def _static(whole: Index, definition: Definition) -> tuple[Place, ...]:
    same = [one for one in named(whole, definition.symbol) if one.place == definition.place]
    return _places(sites_running(whole, same, Confidence.INFERRED)) if same else ()


def _places(sites: Sequence[Site]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(map(line_of, sites)))


def _sights(asked: Asked, definition: Definition) -> Iterator[Sight]:
    """The signals that can be read in a function: it reads the field, or has the object whose field it is in its hands."""
    touched, own = asked.step.touched, [definition.id]
    held: dict[int, Place] = {}
    for field in sorted(touched.read_by(own) | touched.written_by(own)):
        held.setdefault(field[0], (touched.where_read(field, own) or touched.where_written(field, own))[0])
    known = asked.step.index.known(owner for fields in asked.signals.values() for owner, _ in fields)
    for signal, fields in asked.signals.items():
        for field in fields:
            read = touched.where_read(field, own)
            place = read[0] if read else held.get(field[0])
            if place:
                yield Sight(signal, f"{known[field[0]].short}.{field[1]}", place)
