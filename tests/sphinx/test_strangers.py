"""What the indexed code says is text in every page, and what is wrong with it ends no build."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sphinx.building import Built, Project

EVIL = '''\
class Box:
    """<script>alert(1)</script> *bold* `role` |sub|"""

    def open(self, name: str = "</pre><img src=x onerror=alert(2)>") -> None:
        self.size = 1
        if name == '"><script>alert(3)</script>' or name == "\\x1b[31m":
            self.shut()

    def shut(self) -> None:
        print(self.size)


Box().open()
'''
ASKED = tuple(
    f"flowmap-{each}" for each in ("trace:: Box.open", "graph:: Box.open", "state:: Box.size", "source:: Box", "mro:: Box")
)


def built(folder: Path, text: str, builder: str = "html", **settings: object) -> Built:
    """A manual of one page about code that means ill."""
    project = Project(folder, settings)
    project.write({"index": f"Title\n=====\n\n{text}\n"}, {"__init__.py": "", "box.py": EVIL})
    return project.build(builder)


@pytest.mark.parametrize("directive", ASKED)
def test_no_text_of_the_code_is_markup(tmp_path: Path, directive: str) -> None:
    """No element of it comes into the page, and no control character."""
    page = built(tmp_path, f".. {directive}")
    assert not page.warnings
    text = page.page("index.html")
    assert [each for each in ("<script>alert", "<img src=x", "\x1b", "<strong>bold", "<em>bold") if each in text] == []


@pytest.mark.parametrize("builder", ["text", "latex", "man", "xml"])
def test_every_builder_takes_it(tmp_path: Path, builder: str) -> None:
    """None of them warns or ends."""
    page = built(tmp_path, "\n\n".join(f".. {directive}" for directive in ASKED), builder)
    assert not page.warnings


def test_a_source_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    """At the line of whatever asks; the page is built without the answer."""
    page = built(tmp_path, ".. flowmap-trace:: Box.open", flowmap_source="nowhere")
    assert "index.rst:4: WARNING: flowmap-trace:" in page.warnings
    assert "nowhere" in page.warnings


def test_a_graph_that_cannot_be_drawn_is_shown_as_text(tmp_path: Path) -> None:
    """Within the time that is given: a warning says so."""
    page = built(tmp_path, ".. flowmap-graph:: Box.open", flowmap_seconds=0.0001)
    assert "flowmap-graph: graph: the layout took longer" in page.warnings
    assert "Box.shut" in page.page("index.html")
    assert "<svg" not in page.page("index.html")


def test_an_option_that_is_wrong_is_said(tmp_path: Path) -> None:
    """By Sphinx, with the values that there are."""
    page = built(tmp_path, ".. flowmap-trace:: Box.open\n   :confidence: sure")
    assert "index.rst:4" in page.warnings
    assert "proven" in page.warnings


def test_a_directive_without_a_name_is_said(tmp_path: Path) -> None:
    """An empty question has no answer."""
    assert "1 argument(s) required" in built(tmp_path, ".. flowmap-trace::").warnings


def test_two_graphs_of_a_page_have_ids_of_their_own(tmp_path: Path) -> None:
    """The same function in both is two elements."""
    page = built(tmp_path, ".. flowmap-graph:: Box.open\n\n.. flowmap-graph:: Box.shut").page("index.html")
    ids = [part.split('"', 1)[0] for part in page.split(' id="')[1:]]
    assert page.count("<svg") == 2
    assert sorted({each for each in ids if ids.count(each) > 1}) == []
