"""The rows of the index for the accesses of fields. Texts, names and sets of owners are kept once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flowmap.flow.accesses import FieldAccess
from flowmap.link.program import Layout
from flowmap.store.write import Row


@dataclass(frozen=True, slots=True)
class AccessRows:
    """The rows of the tables `field`, `phrase`, `owners` and `access`."""

    fields: list[Row]
    phrases: list[Row]
    owners: list[Row]
    accesses: list[Row]


def access_rows(layout: Layout, found: Iterable[FieldAccess], guard_list: Callable[[tuple[str, ...]], int]) -> AccessRows:
    """The rows for accesses that come in the order of the text; `guard_list` numbers lists of guards."""
    names: dict[str, int] = {}
    phrases: dict[str, int] = {"": 0}
    sets: dict[tuple[int, ...], int] = {(): 0}
    rows: list[Row] = []
    lists: dict[tuple[int, int], int] = {}  # (file, list of guards in it) → its number
    for number, one in enumerate(found):
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
    return AccessRows(
        fields=[(number, name) for name, number in names.items()],
        phrases=[(number, text) for text, number in phrases.items()],
        owners=[(number, position, cls) for owners, number in sets.items() for position, cls in enumerate(owners)],
        accesses=rows,
    )
