"""The page of a graph, in a real browser: by the mouse, by the keyboard, on a narrow screen; and whatever its texts hold."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from flowmap.model.graph import Graph, GraphKind
from flowmap.model.place import Place
from flowmap.model.program import Confidence
from flowmap.render.dot import dot
from flowmap.render.html import html
from flowmap.render.svg import svg
from flowmap.reports.graph import graph
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.phrases import Detail
from flowmap.store.index import Index
from tests.browser.conftest import NARROW, Seen
from tests.programs import index_of
from tests.render.test_graph_formats import HOSTILE, block_of, graph_of

See = Callable[..., Seen]
PROGRAM = """\
def leaf(x): return x


def twig(x):
    if x: leaf(x)


def branch(x):
    twig(x)
    while x:
        x = leaf(x)


def other(x): pass


def tree(x):
    branch(x)
    other(x)


def main(): tree(1)
"""
CUT = (("1 caller", "callers"), ("2 callees", "callees"))
_GRAVE = ("serious", "critical")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A function with others behind it."""
    return index_of(tmp_path_factory.mktemp("tree"), {"tree.py": PROGRAM})


def link(place: Place | None) -> str:
    """Places lead to a page."""
    return f"https://code.example/{place.file}#L{place.line}" if place else ""


def page_of(index: Index, folder: Path, name: str, kind: GraphKind, n_nodes: int = 70) -> Path:
    """The page of a graph."""
    drawn = graph(index, GraphQuestion(name, Wing.BOTH, 4, Confidence.INFERRED, n_nodes, Detail.FULL), kind)
    path = folder / "graph.html"
    path.write_text(html(drawn, svg(dot(drawn, link), 20), "the twin"), encoding="utf-8")
    return path


@pytest.fixture
def calls(index: Index, tmp_path: Path) -> Path:
    """Who runs `tree`, and what it runs."""
    return page_of(index, tmp_path, "tree.tree", GraphKind.CALLS)


@pytest.fixture
def control(index: Index, tmp_path: Path) -> Path:
    """The control flow inside `branch`."""
    return page_of(index, tmp_path, "branch", GraphKind.CONTROL)


def box(page: Page, label: str) -> Locator:
    """A node, by its name."""
    return page.locator("g.node").filter(has=page.get_by_text(label, exact=True))


def said(page: Page) -> str:
    """What is said below the picture."""
    return page.locator("#said").inner_text()


def seen_part(page: Page) -> list[float]:
    """The part of the picture that is seen: left, top, width, height."""
    return [float(number) for number in (page.locator("main svg").get_attribute("viewBox") or "").split()]


def test_what_is_pointed_at_is_lit_and_told(see: See, calls: Path) -> None:
    """With its guards and the evidence; the others stand back."""
    page = see().open(calls)
    page.locator("g.edge").filter(has=page.get_by_text("if x")).locator("text").hover()
    assert "twig → leaf" in said(page)
    assert "because" in said(page)
    expect(box(page, "other")).to_have_class("node other aside")
    page.mouse.move(5, 5)
    expect(box(page, "other")).to_have_class("node other")


def test_a_click_centres_a_box_and_says_what_is_next_to_it(see: See, calls: Path) -> None:
    """From there it goes on by buttons; the link to the source is one of them."""
    page = see().open(calls)
    before = seen_part(page)
    box(page, "branch").click()
    assert seen_part(page) != before
    assert "tree.branch" in said(page)
    assert page.locator("#near button").all_inner_texts() == ["hide what is behind it (c)", "tree", "twig", "leaf"]
    assert page.get_by_role("link", name="open the source").get_attribute("href") == "https://code.example/tree.py#L8"
    page.locator("#near").get_by_role("button", name="twig").click()
    assert "tree.twig" in said(page)


def test_what_is_cut_is_told_by_name(see: See, index: Index, tmp_path: Path) -> None:
    """Below the picture, when the box that leads on to it is chosen, with the command that lists it."""
    page = see().open(page_of(index, tmp_path, "tree.tree", GraphKind.CALLS, 2))
    near = page.locator("#near")
    expect(near.locator("details")).to_have_count(0)
    page.locator(".node", has_text="+2 callees").click()
    up, down = (f"+{what}, not drawn: flowmap {command} tree.tree" for what, command in CUT)
    expect(near.locator("summary")).to_have_text([up, down])
    expect(near.locator("li")).to_have_text(["main", "branch", "other"])


def test_what_is_only_reached_through_a_box_can_be_hidden(see: See, calls: Path) -> None:
    """And shown again; what is reached otherwise stays."""
    page = see().open(calls)
    box(page, "branch").click()
    page.get_by_role("button", name="hide what is behind it").click()
    expect(box(page, "twig")).to_be_hidden()
    expect(box(page, "leaf")).to_be_hidden()
    expect(box(page, "other")).to_be_visible()
    assert "2 hidden behind it" in said(page)
    page.get_by_role("button", name="show what is behind it").click()
    expect(box(page, "twig")).to_be_visible()


