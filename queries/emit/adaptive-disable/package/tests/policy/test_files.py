"""Files that the settings name: what cannot be used is said before a server starts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from adaptive_disable.config import ConfigError, HookConfig, Mode
from adaptive_disable.costs import CostTable
from adaptive_disable.files import check_files


def problems(config: HookConfig) -> tuple[str, ...]:
    """What is said."""
    with pytest.raises(ConfigError) as raised:
        check_files(config)
    return raised.value.problems


def test_files_that_are_not_there_yet_will_be_made(tmp_path: Path) -> None:
    """Their folder is there, and can be written."""
    here = {name: tmp_path / name for name in ("log", "metrics_file", "kill_file", "table")}
    check_files(HookConfig(**here))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_all_that_cannot_be_used_is_said_at_once(tmp_path: Path) -> None:
    """A folder that is missing, and one in the place of a file."""
    said = problems(HookConfig(log=tmp_path / "none" / "log", metrics_file=tmp_path, kill_file=tmp_path / "a" / "off"))
    assert said == (
        f"log is {tmp_path / 'none' / 'log'}: there is no folder {tmp_path / 'none'}",
        f"metrics_file is {tmp_path}: that is a folder; the path of a file is wanted",
        f"kill_file is {tmp_path / 'a' / 'off'}: there is no folder {tmp_path / 'a'}",
    )


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"batch_sizes": [1], "on_ms": [0], "off_ms": [1]})])
def test_a_table_that_is_none(tmp_path: Path, text: str) -> None:
    """It is read once before the server is."""
    table = tmp_path / "costs.json"
    table.write_text(text)
    (problem,) = problems(HookConfig(table=table))
    assert problem.startswith(f"table is {table}: ")


def test_a_table_that_nobody_asks_for_is_not_looked_at(tmp_path: Path) -> None:
    """Thresholds compare no step times."""
    check_files(HookConfig(mode=Mode.THRESHOLD, table=tmp_path / "none" / "costs.json"))


def test_a_table_that_is_one(tmp_path: Path) -> None:
    """Nothing is said."""
    CostTable((1, 2), (2.0, 3.0), (1.0, 1.0)).write(tmp_path / "costs.json")
    check_files(HookConfig(table=tmp_path / "costs.json"))


def test_what_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither log nor metrics; a kill file is somebody else's to make."""
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    log, off = tmp_path / "log", tmp_path / "off"
    assert problems(HookConfig(log=log, kill_file=off)) == (f"log is {log}: cannot be written",)


def test_what_cannot_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder above may not be searched: that is said, not raised."""

    def refused(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_dir", refused)
    assert problems(HookConfig(kill_file=Path("a", "off"))) == (
        f"kill_file is {Path('a', 'off')}: cannot be looked at: Permission denied",
    )
