"""Roles lead to the pages that tell about a thing, from the same manual and from others."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
from sphinx.util.inventory import InventoryFile

from tests.sphinx.building import CODE, Built, Project

TOLD = ".. flowmap-trace:: Worker.run\n\n.. flowmap-mro:: Worker\n\n.. flowmap-state:: Request.length\n"
LINK = "https://example.org/{path}#L{line}"


def built(folder: Path, text: str, told: str = TOLD, **settings: object) -> Built:
    """A manual whose page `index` has a text, and whose page `told` tells about things."""
    project = Project(folder, settings)
    project.write({"index": f"Title\n=====\n\n{text}\n\n.. toctree::\n\n   told\n", "told": f"Told\n====\n\n{told}"})
    return project.build()


@pytest.mark.parametrize(
    ("role", "anchor"),
    [
        (":flow:func:`Worker.run`", "flow-app.work.Worker.run"),
        (":flow:func:`run`", "flow-app.work.Worker.run"),
        (":flow:class:`Worker`", "flow-app.work.Worker"),
        (":flow:func:`Worker`", "flow-app.work.Worker"),
        (":flow:field:`Request.length`", "flow-app.work.Request.length"),
        (":any:`app.work.Worker.run`", "flow-app.work.Worker.run"),
    ],
)
def test_a_role_leads_to_what_is_told(tmp_path: Path, role: str, anchor: str) -> None:
    """However short the name, as long as it is unique."""
    page = built(tmp_path, role)
    assert not page.warnings
    assert f'href="told.html#{anchor}"' in page.page("index.html")
    assert f'id="{anchor}"' in page.page("told.html")


@pytest.mark.parametrize(
    ("role", "shown"),
    [(":flow:func:`~Worker.run`", ">run<"), (":flow:func:`this <Worker.run>`", ">this<")],
)
def test_a_role_shows_what_is_wished(tmp_path: Path, role: str, shown: str) -> None:
    """The last part of a name, or words."""
    assert shown in built(tmp_path, role).page("index.html")


def test_what_no_page_tells_about_leads_to_its_source(tmp_path: Path) -> None:
    """Where that can be seen."""
    page = built(tmp_path, ":flow:func:`main`", flowmap_link=LINK)
    assert not page.warnings
    assert 'href="https://example.org/app/work.py#L24"' in page.page("index.html")


def test_a_release_of_which_it_is_known_leads_to_its_public_source(tmp_path: Path) -> None:
    """The shipped atlas of a project says where its source can be seen; the version is that of the release."""
    wheel = tmp_path / "sglang-0.5.9-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        archive.writestr("sglang/__init__.py", "def main(): ...\n")
    page = built(tmp_path, ":flow:func:`main`", told="Nothing.", flowmap_source=str(wheel))
    assert not page.warnings
    assert 'href="https://github.com/sgl-project/sglang/blob/v0.5.9/python/sglang/__init__.py#L1"' in page.page("index.html")


def test_a_version_that_is_not_known_makes_no_link(tmp_path: Path) -> None:
    """A folder is no release."""
    page = built(tmp_path, ":flow:func:`main`", flowmap_link="https://example.org/v{version}/{path}")
    assert not page.warnings
    assert "example.org" not in page.page("index.html")


def test_what_no_page_tells_about_is_no_fault(tmp_path: Path) -> None:
    """Without an address of the source it is a text."""
    page = built(tmp_path, ":flow:func:`main`")
    assert not page.warnings
    assert "main" in page.page("index.html")


@pytest.mark.parametrize(
    ("role", "what"),
    [
        (":flow:func:`Worker.rum`", "Worker.rum: no such name"),
        (":flow:field:`Request.lenght`", "lenght: no class of the index has a field of this name"),
        (":flow:class:`Requests`", "Did you mean Request"),
        (":flow:func:`__init__`", "2 things bear this name"),
    ],
)
def test_a_name_that_is_wrong_is_a_warning_with_its_line(tmp_path: Path, role: str, what: str) -> None:
    """One that nothing bears, one that several do, none at all."""
    code = {**CODE, "apart.py": "class Other:\n    def __init__(self): ...\n"}
    project = Project(tmp_path)
    project.write({"index": f"Title\n=====\n\n{role}\n"}, code)
    page = project.build()
    assert f"{project.docs / 'index.rst'}:4: WARNING: :flow:" in page.warnings
    assert what in page.warnings


def test_a_warning_can_be_silenced(tmp_path: Path) -> None:
    """By its type, as any of Sphinx."""
    assert not built(tmp_path, ":flow:func:`Worker.rum`", suppress_warnings=["flowmap.name"]).warnings


def test_other_manuals_find_what_is_told(tmp_path: Path) -> None:
    """The inventory has functions, classes and fields by their whole names."""
    path = built(tmp_path, "Text.").folder / "objects.inv"
    inventory = InventoryFile.loads(path.read_bytes(), uri="https://example.org").data
    found = {kind: sorted(names) for kind, names in inventory.items() if kind.startswith("flow:")}
    assert found == {
        "flow:class": ["app.work.Worker"],
        "flow:field": ["app.work.Request.length"],
        "flow:function": ["app.work.Worker.run"],
    }
    assert inventory["flow:function"]["app.work.Worker.run"].uri == "https://example.org/told.html#flow-app.work.Worker.run"


def test_a_role_leads_into_another_manual(tmp_path: Path) -> None:
    """Of a code base that is not indexed here: the whole name is looked for in the inventories."""
    inventory = built(tmp_path / "other", "Text.").folder / "objects.inv"
    project = Project(tmp_path / "own", {"intersphinx_mapping": {"other": ("https://example.org", str(inventory))}})
    project.extensions = ("flowmap.sphinx", "sphinx.ext.intersphinx")
    project.write({"index": "Title\n=====\n\n:flow:func:`app.work.Worker.run`\n"}, {"__init__.py": "def own(): ...\n"})
    page = project.build()
    assert not page.warnings
    assert 'href="https://example.org/told.html#flow-app.work.Worker.run"' in page.page("index.html")


def test_of_two_pages_that_tell_the_first_is_led_to(tmp_path: Path) -> None:
    """By name; one that says `no-index` does not count."""
    project = Project(tmp_path)
    link = "Title\n=====\n\n:flow:func:`Worker.run`\n\n.. toctree::\n   :glob:\n\n   *\n"
    told = ".. flowmap-trace:: Worker.run\n"
    project.write({"index": link, "a": f"A\n=\n\n{told}   :no-index:\n", "b": f"B\n=\n\n{told}", "c": f"C\n=\n\n{told}"})
    page = project.build()
    assert not page.warnings
    assert 'href="b.html#flow-app.work.Worker.run"' in page.page("index.html")


def test_places_lead_to_where_a_page_shows_them(tmp_path: Path) -> None:
    """An annotated slice is where links of other answers lead, before an address elsewhere."""
    page = built(tmp_path, ".. flowmap-trace:: main", ".. flowmap-source:: Worker.run\n", flowmap_link=LINK)
    assert not page.warnings
    assert 'href="told.html#flow0-L17"' in page.page("index.html")
    assert 'id="flow0-L17"' in page.page("told.html")
    assert 'href="https://example.org/app/work.py#L12"' in page.page("index.html")
