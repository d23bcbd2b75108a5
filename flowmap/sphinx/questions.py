"""What a page asks: one frozen question for each kind of directive and role, and the report that answers it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never, cast

from flowmap.hooks.read import question_file, read_question
from flowmap.model.annotated import AnnotatedSource
from flowmap.model.graph import Graph, GraphKind
from flowmap.model.place import Place
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.program import Confidence, DefinitionKind
from flowmap.model.query import Query
from flowmap.model.view import View
from flowmap.query.files import query_file
from flowmap.query.read import read_query
from flowmap.reports.annotated import annotated_slice
from flowmap.reports.class_orders import mro
from flowmap.reports.fields import accesses_asked, asked_field
from flowmap.reports.flow import FlowQuestion, flow
from flowmap.reports.graph import graph, graph_view
from flowmap.reports.graph_calls import path_graph
from flowmap.reports.graph_parts import GraphQuestion
from flowmap.reports.graph_query import query_graph
from flowmap.reports.hooks import answered, hooks
from flowmap.reports.marks import watch
from flowmap.reports.paths import PathsQuestion, paths
from flowmap.reports.phrases import Detail, short_name
from flowmap.reports.query import query
from flowmap.reports.show import ShowRecord, past_the_end, show
from flowmap.reports.site_lists import ListQuestion
from flowmap.reports.state import StateQuestion, state
from flowmap.reports.subjects import find
from flowmap.reports.trace import Direction, TraceQuestion, trace, trace_limits
from flowmap.reports.watch import watching
from flowmap.sphinx.subject import WHOLE, Assumed, Subject
from flowmap.store.classes import head_of
from flowmap.store.index import Index


@dataclass(frozen=True, slots=True)
class DrawnQuestion:
    """What a graph shows; `kind` is None for the one that suits the name."""

    asked: GraphQuestion | PathsQuestion
    kind: GraphKind | None


@dataclass(frozen=True, slots=True)
class TracedQuestion:
    """Which function is traced, which way, how far (None: as far as suits), and which fields are watched on the way."""

    name: str
    direction: Direction
    depth: int | None
    stop_at: tuple[str, ...]
    watched: tuple[str, ...]
    confidence: Confidence
    detail: Detail


@dataclass(frozen=True, slots=True)
class OrderQuestion:
    """The order of a class."""

    name: str
    detail: Detail


@dataclass(frozen=True, slots=True)
class FileQuestion:
    """A question out of a file: a path, or the name of a query."""

    name: str
    detail: Detail


@dataclass(frozen=True, slots=True)
class HooksQuestion:
    """A question about hooks out of a file, under some profiles; without any under those that the file names."""

    name: str
    profiles: tuple[str, ...]
    detail: Detail


@dataclass(frozen=True, slots=True)
class SourceQuestion:
    """A slice of source, and the fields that are marked in it."""

    asked: ListQuestion
    watched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """What a slice of source shows besides its text and calls: `marks` as (line, what is done, field)."""

    shown: ShowRecord
    marks: tuple[tuple[int, str, str], ...]


Text = tuple[str, ...]  # the lines of a file
Lists = OrderQuestion | FileQuestion | HooksQuestion | SourceQuestion
Reported = TracedQuestion | PathsQuestion | DrawnQuestion | StateQuestion | FlowQuestion | Lists


@dataclass(frozen=True, slots=True)
class Meant:
    """What a name means: `type` is one of the domain's, `symbol` the whole name, `place` where it is defined."""

    type: str
    symbol: str
    shown: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class NameQuestion:
    """What a name that a page mentions means; `type` is the type of object that it names."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the configuration that it is asked for."""

    question: Reported | NameQuestion
    assumed: Assumed


def reported(subject: Subject, question: Reported, assumed: Assumed) -> View:
    """The answer of a report. Errors: FlowmapError when a name is unknown or ambiguous, or nothing answers."""
    index = subject.index(assumed)
    match question:
        case TracedQuestion():
            return _traced(index, question)
        case PathsQuestion():
            return paths(index, question)
        case DrawnQuestion():
            return graph_view(index, _drawn(subject, index, question))
        case StateQuestion():
            return state(index, question)
        case FlowQuestion():
            return flow(index, question)
        case OrderQuestion(name, detail):
            return mro(index, name, detail)
        case FileQuestion(name, detail):
            return query(index, _read(subject, name), detail)
        case SourceQuestion():
            return _source(index, question)
        case HooksQuestion():
            return _hooks(subject, index, question)
        case _:
            assert_never(question)


