"""Class orders out of the index: what a class inherits, who hosts it, and which definition of a name wins where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from flowmap.model.place import Place
from flowmap.model.program import Attribute, ClassOrder, Definition, DefinitionKind, Held
from flowmap.store.index import Index, Row, as_json

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
    """For each class's id the methods and properties of its own body, by name. A name may be defined more than once; what the
    body assigns to it afterwards stands last."""
    query = f"SELECT class, name, symbol FROM member WHERE class {_IN} ORDER BY class, name, symbol"
    chosen = as_json({one.id for one in classes})
    rows = list(index.rows(query, chosen))
    known = index.known({row[2] for row in rows})
    grouped: dict[int, dict[str, tuple[Definition, ...]]] = {}
    for number, name, symbol in rows:
        names = grouped.setdefault(number, {})
        names[name] = (*names.get(name, ()), known[symbol])
    for number, one in _attributes(index, f"a.class {_IN}", chosen):
        names = grouped.setdefault(number, {})
        names[one.name] = (*names.get(one.name, ()), one)
    return grouped


def attributes_named(index: Index, text: str) -> tuple[Attribute, ...]:
    """The attributes that a name ends in, as `w` or `Base.w`."""
    last = text.rpartition(".")[2]
    return tuple(one for _, one in _attributes(index, "a.name = ?", last) if f".{one.symbol}".endswith(f".{text}"))


def _attributes(index: Index, where: str, value: str) -> list[tuple[int, Attribute]]:
    """What class bodies assign, each with the number of the class."""
    query = f"SELECT a.id, a.class, a.name, a.line, a.holds, a.symbols FROM assigned a WHERE {where} ORDER BY a.id"
    rows = [(*row[:5], json.loads(row[5])) for row in index.rows(query, value)]
    known = index.known({number for row in rows for number in (row[1], *row[5])})
    return [(row[1], _attribute(known, row)) for row in rows]


def _attribute(known: Mapping[int, Definition], row: Row) -> Attribute:
    number, owner, name, line, holds, symbols = row
    cls = known[owner]
    return Attribute(
        id=-1 - number,
        symbol=f"{cls.symbol}.{name}",
        name=name,
        kind=DefinitionKind.ATTRIBUTE,
        place=Place(cls.place.file, line) if cls.place else None,
        end_line=line,
        owner=cls.symbol,
        module=cls.module,
        signature="",
        decorators=(),
        doc="",
        holds=Held(holds),
        definitions=tuple(known[symbol] for symbol in symbols),
    )


def held_by(definition: Definition) -> tuple[Definition, ...]:
    """The definitions that stand behind one: itself, or what an attribute holds."""
    return definition.definitions if isinstance(definition, Attribute) else (definition,)


def providers(index: Index, order: Iterable[Definition], name: str) -> tuple[Definition, ...]:
    """The definitions of one name along a class order: the first wins, the others are what it shadows."""
    classes = list(order)
    query = f"SELECT class, symbol FROM member WHERE class {_IN} AND name = ? ORDER BY class, symbol"
    found: dict[int, list[int]] = {}
    for cls, symbol in index.rows(query, as_json(one.id for one in classes), name):
        found.setdefault(cls, []).append(symbol)
    heads = {cls: head_of(index.definitions(symbols)) for cls, symbols in found.items()}
    heads |= dict(_attributes(index, "a.name = ?", name))
    return tuple(heads[one.id] for one in classes if one.id in heads)


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
    winners = ((name, held_by(found[0])) for name, found in provided(index, order).items())
    provides = tuple((name, held[0].symbol) for name, held in winners if held)
    return ClassOrder(one.symbol, tuple(bare(each) for each in order), provides)


def class_of(index: Index, member: Definition) -> Definition | None:
    """The class whose body defines or assigns this method, property or attribute; None for anything else."""
    query, number = "SELECT owner FROM symbol WHERE id = ? AND owner IS NOT NULL", member.id
    if isinstance(member, Attribute):
        query, number = "SELECT class FROM assigned WHERE id = ?", -1 - member.id
    for owner in index.definitions(row[0] for row in index.rows(query, number)):
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
