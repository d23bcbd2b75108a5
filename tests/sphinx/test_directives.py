"""Each directive answers its question in the page, and says in which line what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sphinx.building import Built, Project

ANSWERS = {
    "flowmap-trace:: Worker.run": ["Reached through", "app.work.main", "Output.emit"],
    "flowmap-graph:: main\n   :down:": ["<svg", "Worker.run", "The same as text"],
    "flowmap-graph:: Worker.run\n   :kind: control": ["<svg", "for request in requests:", "Output.emit", "The same as text"],
    "flowmap-graph:: Request.length": ["<svg", "state of Request.length", "request.length += 1"],
    "flowmap-state:: Request.length": ["3 accesses", "updated", "request.length"],
    "flowmap-mro:: Worker": ["3 classes in its order", "Provides", "from"],
    "flowmap-flow:: Request.length": ["Path 1", "loaded", "stored"],
    "flowmap-source:: Worker.run": ["fm-line", "Output.emit"],
}


def built(folder: Path, text: str, builder: str = "html") -> Built:
    """A manual of one page."""
    project = Project(folder)
    project.write({"index": f"Title\n=====\n\n{text}\n"})
    return project.build(builder)


@pytest.mark.parametrize("directive", ANSWERS)
def test_a_directive_shows_its_answer(tmp_path: Path, directive: str) -> None:
    """What the command line answers stands in the page."""
    page = built(tmp_path, f".. {directive}")
    assert not page.warnings
    text = page.page("index.html")
    assert [each for each in ANSWERS[directive] if each.rpartition(".")[2] not in text] == []


@pytest.mark.parametrize("directive", ANSWERS)
@pytest.mark.parametrize("builder", ["text", "latex"])
def test_every_builder_gets_the_text(tmp_path: Path, directive: str, builder: str) -> None:
    """Where there is no HTML the page says what a console shows."""
    page = built(tmp_path, f".. {directive}", builder)
    assert not page.warnings
    names = ("index.txt", "projectnamenotset.tex")
    (text,) = [page.page(name) for name in names if page.folder.joinpath(name).exists()]
    assert "Worker" in text or "length" in text


def test_what_a_query_finds_is_drawn(tmp_path: Path) -> None:
    """A path as seen from `conf.py`, or the name of a query."""
    (tmp_path / "docs").mkdir()
    text = 'question = "Who writes?"\n[[find]]\nwhat = "calls"\ncalls = ["Output.emit"]\n'
    (tmp_path / "docs" / "own.toml").write_text(text, encoding="utf-8")
    page = built(tmp_path, ".. flowmap-graph:: own.toml\n   :kind: query")
    assert not page.warnings
    assert "query own: Who writes?" in page.page("index.html")
    wrong = built(tmp_path, ".. flowmap-graph:: nothing-of-the-kind\n   :kind: query")
    assert "there is no query of this name" in wrong.warnings


def test_a_report_about_hooks_is_asked_by_a_file(tmp_path: Path) -> None:
    """A path as seen from `conf.py`, or the name of a question."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "quiet.toml").write_text('question = "Where?"\nbypass = ["Output.emit"]\n', encoding="utf-8")
    page = built(tmp_path, ".. flowmap-hooks:: quiet.toml")
    assert not page.warnings
    assert "Hook in at" in page.page("index.html")
    wrong = built(tmp_path, ".. flowmap-hooks:: nothing-of-the-kind")
    assert "there is no question about hooks of this name" in wrong.warnings


def test_lines_past_the_end_are_a_warning(tmp_path: Path) -> None:
    """A slice that was right once, and now ends after its file does, is shown as far as it is there."""
    page = built(tmp_path, ".. flowmap-source:: apart.py:4-9")
    assert f"{tmp_path / 'docs' / 'index.rst'}:4: WARNING: flowmap-source: " in page.warnings
    assert "ends at line 5: 4 lines that were asked for are not there" in page.warnings
    assert "alone" in page.page("index.html")
    assert not built(tmp_path, ".. flowmap-source:: apart.py:4-5").warnings
    assert "lines 8 to 9 are not there" in built(tmp_path, ".. flowmap-source:: apart.py:8-9").warnings


def test_an_unknown_name_is_a_warning_with_its_line(tmp_path: Path) -> None:
    """Whoever wrote it finds it, and the nearest names."""
    page = built(tmp_path, ".. flowmap-trace:: Workerr")
    assert f"{tmp_path / 'docs' / 'index.rst'}:4: WARNING: flowmap-trace: Workerr: no such name" in page.warnings
    assert "Did you mean Worker" in page.warnings