def _traced(index: Index, asked: TracedQuestion) -> View:
    up, down = trace_limits(asked.depth, asked.stop_at, asked.confidence, asked.detail)
    question = TraceQuestion(asked.name, asked.direction, up, down, asked.detail, watched=asked.watched)
    return trace(index, watching(index, question))


def _source(index: Index, question: SourceQuestion) -> View:
    view = show(index, question.asked)
    shown = cast(ShowRecord, view.record)
    marks = ((line.number, mark.kind.value, mark.field) for line in _lines(index, question, shown).lines for mark in line.marks)
    return replace(view, record=SourceRecord(shown, tuple(marks)))


def annotated_source(subject: Subject, question: SourceQuestion, assumed: Assumed, view: View) -> tuple[AnnotatedSource, Text]:
    """The annotated lines of a slice whose View is known, and the whole text of the file."""
    index, shown = subject.index(assumed), cast(SourceRecord, view.record).shown
    return _lines(index, question, shown), index.text_lines(shown.file)


def lines_missing(view: View) -> FlowmapError | None:
    """What is wrong with a slice of source that ends after its file does; None where all of it is there."""
    shown = cast(SourceRecord, view.record).shown
    said = past_the_end(shown)
    fix = f"Write {shown.file}:{shown.first}-{shown.last}, or the name of what is to be shown."
    return FlowmapError(Problem(shown.file, said.removeprefix(f"{shown.file} "), fix)) if said else None


def _lines(index: Index, question: SourceQuestion, shown: ShowRecord) -> AnnotatedSource:
    return annotated_slice(index, shown.file, range(shown.first, shown.last + 1), watch(index, question.watched))


def _hooks(subject: Subject, index: Index, question: HooksQuestion) -> View:
    file = question_file(_seen_from(subject.folder, question.name), subject.choice().config)
    asked = read_question(file)
    answers = answered(asked, index, lambda profile: subject.index(Assumed(profile)), question.profiles)
    return hooks(asked, answers, index.source, question.detail)


def _read(subject: Subject, name: str) -> Query:
    return read_query(query_file(_seen_from(subject.folder, name), subject.choice().config))


def _drawn(subject: Subject, index: Index, question: DrawnQuestion) -> Graph:
    asked = question.asked
    if isinstance(asked, PathsQuestion):
        return path_graph(index, asked)
    is_query = question.kind is GraphKind.QUERY
    return query_graph(index, _read(subject, asked.name), asked) if is_query else graph(index, asked, question.kind)


def meant(subject: Subject, question: NameQuestion) -> Meant:
    """What a name means. Errors: FlowmapError when it is unknown or ambiguous."""
    index = subject.index(WHOLE)
    return _field(index, question.name) if question.type == FIELD else _definition(index, question)


FUNCTION, CLASS, FIELD = "function", "class", "field"  # the types of objects


def _definition(index: Index, question: NameQuestion) -> Meant:
    one = head_of(find(index, question.name))
    return Meant(CLASS if one.kind is DefinitionKind.CLASS else FUNCTION, one.symbol, short_name(one), one.place)


def _field(index: Index, name: str) -> Meant:
    """A field of one class, or, where no class is named, of all that have one of this name."""
    asked = asked_field(index, name, None)
    accesses = accesses_asked(index, [asked], Confidence.POSSIBLE)
    place = accesses[0].place if accesses else None
    if asked.owner is None:
        return Meant(FIELD, asked.name, asked.name, place)
    return Meant(FIELD, f"{asked.owner.symbol}.{asked.name}", f"{short_name(asked.owner)}.{asked.name}", place)


def digest(subject: Subject, asked: Asked) -> str:
    """Changes when the answer to a question does, the places in it, or what is wrong with the question."""
    try:
        if isinstance(asked.question, NameQuestion):
            return digest_of(meant(subject, asked.question))
        return digest_of(reported(subject, asked.question, asked.assumed))
    except FlowmapError as error:
        return digest_of(error)


def digest_of(answer: View | Meant | FlowmapError) -> str:
    """Changes with the content of an answer."""
    text = str(answer) if isinstance(answer, FlowmapError) else repr(answer)
    return hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()


def _seen_from(folder: Path, name: str) -> str:
    """A path as seen from a folder; the name of a query stays."""
    return str(folder / name) if (folder / name).is_file() else name
