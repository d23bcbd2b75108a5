"""Files are named as the shell and the editor name them, and lines can be opened from the folder that they were asked for in."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.model.source import SubjectChoice
from flowmap.pipeline import open_index
from flowmap.reports.subjects import find_file
from flowmap.store.index import Index
from tests.conftest import Command

TEXTS = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "src/shop/__init__.py": "",
    "src/shop/jobs.py": "def run():\n    pass\n",
    "src/shop/deep/__init__.py": "",
    "src/shop/deep/jobs.py": "from shop.jobs import run\n\n\ndef again():\n    run()\n",
    "tests/shop/jobs.py": "",
    "other.py": "",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with its package below `src`; the current folder."""
    for name, text in TEXTS.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FLOWMAP_SOURCE", raising=False)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def index(project: Path) -> Index:  # noqa: ARG001 - the current folder
    """The index of `src`."""
    return open_index(SubjectChoice(("src",), (), "named"), SilentProgress())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("src/shop/jobs.py", "shop/jobs.py"),
        ("./src/shop/deep/../jobs.py", "shop/jobs.py"),
        ("checkout/of/another/shop/deep/jobs.py", "shop/deep/jobs.py"),
        ("shop/jobs.py", "shop/jobs.py"),
        ("src/shop", "shop/__init__.py"),
        ("src/shop/deep/", "shop/deep/__init__.py"),
        ("deep/jobs.py", "shop/deep/jobs.py"),
    ],
)
def test_a_path_that_leads_to_the_source_is_the_file_that_lies_there(index: Index, typed: str, meant: str) -> None:
    """From the current folder, of a checkout elsewhere, or the end of a path as the index has it."""
    assert find_file(index, typed).path == meant


@pytest.mark.parametrize("typed", ["tests/shop/jobs.py", "other.py", "src/shop/nothing.py", "pyproject.toml", "src"])
def test_a_file_that_is_not_indexed_is_not_taken_for_another_one(index: Index, typed: str) -> None:
    """Whether it ends like one that is, or like none."""
    with pytest.raises(FlowmapError, match="no file or module of the index has this name"):
        find_file(index, typed)


def test_in_a_folder_of_the_source_its_own_files_come_first(index: Index, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`jobs.py` is two files of the index, and one of the current folder."""
    with pytest.raises(FlowmapError, match="2 things bear this name"):
        find_file(index, "jobs.py")
    monkeypatch.chdir(project / "src" / "shop" / "deep")
    assert find_file(index, "jobs.py").path == "shop/deep/jobs.py"


def test_lines_can_be_opened_from_the_current_folder(flowmap: Command, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file lies below it, and can be asked about again; elsewhere the path in the index stands, as in JSON."""
    asked = ("callers", "shop.jobs.run", "--source", str(project / "src"), "--format", "lines")
    (line,) = flowmap(*asked).stdout.splitlines()
    place, _, _ = line.partition(": ")
    assert place == "src/shop/deep/jobs.py:5:5"
    assert flowmap("explain", place, "--source", str(project / "src")).stdout.startswith("shop/deep/jobs.py:5  1 call site")
    monkeypatch.chdir(project / "tests")
    assert flowmap(*asked).stdout.startswith("shop/deep/jobs.py:5:5: ")
