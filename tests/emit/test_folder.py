"""The folder of an emitted package: whatever ends an exchange half-way, all is as it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from flowmap.emit.folder import write_folder
from flowmap.model.emit import EmittedFile

OLD = (EmittedFile("package/code.py", b"old"), EmittedFile("README.md", b"old"))
NEW = (EmittedFile("package/code.py", b"new"), EmittedFile("package/more.py", b"new"))
THEIRS = {"notes.txt": b"mine", "package/own.py": b"mine", "data/x": b"mine"}


def contents(folder: Path) -> dict[str, bytes]:
    """All files, by path; also those that begin with a dot."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package, and what others put beside its files."""
    place = tmp_path / "hook"
    write_folder(place, "quiet", OLD)
    for path, content in THEIRS.items():
        (place / path).parent.mkdir(exist_ok=True)
        (place / path).write_bytes(content)
    return place


def failing(at: int, error: BaseException) -> Callable[[str, str], None]:
    """`os.replace`, which fails the n-th time that it is called, and works before and after that."""
    calls, replace = [0], os.replace

    def replaced(path: str, to: str) -> None:
        calls[0] += 1
        if calls[0] == at:
            raise error
        replace(path, to)

    return replaced


def test_what_others_put_there_stays(folder: Path) -> None:
    """Files of the old package that the new one does not have are gone."""
    write_folder(folder, "quiet", NEW)
    found = contents(folder)
    assert {path: found[path] for path in THEIRS} == THEIRS
    assert found["package/code.py"] == found["package/more.py"] == b"new"
    assert "README.md" not in found
    assert [path.name for path in folder.parent.iterdir()] == ["hook"]


@pytest.mark.parametrize("at", [1, 2, 3, 4, 5])
def test_an_exchange_that_is_interrupted_leaves_the_old_package(folder: Path, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each of its moves: the old files and those of others are where they were, and nothing lies beside them."""
    before = contents(folder)
    monkeypatch.setattr(os, "replace", failing(at, KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, "quiet", NEW)
    assert contents(folder) == before
    assert [path.name for path in folder.parent.iterdir()] == ["hook"]


def test_the_interrupted_exchange_has_five_moves(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old package, three things of others, new package: a sixth is never made."""
    monkeypatch.setattr(os, "replace", failing(6, KeyboardInterrupt()))
    write_folder(folder, "quiet", NEW)
