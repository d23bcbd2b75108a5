"""Contracts about fields: that they are there, who reads and who changes them, and who alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flowmap.contracts.calls import is_allowed
from flowmap.contracts.trial import (
    Trial,
    breach,
    breach_beside,
    by_symbol,
    definitions_of,
    fields_of,
    is_within,
    place_of,
    reads,
    short,
    writes,
)
from flowmap.model.access import Access
from flowmap.model.contract import Breach, Near
from flowmap.model.program import Definition

Accesses = Callable[[Trial, Sequence[Access]], list[Access]]


def field_exists(trial: Trial) -> None:
    """Somebody touches the field; of a class, where one is named."""
    for found in fields_of(trial):
        trial.places.append(found.meant[0].place)


def function_reads(trial: Trial) -> None:
    """FUNCTION reads the field."""
    _touches(trial, reads, "read")


def function_writes(trial: Trial) -> None:
    """FUNCTION changes the field."""
    _touches(trial, writes, "write")


def reads_only_in(trial: Trial) -> None:
    """The field is read in these functions, classes and modules alone."""
    _only_in(trial, reads, "read")


def writes_only_in(trial: Trial) -> None:
    """The field is changed in these functions, classes and modules alone."""
    _only_in(trial, writes, "written")


def _touches(trial: Trial, accesses: Accesses, word: str) -> None:
    inside = definitions_of(trial, trial.contract.inside)
    for found in fields_of(trial):
        counted = accesses(trial, found.meant)
        for symbol, definitions in (pair for one in inside for pair in by_symbol(one.meant).items()):
            own = [access for access in counted if is_within(access.function.symbol, definitions)]
            trial.places.extend(access.place for access in own)
            if not own:
                what = f"{short(definitions[0])} does not {word} {found.name}"
                told = Breach(f"{symbol} {word}s {found.name}", what, place_of(definitions))
                elsewhere = {access.function.symbol: Near(short(access.function), access.place) for access in reversed(counted)}
                breach_beside(
                    trial,
                    told,
                    f"{'what' if elsewhere else 'nothing'} {word}s it{' is' if elsewhere else ''}",
                    list(reversed(elsewhere.values())),
                )


def _only_in(trial: Trial, accesses: Accesses, word: str) -> None:
    inside = [definition for one in definitions_of(trial, trial.contract.inside) for definition in one.meant]
    for found in fields_of(trial):
        counted = accesses(trial, found.meant)
        others: dict[str, list[Access]] = {}
        for access in counted:
            if is_allowed(trial, access.function, inside):
                trial.places.append(access.place)
            else:
                others.setdefault(access.function.symbol, []).append(access)
        for symbol, same in others.items():
            _too(trial, (found.name, word, symbol), same)


def _too(trial: Trial, told: tuple[str, str, str], same: Sequence[Access]) -> None:
    name, word, symbol = told
    function: Definition = same[0].function
    times = f", {len(same)} times" if len(same) > 1 else ""
    breach(trial, f"{name} {word} in {symbol}", f"{name} is {word} in {short(function)}{times}, too", same[0].place)
