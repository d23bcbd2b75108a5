"""The release that a recipe is bound to: where its names are, and what its text says there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from flowmap.drift.ledger import Ledger
from flowmap.extract.sketch import sketch_file
from flowmap.model.drift import FIELD, Whereabouts
from flowmap.model.query import Anchor
from flowmap.model.source import OpenedSource, SourceFile
from flowmap.query.release import Release, names_in
from flowmap.source.read import read_bytes
from flowmap.store.index import Index


@dataclass(frozen=True, slots=True)
class Text:
    """A file's lines, and on which line each of its definitions ends, by symbol."""

    lines: tuple[str, ...]
    ends: dict[str, int]

    def between(self, first: int, last: int) -> str:
        """The lines from one to another, 1-based, without blanks at their ends."""
        return "\n".join(line.rstrip() for line in self.lines[first - 1 : last])


@dataclass(slots=True)
class Ground:
    """One release: its files, its number in the ledger, and its index where something is hooked in it. `texts` are those that
    were asked for so far."""

    source: OpenedSource
    release: Release
    ledger: Ledger
    number: int
    index: Index | None = None
    texts: dict[str, Text] = field(default_factory=dict)

    def definitions(self, anchor: Anchor) -> tuple[Whereabouts, ...]:
        """The classes and functions that an anchor means: by the first of its names that exists."""
        return self._first(anchor, lambda one: one.kind != FIELD)

    def fields(self, anchor: Anchor) -> tuple[Whereabouts, ...]:
        """The fields that an anchor means."""
        return self._first(anchor, lambda one: one.kind == FIELD)

    def text(self, path: str) -> Text:
        """The text of a file of the release."""
        if path not in self.texts:
            file = next(one for one in self.source.files if one.path == path)
            self.texts[path] = text_of(file)
        return self.texts[path]

    def _first(self, anchor: Anchor, counts: object) -> tuple[Whereabouts, ...]:
        assert callable(counts), "says which of what bears a name is meant"
        for name in names_in(anchor, self.release):
            if found := tuple(one for one in self.ledger.named(name.text, [self.number]) if counts(one)):
                return found
        return ()


def text_of(file: SourceFile) -> Text:
    """The text of a file, read now."""
    content = read_bytes(file)
    ends: dict[str, int] = {}
    for one in sketch_file(file, content).sketches:
        ends.setdefault(one.symbol, one.end_line)
    text = content.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return Text(tuple(text.split("\n")), ends)  # a form feed ends no line


def digest_of(text: str) -> str:
    """What a text is known by: 16 hexadecimal digits of SHA-256. The emitted package computes it, too."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def several(found: Iterable[Whereabouts]) -> str:
    """What a name may mean, for a message."""
    return ", ".join(dict.fromkeys(one.symbol for one in found))
