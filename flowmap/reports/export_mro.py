"""`flowmap export mro`: the order of classes and what they provide, as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from flowmap.model.program import Definition, DefinitionKind
from flowmap.reports.subjects import find_class
from flowmap.store.classes import bare, held_by, members, orders
from flowmap.store.index import Index

FORM_VERSION = 1


def export_mro(index: Index, names: Sequence[str]) -> Iterator[str]:
    """The lines of the JSON object, a class a line, without their ends. Without names: every class of the indexed code.

    Errors: FlowmapError when a name is unknown, ambiguous, or no class.
    """
    classes = sorted(_classes(index, names), key=lambda one: (one.symbol, one.id))
    known = orders(index, classes)
    own = {number: {name: held_by(found[-1]) for name, found in each.items()} for number, each in _members(index, known).items()}
    last = {one.symbol: one for one in classes if one.id in known}
    yield "{"
    for number, (symbol, one) in enumerate(last.items(), start=1):
        order = known[one.id]
        provides: dict[str, tuple[Definition, ...]] = {}
        for each in reversed(order):
            provides.update(own.get(each.id, {}))
        named = {name: held[0].symbol for name, held in sorted(provides.items()) if held}
        content = {"mro": [bare(each) for each in order], "provides": named}
        comma = "," if number < len(last) else ""
        yield f"{json.dumps(symbol, ensure_ascii=False)}: {json.dumps(content, ensure_ascii=False)}{comma}"
    yield "}"


def _classes(index: Index, names: Sequence[str]) -> list[Definition]:
    if names:
        return [find_class(index, name) for name in names]
    query = "SELECT id FROM symbol WHERE kind = ? AND file IS NOT NULL"
    return index.definitions(row[0] for row in index.rows(query, DefinitionKind.CLASS.value))


def _members(index: Index, known: dict[int, tuple[Definition, ...]]) -> dict[int, dict[str, tuple[Definition, ...]]]:
    return members(index, {each.id: each for order in known.values() for each in order}.values())
