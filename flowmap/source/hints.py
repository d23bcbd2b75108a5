"""The hints of a configuration, and a source that is read with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from flowmap.model.hint import Hint
from flowmap.model.problem import Problem
from flowmap.model.source import OpenedSource
from flowmap.source.identity import digest_of_texts

_EXAMPLE = 'Write at = "pkg.mod.f(param)" and holds = ["pkg.mod.Class"].'


def hints_in(value: object, path: Path) -> tuple[tuple[Hint, ...], tuple[Problem, ...]]:
    """The hints among the tables of a configuration, and what is wrong with the others."""
    rows = value if isinstance(value, list) else [value]
    read = [_hint(row, path.name) for row in rows]
    wrong = [Problem(str(path), "a [[hint]] says not both `at` and `holds`", _EXAMPLE) for hint in read if hint is None]
    return tuple(hint for hint in read if hint is not None), tuple(wrong)


def _hint(row: object, written: str) -> Hint | None:
    if not isinstance(row, Mapping) or set(row) != {"at", "holds"} or not isinstance(row["at"], str):
        return None
    holds = row["holds"] if isinstance(row["holds"], list) else [row["holds"]]
    if not holds or not all(isinstance(one, str) for one in holds):
        return None
    return Hint(row["at"].strip(), tuple(holds), written)


def with_hints(opened: OpenedSource, hints: tuple[Hint, ...]) -> OpenedSource:
    """The source, to be read with these hints: another identity than without them."""
    if not hints:
        return opened
    said = digest_of_texts(f"{hint.at}\0{hint.holds}\0{hint.written}" for hint in hints)[:16]
    return replace(opened, hints=hints, identity=f"{opened.identity}-{said}")
