"""Contracts about calls: who calls what, who does not, where alone, in which order and under which guard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from flowmap.contracts.trial import (
    Trial,
    breach,
    breach_beside,
    by_symbol,
    definitions_of,
    is_within,
    place_of,
    short,
    sites_of_calls,
    where_called,
)
from flowmap.model.contract import Breach, Distance, Near
from flowmap.model.program import Confidence, Definition, Site
from flowmap.query.anchors import Found
from flowmap.query.only import is_in, saying
from flowmap.store.index import Index
from flowmap.store.reach import reached_from
from flowmap.store.sites import callees, sites_of

_NO_WAY: tuple[int, ...] = ()


def calls(trial: Trial) -> None:
    """FUNCTION calls NAME itself: each function that the name means does."""
    for inside, called in _pairs(trial):
        sites = sites_of_calls(trial, called.meant)
        for symbol, definitions in by_symbol(inside.meant).items():
            own = [site for site in sites if is_within(site.caller.symbol, definitions)]
            trial.places.extend(site.place for site in own)
            if not own:
                what = f"{short(definitions[0])} does not call {called.name}"
                told = Breach(f"{symbol} calls {called.name}", what, place_of(definitions))
                breach_beside(trial, told, "it is called in" if sites else "it is called nowhere", where_called(sites))


def reaches(trial: Trial) -> None:
    """NAME runs when FUNCTION does, however far away."""
    for inside, called in _pairs(trial):
        sites = sites_of_calls(trial, called.meant)
        for symbol, definitions in by_symbol(inside.meant).items():
            reached = reached_from(trial.index, definitions)
            found = [site for site in sites if site.caller.id in reached]
            trial.places.extend(site.place for site in found)
            if not found:
                what = f"{short(definitions[0])} does not reach {called.name}"
                told = Breach(f"{symbol} reaches {called.name}", what, place_of(definitions))
                breach_beside(trial, told, "it is called in" if sites else "it is called nowhere", where_called(sites))


def never_calls(trial: Trial) -> None:
    """NAME does not run when FUNCTION does; FUNCTION does not call it itself where the distance is `direct`."""
    is_direct = trial.contract.distance is Distance.DIRECT
    for inside, called in _pairs(trial):
        sites = sites_of_calls(trial, called.meant)
        for symbol, definitions in by_symbol(inside.meant).items():
            reached = reached_from(trial.index, definitions)
            found = [
                site
                for site in sites
                if is_within(site.caller.symbol, definitions) or (not is_direct and site.caller.id in reached)
            ]
            trial.places.extend(place for place in (place_of(definitions),) if place and not found)
            if found:
                _never(trial, symbol, definitions, (called.name, found))


def _never(trial: Trial, symbol: str, definitions: Sequence[Definition], found: tuple[str, Sequence[Site]]) -> None:
    name, sites = found
    nearest, way = min(
        ((site, _way(trial.index, definitions, site.caller)) for site in sites), key=lambda pair: (len(pair[1]), pair[0].id)
    )
    through = [short(one) for one in trial.index.definitions(way[1:])]
    what = f"{short(definitions[0])} calls {name}{', through ' if through else ''}{' → '.join(through)}"
    told = Breach(f"{symbol} calls {name}", what, nearest.place)
    others = where_called(site for site in sites if site.caller.id != nearest.caller.id)
    breach_beside(trial, told, "and it runs from" if others else "", others)


def _way(index: Index, starts: Iterable[Definition], goal: Definition) -> tuple[int, ...]:
    """The ids from a start to a function, the shortest way; the goal alone where it stands inside a start."""
    came: dict[int, int] = {one.id: -1 for one in starts}
    waiting = list(came)
    while waiting and goal.id not in came:
        below = callees(index, waiting, Confidence.INFERRED)
        fresh = {called: caller for caller in reversed(waiting) for called in below.get(caller, _NO_WAY) if called not in came}
        came.update(fresh)
        waiting = sorted(fresh)
    way, at = [goal.id], came.get(goal.id, -1)
    while at >= 0:
        way.append(at)
        at = came[at]
    return tuple(reversed(way))


def calls_in_order(trial: Trial) -> None:
    """FUNCTION calls the first NAME before the second, and so on: of each the first call in its body counts."""
    called = definitions_of(trial, trial.contract.of)
    for inside in definitions_of(trial, trial.contract.inside):
        for symbol, definitions in by_symbol(inside.meant).items():
            own = sites_of(trial.index, definitions, Confidence.INFERRED)
            firsts = [(one.name, _first(own, one.meant)) for one in called]
            for name, site in firsts:
                if site is None:
                    breach(
                        trial, f"{symbol} calls {name}", f"{short(definitions[0])} does not call {name}", place_of(definitions)
                    )
            there = [(name, site) for name, site in firsts if site is not None]
            trial.places.extend(site.place for _, site in there)
            for (earlier, first), (later, second) in pairwise(there):
                if own.index(first) > own.index(second):
                    what = f"{short(definitions[0])} calls {later} before {earlier}"
                    breach(trial, f"{symbol} calls {earlier} before {later}", what, second.place)


def _first(sites: Sequence[Site], called: Iterable[Definition]) -> Site | None:
    ids = {one.id for one in called}
    return next((site for site in sites if any(target.definition.id in ids for target in (*site.targets, *site.makes))), None)


def only_call_site(trial: Trial) -> None:
    """NAME is called at one site, and that stands in FUNCTION."""
    inside = [definition for one in definitions_of(trial, trial.contract.inside) for definition in one.meant]
    for called in definitions_of(trial, trial.contract.of):
        sites = sites_of_calls(trial, called.meant)
        own = [site for site in sites if is_within(site.caller.symbol, inside)]
        trial.places.extend(site.place for site in own)
        _outside(trial, called.name, _others(sites, own), ", too" if own else "")
        for number, site in enumerate(own[1:], start=2):
            what = f"{called.name} is called in {short(site.caller)} {len(own)} times"
            breach(trial, f"{called.name} in {site.caller.symbol}, {number}", what, site.place)
        if inside and not own:
            what = f"{called.name} is not called in {short(inside[0])}{'' if sites else ', nor anywhere'}"
            breach(trial, f"{called.name} not in {inside[0].symbol}", what, place_of(inside))


def called_only_in(trial: Trial) -> None:
    """NAME is called in these functions, classes and modules alone."""
    inside = [definition for one in definitions_of(trial, trial.contract.inside) for definition in one.meant]
    for called in definitions_of(trial, trial.contract.of):
        sites = sites_of_calls(trial, called.meant)
        own = [site for site in sites if is_allowed(trial, site.caller, inside)]
        trial.places.extend(site.place for site in own)
        _outside(trial, called.name, _others(sites, own), ", too" if own else "")


def _outside(trial: Trial, name: str, sites: Sequence[Site], ending: str) -> None:
    for symbol in dict.fromkeys(site.caller.symbol for site in sites):
        same = [site for site in sites if site.caller.symbol == symbol]
        times = f", {len(same)} times" if len(same) > 1 else ""
        breach(trial, f"{name} in {symbol}", f"{name} is called in {short(same[0].caller)}{times}{ending}", same[0].place)


def _others(sites: Sequence[Site], own: Iterable[Site]) -> list[Site]:
    ids = {site.id for site in own}
    return [site for site in sites if site.id not in ids]


def is_allowed(trial: Trial, function: Definition, inside: Iterable[Definition]) -> bool:
    """Whether something may happen in a function: it stands inside one of these, or in one of the contract's modules."""
    modules = trial.contract.modules
    return is_within(function.symbol, inside) or (bool(modules) and is_in(function.module, modules))


