"""The site as Sphinx makes it: the same by one process or two, quick the second time, and every link leads somewhere."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from sphinx.testing.util import SphinxTestApp
from sphinx.util.inventory import InventoryFile

from flowmap.atlas.build import Site, build_atlas
from flowmap.atlas.slice import Slice, planned
from flowmap.model.problem import FlowmapError
from flowmap.query.atlas import read_plan
from flowmap.query.files import QueryFile
from flowmap.store.index import Index
from tests.atlas.program import PROGRAM, program_in
from tests.conftest import Command

PLAN = """
title = "The shop & <co>"
fields = ["Order.*"]
functions = ["odd", "größe", "Loud.emit", "Desk.run", "OutputMixin.emit"]

[calls]
from = ["shop.desk.main"]
"""
_LINK = re.compile(r'(?:href|src)="([^"#?]*)(?:\?[^"#]*)?(?:#([^"]*))?"')
_ID = re.compile(r'\bid="([^"]*)"')


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of the shop."""
    return program_in(tmp_path_factory.mktemp("shop"))


def slice_of(index: Index, folder: Path, text: str = PLAN) -> Slice:
    """The slice of a plan."""
    path = folder / "shop.toml"
    path.write_text(text, encoding="utf-8")
    return planned(index, read_plan(QueryFile(path, "shop.toml")), None)


@pytest.fixture(scope="module")
def site(index: Index, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site made by one process."""
    folder = tmp_path_factory.mktemp("site")
    build_atlas(index, slice_of(index, folder), Site(folder / "one", 1))
    return folder / "one"


def pages(folder: Path) -> dict[str, bytes]:
    """Everything that readers get."""
    files = (path for path in folder.rglob("*") if path.is_file())
    named = ((path.relative_to(folder).as_posix(), path) for path in files)
    return {name: path.read_bytes() for name, path in named if not name.startswith(".")}


def test_other_manuals_may_link_to_every_page(index: Index, site: Path, tmp_path: Path) -> None:
    """`objects.inv` has each function, class, field, query and file under its whole name; roles of `flowmap.sphinx` find them."""
    listed = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="").data
    found = {kind: set(listed[f"flow:{kind}"]) for kind in ("function", "class", "field", "file")}
    assert "shop.desk.Desk.run" in found["function"]
    assert "shop.output.OutputMixin" in found["class"]
    assert "shop.orders.Order.amount" in found["field"]
    assert "shop/desk.py" in found["file"]
    for objects in (listed[f"flow:{kind}"] for kind in found):
        assert [each.uri for each in objects.values() if not (site / unquote(each.uri)).is_file()] == []
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.rst").write_text(
        "Title\n=====\n\n:flow:func:`Desk.run` and :flow:field:`Order.amount`\n", encoding="utf-8"
    )
    settings = {
        "extensions": ["sphinx.ext.intersphinx", "flowmap.sphinx"],
        "flowmap_source": index.source,
        "intersphinx_mapping": {"atlas": ("https://atlas.example", str(site / "objects.inv"))},
    }
    (tmp_path / "docs" / "conf.py").touch()
    app = SphinxTestApp("html", tmp_path / "docs", builddir=tmp_path / "built", confoverrides=settings)
    app.build()
    text = (tmp_path / "built" / "html" / "index.html").read_text(encoding="utf-8")
    app.cleanup()
    assert 'href="https://atlas.example/functions/shop.desk.Desk.run.html' in text
    assert 'href="https://atlas.example/fields/Order.amount.html' in text


def test_two_processes_make_the_same_pages(index: Index, site: Path, tmp_path: Path) -> None:
    """To the byte."""
    build_atlas(index, slice_of(index, tmp_path), Site(tmp_path / "two", 2))
    assert pages(tmp_path / "two") == pages(site)


def test_every_link_leads_somewhere(site: Path) -> None:
    """To a file of the site, and to an anchor that is there; nothing is loaded from elsewhere."""
    made = {path.resolve(): path.read_text(encoding="utf-8") for path in site.rglob("*.html") if ".flowmap" not in path.parts}
    anchors = {path: {unescape(found) for found in _ID.findall(text)} for path, text in made.items()}
    broken = []
    for path, text in made.items():
        for name, anchor in _LINK.findall(text):
            target = (path.parent / unquote(unescape(name))).resolve() if name else path
            if name.startswith(("https://", "mailto:", "data:")):
                continue
            if not target.is_file() or (anchor and target in anchors and unquote(unescape(anchor)) not in {*anchors[target], ""}):
                broken.append((path.relative_to(site).as_posix(), name, anchor))
    assert len(made) > 25
    assert broken == []


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    """Neither scripts, styles, fonts nor pictures: links alone may lead away, and only where a reader follows them."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|img|iframe|link)\b[^>]*(?:src|href)="(?:https?:)?//', text), path


def test_only_what_changed_is_made_again(index: Index, tmp_path: Path) -> None:
    """A function that is new in the slice changes the pages that link to it, and leaves the others as they are."""
    first = PLAN.replace('"odd", ', "")
    build_atlas(index, slice_of(index, tmp_path, first), Site(tmp_path / "site", 1))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "site" / "source").rglob("*.html")}
    counted = build_atlas(index, slice_of(index, tmp_path), Site(tmp_path / "site", 1))
    assert 0 < counted.written < 12
    changed = {path.name for path, at in before.items() if path.is_file() and path.stat().st_mtime_ns != at}
    assert "orders.py.html" not in changed
    again = build_atlas(index, slice_of(index, tmp_path), Site(tmp_path / "site", 1))
    assert again.written == 0


