"""What has to be done instead of a region that is bypassed: `docs/concepts/obligations.md` defines each kind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from flowmap.hooks.step import Step
from flowmap.hooks.touched import Field
from flowmap.model.hooks import Obligation, ObligationKind
from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, Site
from flowmap.store.index import Index
from flowmap.store.sites import sites_running

MOST_PLACES = 12  # of sizes and of what ranks do together: enough to show it


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What is the same for every candidate: call sites of what acquires, of what all ranks do, and of what is made in a size that
    follows from the constants; and results that are taken up later, by field."""

    acquiring: tuple[Site, ...]
    together: tuple[Site, ...]
    sized: tuple[Site, ...]
    later: Mapping[Field, tuple[Place, ...]]


def obligations_of(step: Step, function: int, elsewhere: Elsewhere) -> tuple[Obligation, ...]:
    """All that has to be done otherwise where a function is bypassed, fields first, each by name."""
    region = step.region(function)
    fields = tuple(_fields(step, function, region))
    return (
        *fields,
        *_acquired(region, elsewhere.acquiring),
        *_sizes(region, elsewhere.sized),
        *_later(step, region, elsewhere.later),
        *_ranks(step, function, elsewhere.together),
    )


def _fields(step: Step, function: int, region: frozenset[int]) -> Iterator[Obligation]:
    """Fields that the region may write and that what still runs may read."""
    touched, still = step.touched, step.elsewhere(function)
    in_place = touched.written_by(region - touched.making)
    made = step.made_in(region)
    written = {field for field in touched.written_by(region) if field[0] in made or field in in_place}
    known = step.index.known({owner for owner, _ in written})
    for field in sorted(written, key=lambda each: (each[0] not in made, known[each[0]].symbol, each[1])):
        if reads := touched.where_read(field, still):
            kind = ObligationKind.RESULT if field[0] in made else ObligationKind.FIELD
            yield Obligation(kind, f"{known[field[0]].short}.{field[1]}", touched.where_written(field, region), reads)


def lives_on(kept: Collection[str], obligation: Obligation) -> bool:
    """Whether a field is one of an object that is there after the step: its class is among those that are kept in fields."""
    return obligation.kind is ObligationKind.FIELD and obligation.name.rpartition(".")[0] in kept


def _acquired(region: frozenset[int], sites: Iterable[Site]) -> Iterator[Obligation]:
    found: dict[str, list[Place]] = {}
    for site in sites:
        if site.caller.id in region:
            found.setdefault(_runs(site).short, []).append(line_of(site))
    for name, places in sorted(found.items()):
        yield Obligation(ObligationKind.RESOURCE, name, tuple(places), ())


def _sizes(region: frozenset[int], sites: Iterable[Site]) -> Iterator[Obligation]:
    """Allocations elsewhere whose size follows from the constants that the region works with."""
    outside = [site for site in sites if site.caller.id not in region]
    inside = [site for site in sites if site.caller.id in region]
    if outside:
        places = tuple(map(line_of, outside[:MOST_PLACES]))
        name = f"{len(outside)} sizes that follow from the same constants"
        yield Obligation(ObligationKind.SHAPE, name, tuple(map(line_of, inside[:MOST_PLACES])), places)


def _later(step: Step, region: frozenset[int], later: Mapping[Field, tuple[Place, ...]]) -> Iterator[Obligation]:
    """Results of the region that wait in a container until a later turn takes them up."""
    known = step.index.known({owner for owner, _ in later})
    for field, places in later.items():
        if written := step.touched.where_written(field, region):
            yield Obligation(ObligationKind.TIMING, f"{known[field[0]].short}.{field[1]}", written, places)


def _ranks(step: Step, function: int, together: Iterable[Site]) -> Iterator[Obligation]:
    """What all ranks do together below the function, machinery included: all of them have to go the same way."""
    run = step.everything.reached([function])
    places = tuple(line_of(site) for site in together if site.caller.id in run)
    if places:
        yield Obligation(ObligationKind.RANKS, f"{len(places)} collective calls", places[:MOST_PLACES], ())


def line_of(site: Site) -> Place:
    """The line of a site: accesses know no more."""
    return Place(site.place.file, site.place.line)


def sites_of_kind(index: Index, definitions: Iterable[Definition]) -> tuple[Site, ...]:
    """The call sites that run some definitions."""
    found = tuple(definitions)
    return sites_running(index, found, Confidence.INFERRED) if found else ()


def _runs(site: Site) -> Definition:
    return site.targets[0].definition
