"""A contract before an index: finds what its names stand for, and notes what speaks for it and against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from flowmap.model.access import Access, AccessKind, LifeStage
from flowmap.model.contract import Breach, Contract, Near
from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, Site
from flowmap.model.query import Anchor, Anchors
from flowmap.query.anchors import Found, Missing, Subject, definitions_at, field_at
from flowmap.query.hits import Hit
from flowmap.query.only import filters
from flowmap.query.release import Release
from flowmap.store.accesses import accesses_of
from flowmap.store.index import Index
from flowmap.store.names import named
from flowmap.store.sites import sites_running

_N_NEAR = 4


@dataclass(slots=True)
class Trial:
    """One contract, the index that it is held against, and what was found so far.

    `absent`: names that are not of this release, as the contract itself says.
    """

    index: Index
    release: Release | None
    contract: Contract
    prefix: str  # of the keys of breaches: the file and the contract
    breaches: list[Breach] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    meant: list[Definition] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)


def definitions_of(trial: Trial, anchors: Anchors) -> list[Found[Definition]]:
    """What each anchor stands for. One that stands for nothing breaks the contract, and is left out."""
    found = [(anchor, definitions_at(trial.index, trial.release, anchor)) for anchor in anchors]
    here = [one for anchor, one in found if not _is_missing(trial, anchor, one)]
    kept = [one for one in here if isinstance(one, Found)]
    trial.meant.extend(definition for one in kept for definition in one.meant)
    return kept


def fields_of(trial: Trial) -> list[Found[Access]]:
    """The accesses of each field that the contract speaks of, under the name that it has here."""
    anchors = trial.contract.fields
    found = [(anchor, field_at(trial.index, trial.release, anchor)) for anchor in anchors]
    return [one for anchor, one in found if not _is_missing(trial, anchor, one) and isinstance(one, Found)]


def sites_of_calls(trial: Trial, called: Iterable[Definition]) -> list[Site]:
    """The sites that may run one of these, and count."""
    sites = sites_running(trial.index, called, Confidence.INFERRED)
    hits = _counting(trial, [Hit("", site, Confidence.PROVEN) for site in sites])
    return [hit.found for hit in hits if isinstance(hit.found, Site)]


def reads(trial: Trial, found: Sequence[Access]) -> list[Access]:
    """The reads among accesses of a field, those that count."""
    return _accesses(trial, [one for one in found if one.kind is AccessKind.READ])


def writes(trial: Trial, found: Sequence[Access]) -> list[Access]:
    """What changes a field, in place too, and counts; a declaration in the body of a class changes nothing."""
    kinds = (AccessKind.WRITE, AccessKind.AUGWRITE, AccessKind.MUTATE)
    return _accesses(trial, [one for one in found if one.kind in kinds and one.stage is not LifeStage.DECLARED])


def is_within(symbol: str, definitions: Iterable[Definition]) -> bool:
    """Whether a symbol is one of these, or stands inside one: a function in a function, a method in a class or module."""
    return any(symbol == one.symbol or symbol.startswith(f"{one.symbol}.") for one in definitions)


def breach(trial: Trial, about: str, what: str, place: Place | None) -> None:
    """Note that the contract is broken. `about` tells this breach from the others of the contract in every release."""
    trial.breaches.append(Breach(f"{trial.prefix}: {about}", what, place))


def breach_beside(trial: Trial, told: Breach, lead: str, near: Sequence[Near]) -> None:
    """Note that the contract is broken, and what stands near. The key of `told` lacks the contract."""
    shown = tuple(near[:_N_NEAR])
    trial.breaches.append(Breach(f"{trial.prefix}: {told.key}", told.what, told.place, lead, shown, len(near) - len(shown)))


def by_symbol(definitions: Iterable[Definition]) -> dict[str, list[Definition]]:
    """Definitions that share a symbol (a property's parts, both arms of an `if`) are one thing."""
    found: dict[str, list[Definition]] = {}
    for one in definitions:
        found.setdefault(one.symbol, []).append(one)
    return found


def place_of(definitions: Iterable[Definition]) -> Place | None:
    """The place of the first that has one."""
    return next((one.place for one in definitions if one.place), None)


def short(definition: Definition) -> str:
    """A definition as a sentence names it: without its module."""
    if definition.symbol == definition.module:
        return definition.symbol
    return definition.symbol.removeprefix("ext:").removeprefix(f"{definition.module}.").replace(".<locals>", "")


def where_called(sites: Iterable[Site]) -> list[Near]:
    """The functions that call, each with its first call."""
    found: dict[str, Near] = {}
    for site in sites:
        found.setdefault(site.caller.symbol, Near(short(site.caller), site.place))
    return list(found.values())


def _accesses(trial: Trial, found: Sequence[Access]) -> list[Access]:
    hits = _counting(trial, [Hit("", access, access.confidence) for access in found])
    return [hit.found for hit in hits if isinstance(hit.found, Access)]


def _counting(trial: Trial, hits: Sequence[Hit]) -> list[Hit]:
    subject = Subject(trial.index, trial.release, f"contract {trial.contract.name}", "")
    conditions = filters(subject, trial.contract.only)
    return [hit for hit in hits if all(counts(hit) for counts in conditions)]


def _is_missing(trial: Trial, anchor: Anchor, one: Found[Definition] | Found[Access] | Missing) -> bool:
    if not isinstance(one, Missing):
        return False
    if one.is_told:
        trial.absent.append(str(anchor))
        return True
    is_field = anchor in trial.contract.fields
    near = _owners_now(trial.index, anchor) if is_field else []
    near += [_near_field(trial.index, name) if is_field else _near(trial.index, name) for name in one.near]
    near = list({each.name: each for each in near}.values())
    noun = "no field is called" if is_field else "nothing is called"
    told = Breach(f"no {anchor}", f"{noun} {anchor}", place_of_near(near, anchor))
    breach_beside(trial, told, "did you mean" if near else "", near)
    return True


def place_of_near(near: Sequence[Near], anchor: Anchor) -> Place | None:
    """Where a thing that is gone may be now: the nearest that bears the last part of one of its names."""
    lasts = {name.text.rpartition(".")[2] for name in anchor.names}
    return next((each.place for each in near if each.name.rpartition(".")[2] in lasts), None)


def _near(index: Index, name: str) -> Near:
    return Near(name, place_of(named(index, name)))


def _owners_now(index: Index, anchor: Anchor) -> list[Near]:
    """The fields of the same name that other classes have."""
    found: dict[str, Near] = {}
    for name in dict.fromkeys(name.text.rpartition(".")[2] for name in anchor.names):
        for access in accesses_of(index, [name], Confidence.INFERRED):
            for owner in access.owners:
                found.setdefault(owner.symbol, Near(f"{short(owner)}.{name}", access.place))
    return list(found.values())


def _near_field(index: Index, name: str) -> Near:
    return Near(name, next((access.place for access in accesses_of(index, [name], Confidence.INFERRED)), None))
