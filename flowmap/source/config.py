"""What `flowmap.toml`, or `[tool.flowmap]` in `pyproject.toml`, says."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from flowmap.model.hint import Hint
from flowmap.model.problem import FlowmapError, Problem
from flowmap.source.hints import hints_in
from flowmap.source.names import anchored

TEXT_KEYS = ("source", "exclude")
KNOWN_KEYS = (*TEXT_KEYS, "link", "hint")
PLACEHOLDERS = ("{path}", "{line}", "{col}")  # what `link` may hold


@dataclass(frozen=True, slots=True)
class Configuration:
    """The keys of a configuration file. `sources` are seen from the working folder; `path` is None where no file was found."""

    path: Path | None = None
    sources: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    link: str = ""
    hints: tuple[Hint, ...] = ()

    @property
    def shown(self) -> str:
        """The file as a sentence names it."""
        name = self.path.name if self.path else ""
        return name if name == "flowmap.toml" else f"[tool.flowmap] in {name}"


def find_configuration(folder: Path) -> Configuration:
    """The nearest configuration, in the folder or above it. Errors: FlowmapError with all that is wrong in that file."""
    for place in (folder, *folder.parents):
        for name in ("flowmap.toml", "pyproject.toml"):
            path = place / name
            if name == "flowmap.toml" and os.path.lexists(path) and not os.path.isfile(path):
                raise FlowmapError(Problem(str(path), "is no file", "Make it one, or give it another name."))
            table = _table(path) if os.path.isfile(path) else None
            if table is not None:
                return _configuration(path, table)
    return Configuration()


def read_toml(path: Path) -> Mapping[str, object]:
    """A TOML file. Errors: FlowmapError when it cannot be read or is not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FlowmapError(Problem(str(path), f"cannot be read: {error.strerror}")) from error
    except UnicodeDecodeError as error:
        raise FlowmapError(Problem(str(path), "cannot be read: it is not UTF-8", "Save it as UTF-8.")) from error
    except ValueError as error:
        raise FlowmapError(Problem(str(path), f"is not TOML: {error}", "Correct that line.")) from error


def toml_of_subject(path: Path) -> Mapping[str, object]:
    """A TOML file of the subject: empty where it is missing or cannot be read, since its faults are not the user's question."""
    try:
        return read_toml(path)
    except FlowmapError:
        return {}


def texts(value: object) -> tuple[str, ...] | None:
    """A text or a list of texts as a tuple; None for anything else."""
    values: list[object] = value if isinstance(value, list) else [value]
    known = tuple(each for each in values if isinstance(each, str) and each)
    return known if len(known) == len(values) else None


def table_at(toml: Mapping[str, object], *keys: str) -> Mapping[str, object] | None:
    """The table at the end of the keys, None where there is none."""
    found: object = toml
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else None


def _table(path: Path) -> Mapping[str, object] | None:
    toml = read_toml(path)
    if path.name == "flowmap.toml":
        return toml
    found = (table_at(toml, "tool") or {}).get("flowmap")
    if found is not None and not isinstance(found, Mapping):
        raise FlowmapError(Problem(str(path), "`tool.flowmap` is no table", "Write `[tool.flowmap]`, and the keys under it."))
    return found


def _configuration(path: Path, table: Mapping[str, object]) -> Configuration:
    problems = tuple(_unknown(path, key) for key in table if key not in KNOWN_KEYS)
    wanted = {key: texts(table.get(key, [])) for key in TEXT_KEYS}
    problems += tuple(_mistyped(path, key) for key, value in wanted.items() if value is None)
    if wanted["source"] == () and "source" in table:
        problems += (Problem(str(path), "`source` names nothing", 'Write `source = "…"`, or leave it out.'),)
    problems += _wrong_link(path, table.get("link", ""))
    hints, wrong = hints_in(table.get("hint", []), path)
    problems += wrong
    if problems:
        raise FlowmapError(*dict.fromkeys(problems))
    sources = tuple(anchored(name, path.parent) for name in wanted["source"] or ())
    return Configuration(path, sources, wanted["exclude"] or (), str(table.get("link", "")), hints)


def _wrong_link(path: Path, link: object) -> tuple[Problem, ...]:
    if not isinstance(link, str):
        return (Problem(str(path), "`link` is not a text", 'Write `link = "…{path}…{line}"`.'),)
    unknown = [each for each in dict.fromkeys(re.findall(r"\{\w*\}", link)) if each not in PLACEHOLDERS]
    what = f"`link` has {', '.join(unknown)}, which nothing stands for"
    return (Problem(str(path), what, f"Known: {', '.join(PLACEHOLDERS)}."),) if unknown else ()


def _unknown(path: Path, key: str) -> Problem:
    nearest = get_close_matches(key, KNOWN_KEYS, 1)
    fix = f"Did you mean `{nearest[0]}`?" if nearest else f"Known keys: {', '.join(KNOWN_KEYS)}."
    return Problem(str(path), f"unknown key `{key}`", fix)


def _mistyped(path: Path, key: str) -> Problem:
    return Problem(str(path), f"`{key}` is neither a text nor a list of texts", f'Write `{key} = "…"` or `{key} = ["…", "…"]`.')
