"""Class orders out of the index: what a class inherits, who hosts it, and which definition of a name wins where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from flowmap.model.program import ClassOrder, Definition, DefinitionKind
from flowmap.store.index import Index, as_json

_OVERLOAD = "overload"
_PARTS = ("setter", "deleter", "getter", _OVERLOAD)
_IN = "IN (SELECT value FROM json_each(?))"
Members = Mapping[str, tuple[Definition, ...]]


def orders(index: Index, classes: Iterable[Definition]) -> dict[int, tuple[Definition, ...]]:
    """For each class's id its method resolution order, itself first. A class without an order (a cycle) is left out."""
    query = f"SELECT class, symbol FROM class_order WHERE class {_IN} ORDER BY class, position"
    rows = list(index.rows(query, as_json({one.id for one in classes})))
    known = index.known({row[1] for row in rows})
    grouped: dict[int, list[Definition]] = {}
    for number, symbol in rows:
        grouped.setdefault(number, []).append(known[symbol])
    return {number: tuple(order) for number, order in grouped.items()}


def refused(index: Index, order: Iterable[Definition]) -> tuple[tuple[Definition, str], ...]:
    """The classes of an order that Python would refuse, each with the reason: the order is then only what comes nearest."""
    classes = {one.id: one for one in order}
    rows = index.rows(f"SELECT class, what FROM refused WHERE class {_IN}", as_json(classes))
    reasons: dict[int, str] = dict(rows)
    return tuple((one, reasons[number]) for number, one in classes.items() if number in reasons)


def hosts(index: Index, one: Definition) -> tuple[Definition, ...]:
    """The classes whose order contains this one, itself left out, by symbol."""
    query = "SELECT DISTINCT class FROM class_order WHERE symbol = ? AND class <> ?"
    found = index.definitions(row[0] for row in index.rows(query, one.id, one.id))
    return tuple(sorted(found, key=lambda host: host.symbol))


def members(index: Index, classes: Iterable[Definition]) -> dict[int, dict[str, tuple[Definition, ...]]]:
    """For each class's id the methods and properties of its own body, by name. A name may be defined more than once."""
    query = f"SELECT class, name, symbol FROM member WHERE class {_IN} ORDER BY class, name, symbol"
    rows = list(index.rows(query, as_json({one.id for one in classes})))
    known = index.known({row[2] for row in rows})
    grouped: dict[int, dict[str, tuple[Definition, ...]]] = {}
    for number, name, symbol in rows:
        names = grouped.setdefault(number, {})
        names[name] = (*names.get(name, ()), known[symbol])
    return grouped


def providers(index: Index, order: Iterable[Definition], name: str) -> tuple[Definition, ...]:
    """The definitions of one name along a class order: the first wins, the others are what it shadows."""
    classes = list(order)
    query = f"SELECT class, symbol FROM member WHERE class {_IN} AND name = ? ORDER BY class, symbol"
    found: dict[int, list[int]] = {}
    for cls, symbol in index.rows(query, as_json(one.id for one in classes), name):
        found.setdefault(cls, []).append(symbol)
    return tuple(head_of(index.definitions(found[one.id])) for one in classes if one.id in found)


def provided(index: Index, order: Iterable[Definition]) -> dict[str, tuple[Definition, ...]]:
    """Every name that the order defines, by name, with its definitions along the order: the first wins."""
    classes = list(order)
    own = members(index, classes)
    names: dict[str, list[Definition]] = {}
    for one in classes:
        for name, definitions in own.get(one.id, {}).items():
            names.setdefault(name, []).append(head_of(definitions))
    return {name: tuple(names[name]) for name in sorted(names)}


def class_order(index: Index, one: Definition) -> ClassOrder | None:
    """A class's order and what it provides, as symbols; None when it has no order."""
    order = orders(index, [one]).get(one.id)
    if order is None:
        return None
    provides = tuple((name, found[0].symbol) for name, found in provided(index, order).items())
    return ClassOrder(one.symbol, tuple(bare(each) for each in order), provides)


def class_of(index: Index, member: Definition) -> Definition | None:
    """The class whose body defines this method or property; None for anything else."""
    query = "SELECT owner FROM symbol WHERE id = ? AND owner IS NOT NULL"
    for owner in index.definitions(row[0] for row in index.rows(query, member.id)):
        return owner if owner.kind is DefinitionKind.CLASS else None
    return None


def part_of(definition: Definition) -> str:
    """Which part of one function or property a definition is, where several under one name make it up: `setter`, `deleter`,
    `getter` (one that is added later), `overload`; "" for the first or only part, and for anything that stands for itself."""
    lasts = {decorator.partition("(")[0].rpartition(".")[2] for decorator in definition.decorators}
    return next((part for part in _PARTS if part in lasts), "")


def whole(definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """Of the definitions of one name in one body, in the order of the text, those that make up what the name means in the end:
    the last one; a property with all its parts; a function with its overloads."""
    taken: list[Definition] = []
    complete = False
    for each in reversed(definitions):
        part = part_of(each)
        if complete and part != _OVERLOAD:
            break
        taken.append(each)
        complete = complete or part in ("", _OVERLOAD)
    return tuple(reversed(taken))


def head_of(definitions: Sequence[Definition]) -> Definition:
    """Of the definitions of one name in one body the one that stands for all that make it up."""
    parts = whole(definitions)
    return next((each for each in parts if not part_of(each)), parts[-1])


def bare(definition: Definition) -> str:
    """The symbol without `ext:`: class orders and owners hold bare names."""
    return definition.symbol.removeprefix("ext:")
