"""Reads the contracts of a file, or says all that is wrong with it at once.

The form is described in `docs/how-to/hold-a-contract.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from flowmap.model.contract import Contract, ContractFile, ContractKind, Distance
from flowmap.model.place import Place
from flowmap.model.query import Anchors, Only
from flowmap.query.files import QueryFile
from flowmap.query.page import (
    Page,
    Table,
    anchors_of,
    lines_of_tables,
    nearest_word,
    only_known,
    read_page,
    text_of,
    texts_of,
    twice,
    version_of,
)

_OF_FILE = ("about", "what", "contract")
_OF_ALL = ("name", "kind", "why", "since", "until")
_FILTERS = ("in_module", "not_in_module", "guarded_by", "not_guarded_by", "says")
_LEAST_IN_ORDER = 2
_EXAMPLE = '[[contract]]\n    name = "…"\n    kind = "anchor-exists"\n    of = ["NAME"]\n    why = "…"'


@dataclass(frozen=True, slots=True)
class _Keys:
    """Which keys a kind needs, one of which others it needs, and which more it takes."""

    needs: tuple[str, ...]
    one_of: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Every key that means something here."""
        return tuple(dict.fromkeys((*_OF_ALL, *self.needs, *self.one_of, *self.takes)))


_PLACES = ("in", "modules")
KEYS = {
    ContractKind.ANCHOR_EXISTS: _Keys(("of",)),
    ContractKind.FIELD_EXISTS: _Keys(("fields",)),
    ContractKind.SIGNATURE: _Keys(("of", "parameters")),
    ContractKind.CALLS: _Keys(("in", "of"), takes=_FILTERS),
    ContractKind.REACHES: _Keys(("in", "of"), takes=_FILTERS),
    ContractKind.NEVER_CALLS: _Keys(("in", "of"), takes=("distance", *_FILTERS)),
    ContractKind.CALLS_IN_ORDER: _Keys(("in", "of")),
    ContractKind.ONLY_CALL_SITE: _Keys(("of", "in"), takes=_FILTERS),
    ContractKind.CALLED_ONLY_IN: _Keys(("of",), _PLACES, _FILTERS),
    ContractKind.GUARDED_BY: _Keys(("of", "guarded_by"), takes=("in", "in_module", "not_in_module", "says")),
    ContractKind.READS: _Keys(("in", "fields"), takes=_FILTERS),
    ContractKind.WRITES: _Keys(("in", "fields"), takes=_FILTERS),
    ContractKind.READS_ONLY_IN: _Keys(("fields",), _PLACES, _FILTERS),
    ContractKind.WRITES_ONLY_IN: _Keys(("fields",), _PLACES, _FILTERS),
    ContractKind.SUBCLASS_OF: _Keys(("class", "base")),
    ContractKind.MRO_PROVIDES: _Keys(("class", "method", "definition")),
}
_EVERY_KEY = tuple(dict.fromkeys(key for keys in KEYS.values() for key in keys.all))


def read_contracts(file: QueryFile) -> ContractFile:
    """The contracts of a file.

    Errors: FlowmapError with all problems of the file.
    """
    return read_page(file, partial(_file, file))


def _file(file: QueryFile, table: Table, page: Page) -> ContractFile:
    only_known(table, _OF_FILE, page)
    about, what = (text_of(table, key, page) for key in ("about", "what"))
    rows = table.get("contract")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        page.complain("holds no contract" if rows is None else "`contract` is not a list of tables", f"Write {_EXAMPLE}")
        return ContractFile(file.name, file.shown, about, what, ())
    lines = lines_of_tables(file, "contract", len(rows))
    named = [(row, Place(file.shown, line)) for row, line in zip(rows, lines, strict=True)]
    contracts = tuple(_contract(row, page.within(_part(row, number)), at) for number, (row, at) in enumerate(named, start=1))
    for name in twice([contract.name for contract in contracts if contract]):
        page.complain(f"two contracts are called `{name}`", "Give each a name of its own: findings are known by it.")
    return ContractFile(file.name, file.shown, about, what, tuple(contract for contract in contracts if contract))


