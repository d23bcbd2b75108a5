"""The sources of a site: which pages there are, what they lead to, and that nothing is written twice for nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from flowmap.atlas.names import addresses_from, names_of, page_names
from flowmap.atlas.slice import Slice, planned, unplanned
from flowmap.atlas.sources import write_sources
from flowmap.model.place import Place
from flowmap.model.problem import FlowmapError
from flowmap.query.atlas import AtlasPlan, atlas_about, atlas_named, read_plan
from flowmap.query.files import QueryFile
from flowmap.query.release import release_of
from flowmap.store.index import Index
from tests.atlas.program import HOSTILE, PROGRAM, line_of, program_in

PLAN = """
title = "The shop"
link = "https://code.example/{path}#L{line}"
fields = ["Order.*"]
functions = ["Desk.run"]

[calls]
from = ["shop.desk.main"]
depth = 2
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of the shop."""
    return program_in(tmp_path_factory.mktemp("shop"))


def plan_of(folder: Path, text: str, story: str = "") -> AtlasPlan:
    """A plan that is read from a file."""
    path = folder / "shop.toml"
    path.write_text(f'story = "shop.md"\n{text}' if story else text, encoding="utf-8")
    if story:
        (folder / "shop.md").write_text(story, encoding="utf-8")
    return read_plan(QueryFile(path, "shop.toml"))


def slice_of(index: Index, folder: Path, text: str = PLAN, story: str = "") -> Slice:
    """The slice of a plan."""
    return planned(index, plan_of(folder, text, story), None)


def test_a_plan_chooses_what_has_a_page(index: Index, tmp_path: Path) -> None:
    """The functions that are named, what is reached, their classes, the fields of a class, and the files of all that."""
    found = slice_of(index, tmp_path)
    assert {one.symbol for one in found.functions} >= {"shop.desk.main", "shop.desk.Desk.run", "shop.orders.read_order"}
    assert "shop.desk.Desk" in {one.symbol for one in found.classes}
    assert [field.name for field in found.watch.fields] == ["Order.amount", "Order.note"]
    assert {"shop/desk.py", "shop/orders.py", "shop/output.py"} <= set(found.files)
    assert "shop.<b>odd</b> & 'x'.odd" not in {one.symbol for one in found.functions}


def test_modules_bound_what_is_reached(index: Index, tmp_path: Path) -> None:
    """What lies beyond them has no page."""
    found = slice_of(index, tmp_path, PLAN + 'in_module = ["desk"]\n')
    assert "shop.orders.read_order" not in {one.symbol for one in found.functions}


def test_without_a_plan_the_atlas_is_of_what_matters(index: Index) -> None:
    """Where the program is entered, and what is called."""
    found = unplanned(index)
    assert {"shop.orders.read_order", "shop.output.OutputMixin.emit"} <= {one.symbol for one in found.functions}
    assert "Order.amount" in {field.name for field in found.watch.fields}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no title"),
        ('title = "x"\ncolour = "red"', "unknown key `colour`"),
        ('title = "x"\nstory = "nowhere.md"', "no file nowhere.md"),
        ('title = "x"\n[calls]\ndepth = "deep"', "`depth` is no number"),
        ('title = "x"\ncalls = 3', "`calls` is no table"),
        ('title = "x"\ndrift = 3', "`drift` is no table"),
        ('title = "x"\n[drift]\nnames = ["f"]', "says no `across`"),
        ('title = "x"\n[drift]\nacross = ["1.0..2.0"]\nto = 3', "unknown key `to`"),
        ("title = [", "is not TOML"),
    ],
)
def test_what_is_wrong_with_a_plan_is_said(tmp_path: Path, text: str, said: str) -> None:
    """With the place, before anything is made."""
    with pytest.raises(FlowmapError, match=re.escape(said)):
        plan_of(tmp_path, text)


@pytest.mark.parametrize("text", ['functions = ["Desk.walk"]', 'fields = ["Order.amout"]', 'queries = ["nothing-of-the-kind"]'])
def test_a_name_that_nothing_bears_is_said(index: Index, tmp_path: Path, text: str) -> None:
    """A plan that has grown old is not passed over."""
    with pytest.raises(FlowmapError):
        slice_of(index, tmp_path, f'title = "x"\n{text}\n')


def test_the_plan_of_a_project_is_found() -> None:
    """By the release that is asked about; a folder has none."""
    found = atlas_about(release_of("pypi:sglang==0.5.9"), None)
    assert found
    assert found.name == "sglang-decode"
    assert atlas_about(release_of("pypi:sglang==0.5.23"), None) is None
    assert atlas_about(release_of("pypi:click==8.1.7"), None) is None
    assert atlas_about(None, None) is None
    with pytest.raises(FlowmapError, match="sglang-decode"):
        atlas_named("sglang-decod", None)


def test_every_page_has_a_name_that_a_file_system_can_bear() -> None:
    """Whatever the symbol holds, and though letters of two cases may be alike."""
    keys = ["a.B", "a.b", "a.f.<locals>.g", "a.größe", f"x.{HOSTILE}", "y" * 300, "index"]
    found = page_names("functions", keys)
    assert len({name.lower() for name in found.values()}) == len(keys)
    assert all(re.fullmatch(r"functions/[\w.-]{1,160}", name, re.ASCII) for name in found.values())
    assert "functions/index" not in found.values()


def test_addresses_are_relative_and_fall_back_to_the_public_source(index: Index, tmp_path: Path) -> None:
    """So the site works wherever it lies."""
    found = slice_of(index, tmp_path)
    here = addresses_from("functions/shop.desk.main", names_of(found))
    assert here.of_place(Place("shop/desk.py", 3)) == "../source/shop/desk.py.html#L3"
    assert here.of_place(Place("shop/else.py", 3)) == "https://code.example/shop/else.py#L3"
    assert here.of_field("Order.amount") == "../fields/Order.amount.html"
    assert here.of_field("Order.nothing") == ""


def written(index: Index, folder: Path, story: str = "") -> Path:
    """The sources of the planned site."""
    write_sources(index, slice_of(index, folder, story=story), folder / "sources")
    return folder / "sources"


def test_what_stays_the_same_is_not_written_again(index: Index, tmp_path: Path) -> None:
    """And what is gone is removed."""
    found = slice_of(index, tmp_path)
    assert write_sources(index, found, tmp_path / "sources").written > 10
    (tmp_path / "sources" / "functions" / "gone.rst").write_text("x", encoding="utf-8")
    assert write_sources(index, found, tmp_path / "sources").written == 0
    assert not (tmp_path / "sources" / "functions" / "gone.rst").exists()


def test_pages_of_things_stay_out_of_the_menu(index: Index, tmp_path: Path) -> None:
    """A menu of hundreds of pages takes minutes; the lists alone are in it."""
    folder = written(index, tmp_path)
    pages = [path for path in folder.glob("*/*.rst") if path.stem != "index"]
    assert len(pages) > 8
    assert all(path.read_text(encoding="utf-8").startswith(":orphan:") for path in pages)
    assert "functions/index\nclasses/index\nfields/index\nsource/index" in (folder / "index.md").read_text(encoding="utf-8")


def test_a_function_says_all_that_is_asked_of_it(index: Index, tmp_path: Path) -> None:
    """Who runs it, what it runs, what it touches, and the calls around it."""
    text = (written(index, tmp_path) / "functions" / "shop.desk.Desk.run.rst").read_text(encoding="utf-8")
    for title in ("Who runs it", "What it runs", "State that it touches", "Calls around it"):
        assert f"\n{title}\n---" in text
    assert 'href="shop.desk.main.html"' in text
    assert f'href="../source/shop/desk.py.html#L{line_of("order.amount > 3", "shop/desk.py")}"' in text
    assert "<svg" in text
    assert "The same as text" in text


def test_a_function_may_be_called_like_the_end_of_a_file(index: Index, tmp_path: Path) -> None:
    """What cannot be asked by such a name is left out of its page; the site is made all the same."""
    write_sources(
        index, slice_of(index, tmp_path, PLAN.replace('"Desk.run"', '"Desk.run", "größe", "shop.näme.*"')), tmp_path / "sources"
    )
    assert list((tmp_path / "sources" / "functions").glob("*py*.rst"))


def test_a_query_says_what_answers_it(index: Index, tmp_path: Path) -> None:
    """The question, the answers with their places, and a picture; its functions belong to the slice."""
    (tmp_path / "queries").mkdir()
    query = 'question = "Who counts?"\n[[find]]\nfields = ["Order.amount"]\naccess = ["mutate", "augwrite"]\n'
    (tmp_path / "queries" / "counts.toml").write_text(query, encoding="utf-8")
    plan = plan_of(tmp_path, 'title = "x"\nqueries = ["counts"]\n')
    found = planned(index, plan, tmp_path / "flowmap.toml")
    assert [one.symbol for one in found.functions] == ["shop.output.OutputMixin.emit"]
    write_sources(index, found, tmp_path / "sources")
    text = (tmp_path / "sources" / "queries" / "counts.rst").read_text(encoding="utf-8")
    assert "Who counts?" in text
    assert f"output.py.html#L{line_of('order.amount +=', 'shop/output.py')}" in text
    assert "<svg" in text


def test_a_class_says_who_provides_what(index: Index, tmp_path: Path) -> None:
    """And what that shadows."""
    text = (written(index, tmp_path) / "classes" / "shop.desk.Loud.rst").read_text(encoding="utf-8")
    row = next(line for line in text.split("\n") if ">emit<" in line)
    assert ">Loud<" in row
    assert ">OutputMixin.emit<" in row


def test_nothing_of_the_code_is_markup(tmp_path: Path) -> None:
    """Names, docstrings, strings and the names of files, in all sources of all pages."""
    index = program_in(tmp_path)
    write_sources(
        index, slice_of(index, tmp_path, f"{PLAN}\n".replace('"Desk.run"', '"Desk.run", "odd", "größe"')), tmp_path / "sources"
    )
    for path in (tmp_path / "sources").rglob("*"):
        if path.suffix in (".rst", ".html", ".md"):
            text = path.read_text(encoding="utf-8")
            assert "<script>alert" not in text
            assert "<img" not in text
    names = (tmp_path / "sources" / "_static" / "atlas-names.js").read_text(encoding="utf-8")
    assert "<" not in names
    rows = json.loads(names.removeprefix("window.atlasNames = ").removesuffix(";\n"))
    assert ["shop/<b>odd</b> & 'x'.py", "file"] in [row[:2] for row in rows]
    assert len([row for row in rows if row[1] == "file"]) >= len([text for text in PROGRAM.values() if text]) - 1


STORY = """# {{ title }}