def test_everything_can_be_done_by_the_keyboard(see: See, calls: Path) -> None:
    """Find, centre, hide, show, zoom, move, let go."""
    page = see().open(calls)
    page.keyboard.press("/")
    page.keyboard.type("twig")
    page.keyboard.press("Enter")
    assert "tree.twig" in said(page)
    box(page, "branch").focus()
    assert "tree.branch" in said(page)
    page.keyboard.press("Enter")
    page.keyboard.press("c")
    expect(box(page, "twig")).to_be_hidden()
    page.keyboard.press("a")
    expect(box(page, "twig")).to_be_visible()
    before = seen_part(page)
    page.keyboard.press("+")
    assert seen_part(page)[2] < before[2]
    page.keyboard.press("ArrowRight")
    assert seen_part(page)[0] > before[0]
    page.keyboard.press("Escape")
    assert said(page).startswith("Point at a box")


def test_what_is_called_so_is_found_first(see: See, calls: Path) -> None:
    """Before what has the text somewhere in it: here in the name of the module."""
    page = see().open(calls)
    page.locator("#search").fill("tree")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text(re.compile("^1 of [2-9]"))
    expect(page.locator(".node.chosen")).to_contain_text("tree")
    expect(page.locator("#said")).to_contain_text("tree.tree")


def test_what_is_found_is_shown_even_where_it_was_hidden(see: See, calls: Path) -> None:
    """A search looks behind what is folded."""
    page = see().open(calls)
    box(page, "branch").click()
    page.keyboard.press("c")
    page.locator("#search").fill("leaf")
    page.locator("#search").press("Enter")
    expect(box(page, "leaf")).to_be_visible()
    expect(page.locator("#count")).to_have_text("1 of 1")


def test_a_line_of_a_block_is_told_and_leads_to_what_it_runs(see: See, control: Path) -> None:
    """The statement in whole; the call to the function."""
    page = see().open(control)
    page.get_by_text("x = leaf(x)").hover()
    assert said(page).startswith("x = leaf(x)")
    assert page.locator("a").filter(has_text="→ twig").last.get_attribute("xlink:href") == "https://code.example/tree.py#L4"


def test_drag_and_wheel_move_the_picture(see: See, calls: Path) -> None:
    """A drag is no click."""
    page = see().open(calls)
    before = seen_part(page)
    middle = box(page, "branch").bounding_box()
    assert middle
    page.mouse.move(middle["x"] + 8, middle["y"] + 8)
    page.mouse.down()
    page.mouse.move(middle["x"] + 90, middle["y"] + 40, steps=4)
    page.mouse.up()
    moved = seen_part(page)
    assert moved[0] < before[0]
    assert moved[2] == before[2]
    expect(page.locator(".chosen")).to_have_count(0)
    page.mouse.wheel(0, -240)
    page.wait_for_function(f"document.querySelector('main svg').viewBox.baseVal.width < {moved[2]}")


def test_a_link_into_the_page_chooses_a_box(see: See, calls: Path, index: Index) -> None:
    """Ids stay the same, so that a note may point at one."""
    drawn = graph(index, GraphQuestion("tree.tree", Wing.BOTH, 4, Confidence.INFERRED), GraphKind.CALLS)
    twig = next(node.id for node in drawn.nodes if node.label == "twig")
    page = see().open(calls, f"#{twig}")
    assert "tree.twig" in said(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, NARROW["width"]])
def test_a_page_can_be_read_by_everyone(see: See, control: Path, scheme: str, width: int) -> None:
    """No serious finding of axe, no sideways scrolling, in both schemes."""
    page = see(width, scheme).open(control)
    page.locator("g.node.rows").first.click()
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in _GRAVE] == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("make", [graph_of, block_of])
def test_hostile_text_is_text_in_a_browser(see: See, tmp_path: Path, make: Callable[[str], Graph], text: str) -> None:
    """Nothing of it runs, and it is shown as it is; control characters as their escapes."""
    drawn = make(text)
    path = tmp_path / "hostile.html"
    path.write_text(html(drawn, svg(dot(drawn, link), 20), text), encoding="utf-8")
    page = see().open(path)
    page.locator("g.node").first.focus()
    assert page.locator("script").count() == 2
    shown = json.loads(page.locator("#told").text_content() or "{}")
    assert said(page).split("\n")[0] == shown["lines"][drawn.nodes[0].id][0]
    assert not page.evaluate(
        "[...document.querySelectorAll('*')].some((one) => [...one.attributes].some((each) => /^on/.test(each.name)))"
    )


def test_without_scripts_the_picture_and_the_text_are_there(see: See, calls: Path) -> None:
    """Links lead on as in any picture."""
    page = see(scripts="off").open(calls)
    expect(box(page, "branch")).to_be_visible()
    page.locator("summary").click()
    expect(page.get_by_text("the twin")).to_be_visible()
