"""Whether what a configuration assumes is there in an index, found by names and text alone: `doctor` solves nothing."""

from __future__ import annotations

import re

from flowmap.model.assumption import Assumption, Configuration
from flowmap.store.index import Index

_CALLED = "()"
_NAMED = "SELECT text, kind, file, line, end_line FROM symbol WHERE name = ? AND file IS NOT NULL"


def unmatched(index: Index, configuration: Configuration) -> tuple[Assumption, ...]:
    """The assumptions that speak of nothing in the index."""
    return tuple(one for one in configuration.assumptions if not _is_there(index, one.subject))


def _is_there(index: Index, subject: str) -> bool:
    if subject.endswith(_CALLED):
        return any(_places(index, subject.removesuffix(_CALLED), ("function", "method")))
    owner, _, name = subject.rpartition(".")
    word = re.compile(rf"\b{re.escape(name)}\b")
    found = _places(index, owner, ("class", "module"))
    return any(word.search("\n".join(index.text_lines(path)[first - 1 : last])) for path, first, last in found)


def _places(index: Index, name: str, kinds: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """The files and lines of the definitions whose symbol ends in a name."""
    rows = index.rows(_NAMED, name.rpartition(".")[2])
    fits = [row for row in rows if row[1] in kinds and (row[0] == name or row[0].endswith(f".{name}"))]
    return [(index.files[file].path, line, end_line) for _, _, file, line, end_line in fits]