def _part(row: Table, number: int) -> str:
    name = row.get("name")
    return f"[[contract]] {name.strip()}" if isinstance(name, str) and name.strip() else f"[[contract]] {number}"


def _contract(row: Table, page: Page, written: Place) -> Contract | None:
    name, why = _said(row, "name", "a few words that stay", page), _said(row, "why", "what breaks where it does not hold", page)
    kind = _kind(row, page)
    if kind is None:
        only_known(row, _EVERY_KEY, page)
        return None
    _check_keys(row, kind, page)
    of, inside, fields, classes, bases, definition = (
        _anchors(row, key, page) for key in ("of", "in", "fields", "class", "base", "definition")
    )
    if kind is ContractKind.CALLS_IN_ORDER and 0 < len(of) < _LEAST_IN_ORDER:
        page.complain("an order is one of two or more", 'Write `of = ["FIRST", "SECOND"]`.')
    guards = texts_of(row, "guarded_by", page)
    is_asked = kind is ContractKind.GUARDED_BY
    return Contract(
        name=name,
        kind=kind,
        why=why,
        written=written,
        of=of,
        inside=inside,
        modules=texts_of(row, "modules", page),
        fields=fields,
        classes=classes,
        bases=bases,
        method=text_of(row, "method", page),
        definition=definition,
        parameters=texts_of(row, "parameters", page),
        guards=guards if is_asked else (),
        distance=_distance(row, page),
        only=_only(row, () if is_asked else guards, page),
        since=version_of(row, "since", page),
        until=version_of(row, "until", page),
    )


def _said(row: Table, key: str, what: str, page: Page) -> str:
    text = text_of(row, key, page)
    if not text and isinstance(row.get(key, ""), str):
        page.complain(f"says no {key}", f'Write `{key} = "…"`: {what}.')
    return text


def _kind(row: Table, page: Page) -> ContractKind | None:
    text = text_of(row, "kind", page)
    known = [kind.value for kind in ContractKind]
    if text in known:
        return ContractKind(text)
    if not isinstance(row.get("kind", ""), str):
        return None
    page.complain(f"there is no kind `{text}`" if text else "says not of which kind it is", nearest_word(text, known))
    return None


def _check_keys(row: Table, kind: ContractKind, page: Page) -> None:
    keys = KEYS[kind]
    for key in keys.needs:
        if key not in row:
            page.complain(
                f"`{kind.value}` needs `{key}`", f'Write `{key} = ["…"]`.' if key != "method" else 'Write `method = "…"`.'
            )
    if keys.one_of and not any(key in row for key in keys.one_of):
        page.complain(f"`{kind.value}` needs {' or '.join(f'`{key}`' for key in keys.one_of)}", 'Write `in = ["FUNCTION"]`.')
    for key in ("guarded_by", "modules"):
        if row.get(key) == []:
            page.complain(f"`{key}` is an empty list", f'Write `{key} = ["…"]`, or leave it out.')
    only_known({key: value for key, value in row.items() if key not in _EVERY_KEY}, keys.all, page)
    for key in row:
        if key in _EVERY_KEY and key not in keys.all:
            takes = ", ".join(f"`{each}`" for each in keys.all if each not in _OF_ALL)
            page.complain(f"`{key}` says nothing here", f"`{kind.value}` takes {takes}.")


def _anchors(row: Table, key: str, page: Page) -> Anchors:
    """The things that a key names; one alone may stand without a list."""
    value = row.get(key)
    return anchors_of({key: [value]} if isinstance(value, (str, dict)) else row, key, page)


def _distance(row: Table, page: Page) -> Distance:
    text = text_of(row, "distance", page)
    known = [each.value for each in Distance]
    if text and text not in known:
        page.complain(f"`distance` knows no `{text}`", nearest_word(text, known))
    return Distance(text) if text in known else Distance.ANY


def _only(row: Table, guards: tuple[str, ...], page: Page) -> Only:
    return Only(
        in_module=texts_of(row, "in_module", page),
        not_in_module=texts_of(row, "not_in_module", page),
        guarded_by=guards,
        not_guarded_by=texts_of(row, "not_guarded_by", page),
        says=texts_of(row, "says", page),
    )