def test_a_site_made_anew_is_the_same_as_one_made_again(index: Index, site: Path, tmp_path: Path) -> None:
    """What is kept is never stale."""
    build_atlas(
        index,
        slice_of(index, tmp_path, PLAN.replace('"odd", ', "").replace('"Order.*"', '"Order.note"')),
        Site(tmp_path / "site", 1),
    )
    build_atlas(index, slice_of(index, tmp_path), Site(tmp_path / "site", 1))
    made, again = pages(site), pages(tmp_path / "site")
    gone = {"searchindex.js", "objects.inv"}
    assert {name: text for name, text in again.items() if name in made and name not in gone} == {
        name: text for name, text in made.items() if name not in gone
    }


@pytest.mark.parametrize("file", ["thesis.txt", "index.html"])
def test_nothing_is_written_over_what_is_another_s(index: Index, tmp_path: Path, file: str) -> None:
    """A folder with anything in it is refused, unless a site lies there or all of it is hidden."""
    own = tmp_path / "own"
    own.mkdir()
    (own / ".git").write_text("kept", encoding="utf-8")
    build_atlas(index, slice_of(index, tmp_path), Site(own, 1))
    build_atlas(index, slice_of(index, tmp_path), Site(own, 1))
    other = tmp_path / "other"
    other.mkdir()
    (other / file).write_text("kept", encoding="utf-8")
    with pytest.raises(FlowmapError, match=f"holds {file}"):
        build_atlas(index, slice_of(index, tmp_path), Site(other, 1))
    assert [path.name for path in other.iterdir()] == [file]


def test_a_folder_that_cannot_be_written_is_said(index: Index, tmp_path: Path) -> None:
    """With its name."""
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    with pytest.raises(FlowmapError, match="taken"):
        build_atlas(index, slice_of(index, tmp_path), Site(tmp_path / "taken", 1))


def test_the_command_says_what_it_made(flowmap: Command, tmp_path: Path) -> None:
    """The first page, and how many there are of each kind."""
    for name, text in PROGRAM.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    said = flowmap("docs", str(tmp_path / "shop"), "-o", str(tmp_path / "site")).stdout
    assert "site/index.html" in said.replace("\\", "/")
    assert re.search(r"annotated files +\d", said)
    assert (tmp_path / "site" / "index.html").is_file()
    refused = flowmap("docs", str(tmp_path / "shop"), "-o", str(tmp_path), code=2).stderr
    assert "is no site that flowmap made" in refused


def test_what_became_of_names_has_a_page(flowmap: Command, tmp_path: Path) -> None:
    """Where the plan says which, through which releases; its places are those of other releases, so they lead nowhere."""
    for version in ("v1", "v2"):
        for name, text in PROGRAM.items():
            path = tmp_path / version / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                text.replace("def run(", "def work(").replace(".run(", ".work(") if version == "v1" else text, "utf-8"
            )
    spans = ", ".join(f'"{tmp_path / version}"' for version in ("v1", "v2")).replace("\\", "/")
    plan = tmp_path / "shop.toml"
    plan.write_text(f'{PLAN}\n[drift]\nnames = ["Desk.run"]\nacross = [{spans}]\n', encoding="utf-8")
    flowmap("docs", str(tmp_path / "v2"), "-o", str(tmp_path / "site"), "--atlas", str(plan))
    page = (tmp_path / "site" / "drift" / "index.html").read_text(encoding="utf-8")
    part = page[page.index("<article") : page.index("</article")]
    assert "renamed from" in part
    assert "desk.py" in part
    assert "source/shop" not in part
    assert 'href="drift/index.html"' in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_an_atlas_that_is_not_there_is_said(flowmap: Command, tmp_path: Path) -> None:
    """Before anything is made."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "a.py").write_text("def f(): ...\n", encoding="utf-8")
    said = flowmap("docs", str(tmp_path / "app"), "-o", str(tmp_path / "site"), "--atlas", "nothing", code=2).stderr
    assert "there is no atlas of this name" in said
    assert not (tmp_path / "site" / "index.html").exists()
