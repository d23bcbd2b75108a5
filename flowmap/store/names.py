"""Finds definitions by what a person types: a suffix of a name, or the nearest names when there is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from flowmap.model.program import Definition, DefinitionKind
from flowmap.store.classes import held_by, orders, providers
from flowmap.store.index import Index

_LOCALS = ".<locals>"
_EXTERNAL = "ext:"
_WHOLE = "SELECT id FROM symbol WHERE text = ? AND kind NOT IN ('external', 'module') ORDER BY id"
_ENDING = f"SELECT id FROM symbol WHERE name = ? AND substr(replace(text, '{_LOCALS}', ''), ?) = ?"
_N_COMPARED = 200  # names that share most three-letter pieces; only these are compared letter by letter
_CLOSE = 0.6


def named(index: Index, name: str) -> tuple[Definition, ...]:
    """The definitions whose symbol is `name` or ends, at a dot, with it; by symbol and line. `.<locals>` may be left out.

    A whole symbol means itself alone; only a module at the top gives way to any other bearer of its one-part name. Where
    nothing in the indexed code matches, a method may be named through a class that inherits it, and after that a symbol
    outside the index may be meant; with `ext:` before it nothing else is.
    """
    wanted = _plain(name)
    if not wanted:
        return ()
    if name.strip().startswith(_EXTERNAL):
        return tuple(each for each in _candidates(index, wanted) if each.symbol == _EXTERNAL + wanted)
    whole = [row[0] for row in index.rows(_WHOLE, wanted)]
    if whole:
        return tuple(index.definitions(whole))
    found = [each for each in _candidates(index, wanted) if _ends_with(_plain(each.symbol), wanted)]
    if "." not in wanted:
        found = [each for each in found if each.symbol != wanted or each.kind is not DefinitionKind.MODULE] or found
    exact = [each for each in found if _plain(each.symbol) == wanted]
    inside = [each for each in found if each.kind is not DefinitionKind.EXTERNAL]
    chosen: Iterable[Definition] = (
        [each for each in exact if each in inside] or inside or _inherited(index, wanted) or exact or found
    )
    return tuple(sorted(set(chosen), key=lambda each: (each.symbol, each.place is not None, each.id)))


def nearest(index: Index, name: str, limit: int = 5) -> tuple[str, ...]:
    """The names most like one that was not found, the likest first, each with as many parts as `name` has."""
    wanted = _plain(name).lower()
    parts = wanted.split(".")
    query = "SELECT DISTINCT name FROM symbol WHERE kind <> 'external'"
    likest = alike([row[0] for row in index.rows(query)], parts[-1])
    scores: dict[str, float] = {}
    for last in likest:
        for symbol in _symbols(index, last):
            suffix = ".".join(_plain(symbol).split(".")[-len(parts) :])
            if suffix not in scores:
                scores[suffix] = difflib.SequenceMatcher(None, suffix.lower(), wanted).ratio()
    best = sorted((-score, suffix) for suffix, score in scores.items() if score >= _CLOSE)
    return tuple(suffix for _, suffix in best[:limit])


def _candidates(index: Index, wanted: str) -> Iterator[Definition]:
    """The definitions that a name may end in, filtered in SQL: thousands may share the last part of it."""
    last = wanted.rpartition(".")[2]
    found = {row[0] for row in index.rows(_ENDING, last, -len(wanted), wanted)}
    for text in index.modules_by_name.get(last, ()):
        if _ends_with(text, wanted):
            found.update(row[0] for row in index.rows("SELECT id FROM symbol WHERE text = ?", text))
    yield from index.definitions(sorted(found))


def _inherited(index: Index, wanted: str) -> list[Definition]:
    owner, _, last = wanted.rpartition(".")
    alike = _candidates(index, owner) if owner else ()
    classes = [each for each in alike if each.kind is DefinitionKind.CLASS and _ends_with(_plain(each.symbol), owner)]
    found = orders(index, classes)
    winners = [providers(index, found[each.id], last)[:1] for each in classes if each.id in found]
    return [one for winning in winners for winner in winning for one in held_by(winner)]


def alike(names: Iterable[str], wanted: str) -> list[str]:
    """Those of many names that are most like one in lower case, the likest first."""
    pieces = _pieces(wanted)
    shared = [(-len(pieces & _pieces(name.lower())) / (len(pieces) + len(name)), name) for name in names]
    closest = [name for score, name in sorted(shared)[:_N_COMPARED] if score < 0]
    lowered = {name.lower(): name for name in reversed(closest)}
    return [name for name in closest if name.lower() in set(difflib.get_close_matches(wanted, lowered, n=20, cutoff=_CLOSE))]


def _pieces(name: str) -> set[str]:
    padded = f"  {name} "
    return {padded[start : start + 3] for start in range(len(padded) - 2)}


def _symbols(index: Index, name: str) -> list[str]:
    return [row[0] for row in index.rows("SELECT text FROM symbol WHERE name = ? AND kind <> 'external' LIMIT 200", name)]


def _ends_with(text: str, suffix: str) -> bool:
    return text == suffix or text.endswith(f".{suffix}")


def _plain(name: str) -> str:
    return name.strip().removesuffix("()").removeprefix(_EXTERNAL).replace(":", ".").replace(_LOCALS, "")
