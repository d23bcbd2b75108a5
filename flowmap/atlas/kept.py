"""What a page was made of, so that one of which nothing has changed is not made again.

A page depends on the index, on the code that makes it, on what its maker says, and on what has a page elsewhere: every address
that it asked for is kept beside it, and asked for again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from flowmap.atlas.names import PageNames, addresses_from
from flowmap.model.place import Place
from flowmap.render.addresses import Addresses
from flowmap.store.index import Index

_PACKAGE = Path(__file__).parents[1]
_CODE = (".py", ".js", ".css", ".html", ".sql")
_DIGEST_BYTES = 16


def digest(texts: Iterable[object]) -> str:
    """One short text for many."""
    found = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for text in texts:
        found.update(f"{text}\0".encode("utf-8", "backslashreplace"))
    return found.hexdigest()


def stamp_of(index: Index) -> str:
    """Follows from the index and from this code: what every page is made of."""
    files = index.rows("SELECT path, digest FROM file ORDER BY path")
    targets = index.rows("SELECT COUNT(*), SUM(site), SUM(symbol) FROM target")
    files_of_code = sorted(path for path in _PACKAGE.rglob("*") if path.suffix in _CODE)
    code = ((path.relative_to(_PACKAGE), hashlib.blake2b(path.read_bytes()).hexdigest()) for path in files_of_code)
    return digest((*files, *targets, *sorted(index.meta.items()), *code))


@dataclass(slots=True)
class Asking:
    """The addresses of one page, and what was asked of them so far."""

    page: str
    names: PageNames
    asked: dict[str, str] = field(default_factory=dict)

    @property
    def addresses(self) -> Addresses:
        """As `addresses_from`, and everything that is asked is noted."""
        own = addresses_from(self.page, self.names)
        return Addresses(
            of_place=lambda place: self._noted("place", (place.file, place.line), own.of_place(place)),
            of_definition=lambda one: self._noted("definition", (one.symbol,), own.of_definition(one)),
            of_field=lambda name: self._noted("field", (name,), own.of_field(name)),
            of_page=lambda name: self._noted("page", (name,), own.of_page(name)),
            of_symbol=lambda place: self._noted("symbol", (place.file, place.line, place.col), own.of_symbol(place)),
        )

    def _noted(self, kind: str, key: tuple[str | int, ...], address: str) -> str:
        self.asked[json.dumps((kind, *key))] = address
        return address

    def still_holds(self, asked: dict[str, str]) -> bool:
        """Whether what was asked before gets the same answers."""
        own = addresses_from(self.page, self.names)
        return all(_answer(own, self.names, json.loads(key)) == address for key, address in asked.items())


def _answer(own: Addresses, names: PageNames, key: list[str | int]) -> str:
    kind, first, *numbers = key
    text, line, col = str(first), *(int(number) for number in (*numbers, 0, 0)[:2])
    match kind:
        case "place":
            return own.of_place(Place(text, line))
        case "symbol":
            return own.of_symbol(Place(text, line, col))
        case "field":
            return own.of_field(text)
        case "definition":
            page = names.of_symbol(text)
            return own.of_page(page) if page else ""
        case _:
            return own.of_page(text)


@dataclass(frozen=True, slots=True)
class Memory:
    """What is kept of a page: from what it was made, the addresses that it asked for, and the further files that it needs."""

    made_of: str
    asked: dict[str, str]
    needs: list[str]

    def written(self) -> str:
        """As it is kept."""
        return json.dumps([self.made_of, self.asked, self.needs])


def remembered(text: str | None) -> Memory | None:
    """What was kept; None where nothing was, or it cannot be read."""
    try:
        made_of, asked, needs = json.loads(text or "")
    except ValueError:
        return None
    return Memory(made_of, asked, needs)
