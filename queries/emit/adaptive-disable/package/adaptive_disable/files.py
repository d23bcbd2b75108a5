"""What the settings name in the file system, looked at before a server starts: minutes later it would fail there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from adaptive_disable.config import ConfigError, HookConfig, Mode
from adaptive_disable.costs import CostTableError, read_table


def check_files(config: HookConfig) -> None:
    """Raise `ConfigError` with each file that is named and cannot be used: no folder, no right to it, no table."""
    problems = tuple(_problems(config))
    if problems:
        raise ConfigError(problems)


def _problems(config: HookConfig) -> Iterator[str]:
    named = {"log": config.log, "metrics_file": config.metrics_file, "kill_file": config.kill_file}
    if config.mode is Mode.COST_TABLE:
        named["table"] = config.table
    for setting, path in named.items():
        wrong = _wrong(setting, path) if path is not None else ""
        if wrong:
            yield f"{setting} is {path}: {wrong}"


def _wrong(setting: str, path: Path) -> str:
    """What is wrong with a file; "" where it can be used."""
    try:
        if not path.parent.is_dir():
            return f"there is no folder {path.parent}"
        if path.is_dir():
            return "that is a folder; the path of a file is wanted"
        is_there = path.exists()
    except OSError as error:
        return f"cannot be looked at: {error.strerror}"
    if setting == "table" and is_there:
        return _no_table(path)
    is_exchanged = setting == "metrics_file"  # another file takes its place, whoever wrote it
    if setting != "kill_file" and not os.access(path if is_there and not is_exchanged else path.parent, os.W_OK):
        return "cannot be written"
    return ""


def _no_table(path: Path) -> str:
    try:
        read_table(path)
    except CostTableError as error:
        return str(error).removeprefix(f"{path}: ")
    return ""
