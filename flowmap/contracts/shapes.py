"""Contracts about definitions: that they are there, what they take, and what a class has from where."""

from __future__ import annotations

from flowmap.contracts.parameters import names_in
from flowmap.contracts.trial import Trial, breach, breach_beside, by_symbol, definitions_of, place_of, short
from flowmap.model.contract import Breach, Near
from flowmap.model.program import Definition, DefinitionKind
from flowmap.store.classes import bare, held_by, orders, providers
from flowmap.store.constructors import constructor_of

ANY = "..."


def anchor_exists(trial: Trial) -> None:
    """Something bears each name, in the indexed code."""
    for found in definitions_of(trial, trial.contract.of):
        place = place_of(found.meant)
        if place:
            trial.places.append(place)
        else:
            breach(trial, f"no {found.name}", f"{found.name} stands outside the indexed code", None)


def signature(trial: Trial) -> None:
    """NAME takes these parameters, in this order; where the list holds "...", any may stand there."""
    wanted = trial.contract.parameters
    for found in definitions_of(trial, trial.contract.of):
        for symbol, definitions in by_symbol(found.meant).items():
            taken = [names_in(_taken(trial, one)) for one in definitions]
            if any(is_like(list(names), list(wanted)) for names in taken):
                trial.places.extend(place for place in (place_of(definitions),) if place)
                continue
            what = f"{short(definitions[0])} takes ({', '.join(taken[-1])}), not ({', '.join(wanted)})"
            changes = _changes(taken[-1], wanted)
            told = Breach(f"{symbol} takes ({', '.join(wanted)})", what, place_of(definitions))
            breach_beside(trial, told, changes, ())


def _taken(trial: Trial, one: Definition) -> str:
    return constructor_of(trial.index, one).parameters if one.kind is DefinitionKind.CLASS else one.signature


def is_like(names: list[str], wanted: list[str]) -> bool:
    """Whether parameters are as wanted; each "..." stands for any number of them."""
    if not wanted:
        return not names
    if wanted[0] == ANY:
        return any(is_like(names[start:], wanted[1:]) for start in range(len(names) + 1))
    return bool(names) and names[0] == wanted[0] and is_like(names[1:], wanted[1:])


def _changes(names: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    more = [name for name in names if name not in wanted] if ANY not in wanted else []
    fewer = [name for name in wanted if name not in names and name != ANY]
    told = [f"new: {', '.join(more)}"] * bool(more) + [f"gone: {', '.join(fewer)}"] * bool(fewer)
    return "; ".join(told) or "the order is another"


def subclass_of(trial: Trial) -> None:
    """The class has the base in its order."""
    bases = definitions_of(trial, trial.contract.bases)
    for found in definitions_of(trial, trial.contract.classes):
        for one in _classes(trial, found.name, found.meant):
            order = orders(trial.index, [one]).get(one.id, ())
            for base in bases:
                if any(each.id == wanted.id for each in order for wanted in base.meant):
                    trial.places.extend(place for place in (one.place,) if place)
                    continue
                told = Breach(f"{one.symbol} below {base.name}", f"{short(one)} is no subclass of {base.name}", one.place)
                near = [Near(short(each), each.place) for each in order[1:] if bare(each) != "builtins.object"]
                breach_beside(trial, told, "its bases are" if near else "it has no base", near)


def mro_provides(trial: Trial) -> None:
    """What the class has under the name of the method is that definition."""
    contract = trial.contract
    wanted = definitions_of(trial, contract.definition)
    for found in definitions_of(trial, contract.classes):
        for one in _classes(trial, found.name, found.meant):
            order = orders(trial.index, [one]).get(one.id, ())
            winners = [held for winner in providers(trial.index, order, contract.method)[:1] for held in held_by(winner)]
            for expected in wanted:
                if {each.symbol for each in expected.meant} & {winner.symbol for winner in winners}:
                    trial.places.extend(place for place in (place_of(winners),) if place)
                else:
                    _provided_otherwise(trial, one, expected.name, winners)


def _provided_otherwise(trial: Trial, one: Definition, expected: str, winners: list[Definition]) -> None:
    method = trial.contract.method
    about = f"{one.symbol} has {method} from {expected}"
    if not winners:
        breach(trial, about, f"{short(one)} has no {method}, from {expected} or any other", one.place)
        return
    told = Breach(about, f"{short(one)} has {method} not from {expected}", place_of(winners) or one.place)
    breach_beside(trial, told, "it comes from", [Near(short(winner), winner.place) for winner in winners])


def _classes(trial: Trial, name: str, meant: tuple[Definition, ...]) -> list[Definition]:
    classes = [one for one in meant if one.kind is DefinitionKind.CLASS]
    if not classes:
        breach(trial, f"{name} is a class", f"{name} is no class", place_of(meant))
    return classes