def guarded_by(trial: Trial) -> None:
    """Each call of NAME, in FUNCTION where one is named, has a guard that contains the text."""
    inside = [definition for one in definitions_of(trial, trial.contract.inside) for definition in one.meant]
    wanted, texts = saying(trial.contract.guards), " or ".join(f"`{text}`" for text in trial.contract.guards)
    for called in definitions_of(trial, trial.contract.of):
        sites = sites_of_calls(trial, called.meant)
        own = [site for site in sites if not trial.contract.inside or is_within(site.caller.symbol, inside)]
        for site in own:
            guards = (*site.guards, *site.expr_guards, *site.early_exit_guards)
            if any(wanted.search(guard) for guard in guards):
                trial.places.append(site.place)
                continue
            told = Breach(
                f"{called.name} in {site.caller.symbol} without guard",
                f"{called.name} is called in {short(site.caller)} without {texts}",
                site.place,
            )
            near = [Near(" ".join(guard.split()), None) for guard in guards]
            breach_beside(trial, told, "what guards it is" if near else "nothing guards it", near)
        if not own and (inside or not trial.contract.inside):
            where = f"in {short(inside[0])}" if inside else "anywhere"
            told = Breach(f"no call of {called.name}", f"{called.name} is not called {where}", place_of(inside or called.meant))
            breach_beside(trial, told, "it is called in" if sites else "it is called nowhere", where_called(sites))


def _pairs(trial: Trial) -> list[tuple[Found[Definition], Found[Definition]]]:
    """Each function with each thing that it calls."""
    of, inside = definitions_of(trial, trial.contract.of), definitions_of(trial, trial.contract.inside)
    return [(one, called) for one in inside for called in of]
