"""How sources are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.source.names import SourceKind, SourceName, parse_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pypi:six", SourceName(SourceKind.RELEASE, "six")),
        ("pypi:six==1.16.0", SourceName(SourceKind.RELEASE, "six", "1.16.0")),
        ("pypi: six == v1.16.0 ", SourceName(SourceKind.RELEASE, "six", "1.16.0")),
        ("dist:zope.interface", SourceName(SourceKind.INSTALLED, "zope.interface")),
    ],
)
def test_projects_are_named_with_a_prefix(text: str, expected: SourceName) -> None:
    """And with one exact version, or none."""
    assert parse_name(text) == expected


@pytest.mark.parametrize("text", ["pypi:", "pypi:six==", "pypi:six>=1", "pypi:a[b]", "pypi:six==latest", "pypi:../six", "dist:"])
def test_what_names_no_project_is_one_message(text: str) -> None:
    """It shows a form that works."""
    with pytest.raises(FlowmapError, match=r"pypi:\w+==|dist:NAME"):
        parse_name(text)


def test_paths_are_folders_or_archives(tmp_path: Path) -> None:
    """By what is there, whatever the name looks like."""
    (tmp_path / "x.whl").mkdir()
    (tmp_path / "file").write_bytes(b"")
    assert parse_name(str(tmp_path / "x.whl")).kind is SourceKind.FOLDER
    assert parse_name(str(tmp_path / "file")).kind is SourceKind.ARCHIVE


def test_a_bare_project_name_is_understood() -> None:
    """Someone who forgets the prefix is told of it."""
    with pytest.raises(FlowmapError, match=r"Did you mean `pypi:no-such-folder==1\.0`"):
        parse_name("no-such-folder==1.0")


@pytest.mark.parametrize(
    ("text", "hint"),
    [("git:.", r"git:\.@HEAD"), ("git:.@", r"git:\.@HEAD"), ("git:no/folder@v1", "local clone")],
)
def test_a_revision_needs_a_folder_and_a_name(text: str, hint: str) -> None:
    """Each is asked for when it is missing."""
    with pytest.raises(FlowmapError, match=hint):
        parse_name(text)


def test_folders_and_revisions_may_hold_an_at_sign(tmp_path: Path) -> None:
    """The first folder that is there decides."""
    (tmp_path / "a@b").mkdir()
    assert parse_name(f"git:{tmp_path}/a@b@HEAD@{{1}}") == SourceName(SourceKind.REVISION, str(tmp_path / "a@b"), "HEAD@{1}")
