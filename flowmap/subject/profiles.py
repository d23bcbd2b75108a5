"""Profiles: configurations of a code base by name, one file each, that say in full what they assume."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path

from flowmap.model.assumption import Assumption, Configuration, read_assumption, shown
from flowmap.model.problem import FlowmapError, Problem

FOLDER = "profiles"  # beside the user's `flowmap.toml`
ROW = '{ says = "…", that = "Class.field=VALUE" }'


def configuration(profile: str, assumed: Sequence[str], config: Path | None) -> Configuration:
    """What a profile and further assumptions say together; "" is no profile. `config` is the user's configuration file.

    Errors: FlowmapError when there is no such profile, an assumption cannot be read, or two contradict each other.
    """
    known = load_profile(profile, config) if profile else Configuration()
    further = tuple(dict.fromkeys(map(read_assumption, assumed)))
    check_once(further)
    name = " + ".join((*([profile] if profile else []), *map(str, further)))
    replaced = {one.subject for one in further}
    return Configuration(name, (*(one for one in known.assumptions if one.subject not in replaced), *further))


def check_once(assumptions: Sequence[Assumption]) -> None:
    """Errors: FlowmapError for whatever is assumed to have several values."""
    values: dict[str, list[str]] = {}
    for one in assumptions:
        values.setdefault(one.subject, []).append(shown(one.value))
    twice = {subject: each for subject, each in values.items() if len(each) > 1}
    if twice:
        problems = (Problem(subject, f"is assumed to be {' and '.join(each)}", "Say one.") for subject, each in twice.items())
        raise FlowmapError(*problems)


def load_profile(name: str, config: Path | None) -> Configuration:
    """The profile of a name. Errors: FlowmapError when there is none, or its file is wrong."""
    found = profile_files(config)
    if name not in found:
        near = get_close_matches(name, found, 1)
        fix = f"Did you mean `{near[0]}`? All: {', '.join(found)}." if near else f"There are: {', '.join(found)}."
        raise FlowmapError(Problem(name, "there is no profile of this name", fix))
    return read_profile(found[name])


def profile_files(config: Path | None) -> Mapping[str, Path]:
    """All profiles by name; a user's own come before those that are shipped."""
    folders = [Path(str(files("flowmap.subject").joinpath(FOLDER))), *([config.parent / FOLDER] if config else [])]
    found = {path.stem: path for folder in folders for path in sorted(folder.glob("*.toml"))}
    return dict(sorted(found.items()))


def profiles_read(config: Path | None) -> tuple[tuple[Configuration, ...], tuple[Problem, ...]]:
    """All profiles that can be read, and what is wrong with the others."""
    read: list[Configuration] = []
    wrong: list[Problem] = []
    for path in profile_files(config).values():
        try:
            read.append(read_profile(path))
        except FlowmapError as error:
            wrong += error.problems
    return tuple(read), tuple(wrong)


def read_profile(path: Path) -> Configuration:
    """A profile out of its file. Errors: FlowmapError when the file is not one."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise FlowmapError(Problem(str(path), "cannot be read: it is not UTF-8", "Save it as UTF-8.")) from error
    except (OSError, ValueError) as error:
        raise FlowmapError(Problem(str(path), f"cannot be read as TOML: {error}", "Correct that line.")) from error
    rows = table.get("assume", [])
    if not isinstance(rows, list) or not rows or not all(map(is_row, rows)):
        raise FlowmapError(Problem(str(path), "`assume` is not a list of assumptions", f"Write `assume = [{ROW}]`."))
    assumptions = tuple(assumption(row) for row in rows)
    check_once(assumptions)
    return Configuration(path.stem, assumptions)


def is_row(row: object) -> bool:
    """Whether a value is a table of two texts, the sentence and the assumption."""
    return isinstance(row, dict) and set(row) == {"says", "that"} and all(isinstance(each, str) for each in row.values())


def assumption(row: Mapping[str, str]) -> Assumption:
    """One line of a profile."""
    return read_assumption(row["that"], row["says"])
