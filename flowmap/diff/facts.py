"""What an index says of calls, accesses and classes, by symbol and without lines: what two indexes are compared by."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from flowmap.model.access import AccessKind, LifeStage
from flowmap.model.place import Place
from flowmap.model.program import DefinitionKind
from flowmap.store.index import Index

Guards = tuple[str, ...]
Rename = Callable[[str], str]

_CALLS = """SELECT s.id, c.text, t.text, t.name, t.kind, s.file, s.line, s.col, s.guards, s.expr_guards, s.early_exit_guards
FROM site s JOIN target r ON r.site = s.id JOIN symbol c ON c.id = s.caller JOIN symbol t ON t.id = r.symbol
WHERE r.confidence <> 'possible' AND s.status IN ('resolved', 'external') ORDER BY s.id, r.position"""
_MADE = (
    "SELECT m.site, s.text FROM made m JOIN symbol s ON s.id = m.class WHERE m.confidence <> 'possible' ORDER BY 1, m.position"
)
_ACCESSES = """SELECT n.name, s.text, a.kind, a.stage, a.owners,
    a.file, a.line, a.col, a.guards, a.expr_guards, a.early_exit_guards
FROM access a JOIN field n ON n.id = a.field JOIN symbol s ON s.id = a.function WHERE a.confidence < 2 ORDER BY a.id"""
_OWNERS = "SELECT o.id, s.text FROM owners o JOIN symbol s ON s.id = o.class ORDER BY o.id, o.position"
_ORDERS = """SELECT c.text, s.text FROM class_order o JOIN symbol c ON c.id = o.class JOIN symbol s ON s.id = o.symbol
ORDER BY o.class, o.position"""
_DEFINITIONS = """SELECT text, name, kind, signature, file, line, col FROM symbol
WHERE kind IN ('class', 'function', 'method', 'property') AND file IS NOT NULL ORDER BY text, id"""
_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")
_KINDS, _STAGES = tuple(AccessKind), tuple(LifeStage)
_NOT = re.compile(r"^not \((?P<rest>.+)\)$")
_LOOSER = re.compile(r" (and|or|if) |\blambda\b|:=")  # what binds less than `not`
DECLARES = "declare"


class Happening(NamedTuple):
    """One call or access: under which guards, in any order, and where. `owners` of an access. There are hundreds of thousands."""

    guards: Guards
    file: str
    line: int
    col: int
    owners: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place(self.file, self.line, self.col)


@dataclass(frozen=True, slots=True)
class Standing:
    """A definition: its kind, signature and place; of several under one symbol all signatures, and the first place."""

    kind: DefinitionKind
    name: str
    signatures: tuple[str, ...]
    place: Place


CallKey = tuple[str, str]  # the symbols of who calls, and of what is called
AccessKey = tuple[str, str, str]  # the symbol of the function, the field, the kind


class GuardTexts:
    """The lists of guards of an index, as they are compared."""

    def __init__(self, index: Index, rename: Rename) -> None:
        rows = index.rows("SELECT id, texts FROM guard_list")
        self._lists = {number: tuple(_plain(rename(text)) for text in json.loads(texts)) for number, texts in rows}
        self._known: dict[tuple[int, int, int], Guards] = {}

    def all(self) -> frozenset[str]:
        """Every guard."""
        return frozenset(text for texts in self._lists.values() for text in texts)

    def of(self, lists: tuple[int, int, int]) -> Guards:
        """All guards of a place, sorted: that they change places changes nothing."""
        found = self._known.get(lists)
        if found is None:
            found = tuple(sorted(text for number in lists for text in self._lists.get(number, ())))
            self._known[lists] = found
        return found


def _plain(text: str) -> str:
    """A guard, however it is written: `if x: …` and `if not x: return` ask for the same."""
    bare = text.removeprefix("if ")
    match = _NOT.match(bare)
    if not match or _LOOSER.search(match["rest"]):
        return bare
    rest = match["rest"]
    return rest.removeprefix("not ") if rest.startswith("not ") else f"not {rest}"


def calls_in(index: Index, symbol: Rename, guards: GuardTexts) -> dict[CallKey, list[Happening]]:
    """Every call edge with its sites, in the order of the text. Making an object is a call of its class, whichever constructors
    run for that."""
    made: dict[int, list[str]] = {}
    for site, cls in index.rows(_MADE):
        made.setdefault(site, []).append(symbol(cls))
    paths = {number: entry.path for number, entry in index.files.items()}
    found: dict[CallKey, list[Happening]] = {}
    for site, caller, callee, name, kind, file, line, col, around, inside, early in index.rows(_CALLS):
        is_making = site in made and (name in _CONSTRUCTORS or kind == DefinitionKind.CLASS)
        happening = Happening(guards.of((around, inside, early)), paths[file], line, col)
        for called in made[site] if is_making else (symbol(callee),):
            same = found.setdefault((symbol(caller), called), [])
            if happening not in same:
                same.append(happening)
    return found


def accesses_in(index: Index, symbol: Rename, guards: GuardTexts) -> dict[AccessKey, list[Happening]]:
    """What every function does to every field, in the order of the text."""
    owners: dict[int, list[str]] = {}
    for number, cls in index.rows(_OWNERS):
        owners.setdefault(number, []).append(symbol(cls))
    sets = {number: tuple(sorted(classes)) for number, classes in owners.items()}
    paths = {number: entry.path for number, entry in index.files.items()}
    found: dict[AccessKey, list[Happening]] = {}
    for name, function, kind, stage, owned, file, line, col, around, inside, early in index.rows(_ACCESSES):
        word = DECLARES if _STAGES[stage] is LifeStage.DECLARED else _KINDS[kind].value
        happening = Happening(guards.of((around, inside, early)), paths[file], line, col, sets.get(owned, ()))
        found.setdefault((symbol(function), name, word), []).append(happening)
    return found


def orders_in(index: Index, symbol: Rename) -> dict[str, tuple[str, ...]]:
    """The order of every class, itself left out."""
    found: dict[str, list[str]] = {}
    for cls, one in index.rows(_ORDERS):
        found.setdefault(symbol(cls), []).append(symbol(one))
    return {cls: tuple(order[1:]) for cls, order in found.items()}


def definitions_in(index: Index, symbol: Rename) -> dict[str, Standing]:
    """Every class, function, method and property."""
    found: dict[str, Standing] = {}
    for text, name, kind, signature, file, line, col in index.rows(_DEFINITIONS):
        key = symbol(text)
        one = found.get(key)
        signatures = (*one.signatures, signature) if one else (signature,)
        place = one.place if one else _place(index, file, line, col)
        found[key] = Standing(DefinitionKind(kind), name, signatures, place)
    return found


def outermost(symbols: Iterable[str]) -> Iterator[str]:
    """The symbols that stand inside no other of them."""
    known = frozenset(symbols)
    yield from (symbol for symbol in sorted(known) if not is_inside(symbol.rpartition(".")[0], known))


def is_inside(symbol: str, known: frozenset[str] | Mapping[str, object]) -> bool:
    """Whether a symbol is one of these, or stands inside one."""
    while symbol and known:
        if symbol in known:
            return True
        symbol = symbol.rpartition(".")[0]
    return False


def _place(index: Index, file: int, line: int, col: int) -> Place:
    return Place(index.files[file].path, line, col)