{{ function Desk.run }} is run from {{ n callers Desk.run }} places, first {{ call main -> Desk.run }}; it counts
{{ field Order.amount | the amount }} ({{ n writes Order.amount }}, {{ n reads Order.amount }}).
{{ write Order.amount in OutputMixin.emit }} {{ class Nothing or Desk }} {{ n functions }} {{ function Desk.__init__ }}

{{ ways main -> OutputMixin.emit }}
"""


def test_the_overview_is_told_with_live_numbers(index: Index, tmp_path: Path) -> None:
    """Each leads to where it can be counted again."""
    text = (written(index, tmp_path, STORY) / "index.md").read_text(encoding="utf-8")
    assert text.startswith("# The shop\n")
    assert '<a class="fm-told" href="functions/shop.desk.Desk.run.html#who-runs-it">2</a>' in text
    assert f'href="source/shop/desk.py.html#L{line_of("Desk().run", "shop/desk.py")}">desk.py:' in text
    assert '<a class="fm-told" href="fields/Order.amount.html">the amount</a>' in text
    assert f"#L{line_of('order.amount +=', 'shop/output.py')}.Order.amount" in text
    assert ">Desk</a>" in text
    assert ">Desk.&#95;&#95;init&#95;&#95;</a>" in text  # which is no bold word
    assert "<svg" in text
    assert "{{" not in text


@pytest.mark.parametrize(
    "wrong",
    ["{{ function Desk.walk }}", "{{ blink Desk }}", "{{ n hats }}", "{{ call main -> nobody }}", "{{ query q }}"],
)
def test_a_placeholder_that_cannot_be_filled_in_is_said(index: Index, tmp_path: Path, wrong: str) -> None:
    """The story does not lie when the code has changed."""
    with pytest.raises(FlowmapError, match=r"shop\.md"):
        written(index, tmp_path, f"# x\n\n{wrong}\n")
