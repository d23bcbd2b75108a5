"""The rows of the index for the accesses of fields, and for who holds objects. Texts, names and sets are kept once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flowmap.flow.accesses import FieldAccess
from flowmap.flow.held import Held
from flowmap.link.program import Layout
from flowmap.store.write import Row


@dataclass(frozen=True, slots=True)
class AccessRows:
    """The rows of the tables `field`, `phrase`, `owners`, `access` and `held`."""

    fields: list[Row]
    phrases: list[Row]
    owners: list[Row]
    accesses: list[Row]
    held: list[Row]


@dataclass(frozen=True, slots=True)
class FieldUse:
    """The accesses of a program in the order of the text, and which functions hold objects of which classes."""

    accesses: Iterable[FieldAccess]
    held: Iterable[Held]


def access_rows(layout: Layout, use: FieldUse, guard_list: Callable[[tuple[str, ...]], int]) -> AccessRows:
    """The rows of a program; `guard_list` numbers lists of guards."""
    names: dict[str, int] = {}
    phrases: dict[str, int] = {"": 0}
    sets: dict[tuple[int, ...], int] = {(): 0}
    rows: list[Row] = []
    lists: dict[tuple[int, int], int] = {}  # (file, list of guards in it) → its number
    for number, one in enumerate(use.accesses):
        for each in one.guards:
            if (one.file, each) not in lists:
                lists[one.file, each] = guard_list(layout.files[one.file].guards[each])
        rows.append(
            (
                names.setdefault(one.field, len(names)),
                number,
                *one[:5],
                one.function,
                one.kind,
                one.stage,
                one.confidence,
                sets.setdefault(one.owners, len(sets)),
                phrases.setdefault(one.via, len(phrases)),
                phrases.setdefault(one.expr, len(phrases)),
                *(lists[one.file, each] for each in one.guards),
            )
        )
    rows.sort()
    held: list[Row] = sorted((sets.setdefault(classes, len(sets)), function) for function, classes in use.held)
    return AccessRows(
        fields=[(number, name) for name, number in names.items()],
        phrases=[(number, text) for text, number in phrases.items()],
        owners=[(number, position, cls) for owners, number in sets.items() for position, cls in enumerate(owners)],
        accesses=rows,
        held=held,
    )
