"""A revision of a clone is read from git's objects."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.model.source import OpenedSource
from flowmap.source.open import open_source, read_bytes
from tests.source.conftest import write_tree


def opened(name: str) -> OpenedSource:
    """A source by its name."""
    return open_source(name, (), SilentProgress())


def git(clone: Path, *arguments: str) -> str:
    """Run git in a clone, as nobody in particular."""
    command = ["git", "-C", str(clone), "-c", "user.name=x", "-c", "user.email=x@x", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone whose tag `v1` differs from what its work tree holds now."""
    folder = write_tree(tmp_path / "my@repo", {"demo/__init__.py": "x = 1", "tool.py": "", "n.ipynb": "{}"})
    write_tree(folder, {".gitattributes": "demo/** export-ignore\n"})
    os.symlink("/etc/passwd", folder / "link.py")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    git(folder, "tag", "v1")
    write_tree(folder, {"demo/__init__.py": "x = 2", "tool.py": "changed"})
    return folder


def test_a_revision_is_read_without_touching_the_work_tree(clone: Path) -> None:
    """Its text is that of the revision; what git says of the work tree stays the same."""
    before = git(clone, "status", "--porcelain")
    source = opened(f"git:{clone}@v1")
    assert [file.path for file in source.files] == ["demo/__init__.py", "tool.py"]
    assert read_bytes(source.files[0]) == b"x = 1"
    assert git(clone, "status", "--porcelain") == before
    assert source.label == f"git:{clone}@v1"


def test_links_and_notebooks_of_a_revision_are_left_out(clone: Path) -> None:
    """As in an archive, and said."""
    whats = [problem.what for problem in opened(f"git:{clone}@v1").problems]
    assert whats == ["is a link and is left out", "1 notebook is left out"]


def test_a_folder_of_a_clone_can_be_the_source(clone: Path) -> None:
    """It is read as that folder would be."""
    assert [file.path for file in opened(f"git:{clone / 'demo'}@v1").files] == ["demo/__init__.py"]


def test_a_bare_clone_works(clone: Path, tmp_path: Path) -> None:
    """Nothing is read from a work tree, so none is needed."""
    subprocess.run(["git", "clone", "-q", "--bare", str(clone), str(tmp_path / "bare")], check=True)
    assert len(opened(f"git:{tmp_path / 'bare'}@v1").files) == 2


def test_the_identity_follows_the_tree(clone: Path) -> None:
    """Another name of the same content is the same source, other content is not."""
    head, tag = opened(f"git:{clone}@HEAD"), opened(f"git:{clone}@v1")
    git(clone, "commit", "-q", "-am", "two")
    assert head.identity == tag.identity != opened(f"git:{clone}@HEAD").identity


@pytest.mark.parametrize("revision", ["nope", "--output=x", "v1:demo"])
def test_an_unknown_revision_is_one_message(clone: Path, revision: str) -> None:
    """Whatever it looks like, it is never taken for an option."""
    with pytest.raises(FlowmapError, match="has no revision"):
        opened(f"git:{clone}@{revision}")


def test_a_folder_outside_any_clone_is_one_message(tmp_path: Path) -> None:
    """There is no revision in it."""
    with pytest.raises(FlowmapError, match="lies in no git clone"):
        opened(f"git:{tmp_path}@HEAD")
