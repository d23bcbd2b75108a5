"""The slice of a code base that an atlas is about: which functions, classes, fields, queries and files have a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flowmap.model.emit import Emission
from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.program import Confidence, Definition, DefinitionKind
from flowmap.model.query import Anchors, Query
from flowmap.model.view import View
from flowmap.query.anchors import Subject, definitions_meant, fields_meant
from flowmap.query.answer import answer_query
from flowmap.query.atlas import AtlasPlan
from flowmap.query.files import query_file
from flowmap.query.hits import Answer
from flowmap.query.read import read_query
from flowmap.query.release import names_in, public_link, release_of
from flowmap.reports.marks import Watch, WatchedField, watch_of
from flowmap.reports.phrases import short_name
from flowmap.store.accesses import accesses_of, fields_of, fields_touched, owned_by
from flowmap.store.classes import class_of
from flowmap.store.index import Index
from flowmap.store.modules import entry_points
from flowmap.store.names import named
from flowmap.store.sites import callees, most_called

_FUNCTIONS = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY)
_ALL = ".*"
_N_FUNCTIONS, _N_FIELDS = 150, 40  # of an atlas without a plan


@dataclass(frozen=True, slots=True)
class Slice:
    """What has a page. Functions, classes and files by symbol and path; fields and queries in the order of the plan."""

    title: str
    link: str
    story: Path | None
    functions: tuple[Definition, ...]
    classes: tuple[Definition, ...]
    watch: Watch
    queries: tuple[Query, ...]
    answers: tuple[Answer, ...]
    files: tuple[str, ...]
    histories: tuple[View, ...] = ()  # of names, through releases
    emissions: tuple[Emission, ...] = ()


def with_emissions(index: Index, slice_: Slice, emissions: Sequence[Emission]) -> Slice:
    """A slice with a page for each of some emitted packages, and the files that they are bound to."""
    bound = {one.place.file for made in emissions for one in made.binding.bound}
    files = tuple(sorted({*slice_.files, *(file for file in bound if index.text_lines(file))}))
    return replace(slice_, files=files, emissions=tuple(emissions))


def planned(index: Index, plan: AtlasPlan, config: Path | None) -> Slice:
    """The slice that a plan describes.

    Errors: FlowmapError with every name that nothing bears, or when a query cannot be asked.
    """
    subject = Subject(index, release_of(index.source), f"atlas {plan.name}", plan.about)
    queries = tuple(read_query(query_file(name, config)) for name in plan.queries)
    answers = tuple(answer_query(index, query) for query in queries)
    chosen = [one for _, found in definitions_meant(subject, plan.functions) for one in found]
    roots = [one for _, found in definitions_meant(subject, plan.reach.roots) for one in found]
    fields = _fields(subject, plan.fields)
    if subject.problems:
        raise FlowmapError(*dict.fromkeys(subject.problems), code=ExitCode.FINDING)
    hits = [hit.function for answer in answers for hit in answer.hits]
    functions = [*chosen, *hits, *_reached(index, roots, plan)]
    link = public_link(plan.link, release_of(index.source))
    return _slice(index, (plan.title, link, plan.story), functions, fields, (queries, answers))


def unplanned(index: Index) -> Slice:
    """The slice of a code base that nobody made a plan for: where it is entered, what is called most, and the state of that."""
    entered = [entry.definition for entry in entry_points(index)]
    functions = [one for one in (*entered, *most_called(index, _N_FUNCTIONS)) if one.kind in _FUNCTIONS][:_N_FUNCTIONS]
    touched = fields_touched(index, [one.id for one in functions])
    most = sorted(touched, key=lambda key: (-touched[key], key))[:_N_FIELDS]
    owners = index.known(owner for owner, _ in most)
    fields = [_watched(index, owners[owner], name) for owner, name in most]
    return _slice(index, (index.source, "", None), functions, [one for one in fields if one.accesses], ((), ()))


def _slice(
    index: Index,
    head: tuple[str, str, Path | None],
    functions: Iterable[Definition],
    fields: Sequence[WatchedField],
    asked: tuple[tuple[Query, ...], tuple[Answer, ...]],
) -> Slice:
    once = {one.symbol: one for one in functions if one.kind in _FUNCTIONS and one.place}
    ordered = tuple(once[symbol] for symbol in sorted(once))
    owners = [class_of(index, one) for one in ordered]
    own = [owner for field in fields for access in field.accesses for owner in access.owners]
    classes = {one.symbol: one for one in (*owners, *own) if one and one.place}
    watch = watch_of(fields)
    places = [one.place for one in (*ordered, *classes.values()) if one.place]
    hits = [hit.place for answer in asked[1] for hit in answer.hits]
    files = {place.file for place in (*places, *hits)} | set(watch.marks)
    texts = tuple(sorted(file for file in files if index.text_lines(file)))
    by_symbol = tuple(classes[symbol] for symbol in sorted(classes))
    return Slice(*head, ordered, by_symbol, watch, *asked, texts)


def _reached(index: Index, roots: Sequence[Definition], plan: AtlasPlan) -> list[Definition]:
    """The roots, and what they run, nearest first."""
    found: dict[int, Definition] = {one.id: one for one in roots}
    border = list(found)
    for _ in range(plan.reach.depth):
        near = callees(index, border, Confidence.INFERRED)
        met = dict.fromkeys(number for one in border for number in near.get(one, ()) if number not in found)
        known: Mapping[int, Definition] = index.known(met)
        border = [number for number in met if known[number].kind in _FUNCTIONS and _is_in(known[number], plan.reach.in_module)]
        found.update((number, known[number]) for number in border)
    return list(found.values())[: plan.reach.at_most]


def _is_in(one: Definition, modules: Sequence[str]) -> bool:
    return not modules or any(f".{one.module}.".find(f".{name}.") >= 0 for name in modules)


def _fields(subject: Subject, anchors: Anchors) -> list[WatchedField]:
    """The fields of a plan, `Class.*` as all fields of the class, each under its name here."""
    plain = [anchor for anchor in anchors if not anchor.names[0].text.endswith(_ALL)]
    found = {name: WatchedField(name, tuple(accesses)) for name, accesses in fields_meant(subject, tuple(plain))}
    for anchor in anchors:
        if anchor in plain:
            continue
        for name in names_in(anchor, subject.release):
            classes = [one for one in named(subject.index, name.text.removesuffix(_ALL)) if one.kind is DefinitionKind.CLASS]
            for cls in classes[:1]:
                each = (_watched(subject.index, cls, field) for field in fields_of(subject.index, cls))
                found.update({one.name: one for one in each if one.accesses and one.name not in found})
    return list(found.values())


def _watched(index: Index, cls: Definition, name: str) -> WatchedField:
    accesses = owned_by(index, cls, accesses_of(index, [name], Confidence.INFERRED))
    return WatchedField(f"{short_name(cls)}.{name}", tuple(accesses))
