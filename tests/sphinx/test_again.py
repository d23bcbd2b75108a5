"""A manual is built again where answers have changed, and by any number of processes alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.sphinx import outdated
from tests.sphinx.building import CODE, Project

PAGES = {
    "index": "Title\n=====\n\n.. toctree::\n   :glob:\n\n   *\n",
    "work": "Work\n====\n\n.. flowmap-trace:: Worker.run\n\n.. flowmap-source:: Worker.run\n",
    "apart": "Apart\n=====\n\n.. flowmap-trace:: alone\n",
    "mention": "Mention\n=======\n\n:flow:func:`Worker.run` and :flow:field:`Request.length`\n",
    "state": "State\n=====\n\n.. flowmap-state:: Request.length\n",
    "draw": "Draw\n====\n\n.. flowmap-graph:: main\n   :down:\n",
    "plain": "Plain\n=====\n\nNothing is asked here.\n",
}
CALLER = "from app.work import Worker\n\n\ndef tardy() -> None:\n    Worker().run([])\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A manual that has been built."""
    made = Project(tmp_path)
    made.write(PAGES)
    assert set(made.build().read) == set(PAGES)
    return made


def test_nothing_is_read_again_where_nothing_changed(project: Project) -> None:
    """A second build has nothing to do."""
    assert project.build().read == ()


def test_a_change_has_the_pages_read_again_that_speak_of_it(project: Project) -> None:
    """All lines of a file have moved: what shows one of them is read again, a page about another file is not."""
    project.write({}, {"work.py": "# A line more.\n" + CODE["work.py"]})
    page = project.build()
    assert page.read == ("draw", "mention", "state", "work")
    assert "work.py:18" in page.page("work.html")


def test_a_change_that_alters_no_answer_has_nothing_read_again(project: Project) -> None:
    """A remark behind everything moves nothing."""
    project.write({}, {"work.py": CODE["work.py"] + "# The end.\n"})
    assert project.build().read == ()


def test_a_new_caller_in_another_file_is_told(project: Project) -> None:
    """Which no page had looked at before."""
    project.write({}, {"late.py": CALLER})
    page = project.build()
    assert page.read == ("work",)
    assert "late.py" in page.page("work.html")


def test_another_flowmap_is_asked_anew(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may answer otherwise, and need not understand what an older one kept."""
    monkeypatch.setattr(outdated, "_own_code", lambda: "another")
    assert project.build().read == tuple(sorted(set(PAGES) - {"index", "plain"}))
    assert project.build().read == ()


def test_a_name_that_comes_is_noticed(tmp_path: Path) -> None:
    """What was wrong is asked again, too."""
    project = Project(tmp_path)
    project.write({"index": "Title\n=====\n\n.. flowmap-trace:: tardy\n"})
    assert "tardy: no such name" in project.build().warnings
    project.write({}, {"late.py": CALLER})
    page = project.build()
    assert not page.warnings
    assert page.read == ("index",)


def test_a_name_that_goes_is_noticed(project: Project) -> None:
    """The page is read again, and says where the name stands."""
    project.write({}, {"apart.py": "def other() -> None: ...\n"})
    page = project.build()
    assert page.read == ("apart",)
    assert "apart.rst:4: WARNING: flowmap-trace: alone: no such name" in page.warnings


def test_two_processes_make_the_same_pages(project: Project) -> None:
    """Every file, byte for byte, but for what Sphinx keeps for itself."""
    one, two = project.build(out="one"), project.build(n_processes=2, out="two")
    names = {path.relative_to(one.folder) for path in one.folder.rglob("*") if path.is_file()}
    assert names == {path.relative_to(two.folder) for path in two.folder.rglob("*") if path.is_file()}
    kept = {".buildinfo", ".buildinfo.bak"}
    assert [name for name in sorted(names) if name.name not in kept and differs(one.folder / name, two.folder / name)] == []


def differs(one: Path, other: Path) -> bool:
    """Whether two files hold different bytes."""
    return one.read_bytes() != other.read_bytes()
