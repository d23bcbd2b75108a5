"""The commands that a project installs, from its metadata."""

from __future__ import annotations

import configparser
from collections.abc import Mapping
from pathlib import Path

from flowmap.model.source import EntryPointName
from flowmap.source.config import table_at, toml_of_subject

_SECTIONS = ("console_scripts", "gui_scripts")


def entry_points_of_text(text: str) -> tuple[EntryPointName, ...]:
    """The commands in an `entry_points.txt`; none when it is not one."""
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # commands differ by case
    try:
        parser.read_string(text)
    except configparser.Error:
        return ()
    return _sorted({name: value for section in _SECTIONS if parser.has_section(section) for name, value in parser.items(section)})


def entry_points_of_folder(folder: Path) -> tuple[EntryPointName, ...]:
    """The commands of a project folder: `[project.scripts]` of `pyproject.toml`, or `entry_points` of `setup.cfg`."""
    toml = toml_of_subject(folder / "pyproject.toml")
    commands: dict[str, object] = {}
    for keys in (("tool", "poetry", "scripts"), ("project", "gui-scripts"), ("project", "scripts")):
        commands.update(table_at(toml, *keys) or {})
    return _sorted(commands) or _of_setup_cfg(folder / "setup.cfg")


def _of_setup_cfg(path: Path) -> tuple[EntryPointName, ...]:
    if not path.is_file():
        return ()
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(path.read_text(encoding="utf-8", errors="replace"))
    except configparser.Error:
        return ()
    section = "options.entry_points"
    text = "".join(f"[{key}]\n{value}\n" for key, value in (parser.items(section) if parser.has_section(section) else ()))
    return entry_points_of_text(text)


def _sorted(commands: Mapping[str, object]) -> tuple[EntryPointName, ...]:
    """Values may end in extras, `pkg.mod:main [extra]`; what names no function is no command."""
    plain = ((name, value.partition("[")[0].strip()) for name, value in commands.items() if isinstance(value, str))
    return tuple(sorted((name, target) for name, target in plain if ":" in target))
