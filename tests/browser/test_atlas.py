"""The atlas of a small program, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.atlas.program import line_of
from tests.browser.conftest import NARROW, WIDE, Seen

See = Callable[..., Seen]
DESK, ORDERS, OUTPUT = "source/shop/desk.py.html", "source/shop/orders.py.html", "source/shop/output.py.html"
PAGES = (
    "index.html",
    "functions/index.html",
    "functions/shop.desk.Desk.run.html",
    "classes/shop.desk.Loud.html",
    "fields/index.html",
    "fields/Order.amount.html",
    DESK,
    ORDERS,
    "search.html",
)
_GRAVE = ("serious", "critical")


def view_of(page: Page) -> list[float]:
    """What part of the first graph is seen: left, top, width, height."""
    box = page.locator("figure[data-graph] svg").first.get_attribute("viewBox") or ""
    return [float(number) for number in box.split()]


def test_from_the_overview_along_a_call_to_its_line_and_back(see: See, shop: Path) -> None:
    """By clicking alone."""
    page = see().open(shop / "index.html")
    page.get_by_role("link", name="Desk.run").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Desk.run")
    page.get_by_role("link", name=f"desk.py:{line_of('self.emit(order)', 'shop/desk.py')}").first.click()
    assert page.url.endswith(f"{DESK}#L{line_of('self.emit(order)', 'shop/desk.py')}")
    page.locator(":target .fm-call").first.click()
    assert page.url.endswith(f"{OUTPUT}#L{line_of('def emit', 'shop/output.py')}")
    page.go_back()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Desk.run")


def test_what_is_cut_from_a_picture_leads_to_where_it_is_told(see: See, shop: Path) -> None:
    """`+1 callee` in a box goes to that part of the page of its function."""
    pages = [path for path in sorted((shop / "functions").glob("*.html")) if 'class="cut"' in path.read_text(encoding="utf-8")]
    page = see().open(pages[0])
    cut = page.locator("a.cut").first
    address = cut.get_attribute("href") or ""
    cut.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{address.removeprefix('../')}")
    expect(page.locator(":target")).to_be_visible()


def test_what_may_run_several_lists_them(see: See, shop: Path) -> None:
    """The list opens at the name, by the keyboard, too, and leads on."""
    page = see().open(shop / DESK)
    name = page.locator(f"#L{line_of('self.other.emit', 'shop/desk.py')} .fm-many")
    card = name.locator("xpath=following-sibling::*")
    expect(card).to_be_hidden()
    name.focus()
    expect(card).to_be_visible()
    expect(card).to_contain_text("shop.desk.Loud.emit")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert "#L" in page.url


def test_a_range_of_lines_can_be_linked_to(see: See, shop: Path) -> None:
    """All of them are lit."""
    page = see().open(shop / ORDERS, "#L4-L6")
    expect(page.locator(".fm-in-range")).to_have_count(3)


def test_a_mark_says_from_where_and_to_where(see: See, shop: Path) -> None:
    """When it is pointed at, and goes again by Escape."""
    page = see().open(shop / DESK)
    mark = page.get_by_role("button", name="read of Order.amount")
    card = mark.locator("xpath=following-sibling::*")
    mark.hover()
    expect(card).to_be_visible()
    expect(card).to_contain_text("written at")
    mark.focus()
    page.mouse.move(0, 0)
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_keys_go_along_the_accesses_of_a_field(see: See, shop: Path) -> None:
    """From file to file, and back; the mark that is reached has the focus, so that it goes on."""
    line = line_of("order.amount > 3", "shop/desk.py")
    page = see().open(shop / DESK, f"#L{line}.Order.amount")
    expect(page.locator(f"#L{line} .fm-mark")).to_be_focused()
    seen = []
    for _ in range(4):
        before = re.escape(page.url)
        page.keyboard.press("n")
        page.wait_for_url(re.compile(rf"^(?!{before}$)"))
        expect(page.locator(".fm-mark:focus")).to_have_count(1)
        seen.append(page.url.rpartition("/")[2])
    assert [name.partition("#")[0] for name in seen][1:] == ["orders.py.html", "output.py.html", "output.py.html"]
    page.keyboard.press("p")
    page.wait_for_url(f"**/{seen[2]}")


def test_names_are_found_by_their_parts(see: See, shop: Path) -> None:
    """Functions, fields and files; Enter goes to the first."""
    page = see().open(shop / "index.html")
    page.keyboard.press("/")
    page.keyboard.type("loud emit")
    expect(page.get_by_role("option").first).to_contain_text("shop.desk.Loud.emit")
    page.keyboard.press("Enter")
    page.wait_for_url("**/functions/shop.desk.Loud.emit.html")
    page.get_by_role("combobox").fill("order.amount")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/fields/Order.amount.html")


def test_what_is_not_there_is_not_found(see: See, shop: Path) -> None:
    """An empty list, and Enter stays where it is."""
    page = see().open(shop / "index.html")
    page.get_by_role("combobox").fill("nothing of the kind")
    page.keyboard.press("Enter")
    expect(page.get_by_role("option")).to_have_count(0)
    assert page.url.endswith("index.html")


def test_names_that_are_markup_are_text(see: See, shop: Path) -> None:
    """In the list of what was found, and on their own pages."""
    page = see().open(shop / "index.html")
    page.get_by_role("combobox").fill("<b>odd</b>")
    first = page.get_by_role("option").first
    expect(first).to_contain_text("<b>odd</b>")
    expect(first.locator("b")).to_have_count(0)
    first.get_by_role("link").click()
    page.wait_for_load_state()
    assert "odd" in page.url
    page.goto((shop / ORDERS).as_uri())
    expect(page.locator(".fm-source script")).to_have_count(0)
    expect(page.locator(".fm-source")).to_contain_text("<script>alert(1)</script>")


def test_a_graph_zooms_and_moves(see: See, shop: Path) -> None:
    """By its buttons, the keyboard and the mouse."""
    page = see().open(shop / "functions/shop.desk.Desk.run.html")
    first = view_of(page)
    page.get_by_role("button", name="Zoom in").first.click()
    zoomed = view_of(page)
    assert zoomed[2] < first[2]
    canvas = page.locator(".fm-canvas").first
    canvas.focus()
    page.keyboard.press("ArrowRight")
    assert view_of(page)[0] > zoomed[0]
    page.keyboard.press("-")
    assert view_of(page)[2] > zoomed[2]
    page.get_by_role("button", name="Show the whole").first.click()
    assert view_of(page)[0] <= 0


def test_a_graph_lights_what_belongs_together(see: See, shop: Path) -> None:
    """The rest steps back, and what is pointed at is said in words."""
    page = see().open(shop / "functions/shop.desk.Desk.run.html")
    page.locator(".node").filter(has_text="read_order").first.hover()
    expect(page.locator(".fm-said").first).to_contain_text("shop.orders.read_order")
    assert page.locator(".aside").count() > 0
    page.mouse.move(5, 5)
    expect(page.locator(".aside")).to_have_count(0)


def test_a_graph_is_centred_on_what_has_the_focus_and_on_what_is_chosen(see: See, shop: Path) -> None:
    """A step of the Tab key moves it; a click on a box opens the page whose graph is about that one."""
    page = see().open(shop / "functions/shop.desk.Desk.run.html")
    graph = page.locator("figure[data-graph]").first
    graph.get_by_role("button", name="Zoom in").click(click_count=3)
    before = view_of(page)
    graph.locator(".node a").last.focus()
    assert view_of(page)[:2] != before[:2]
    box = graph.locator(".node").filter(has_text="read_order").locator("a").first
    box.focus()
    box.click()
    page.wait_for_url("**/shop.orders.read_order.html")
    expect(page.locator("figure[data-graph]").first.locator(".node.subject")).to_contain_text("read_order")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_stands_in_the_way_of_anyone(see: See, shop: Path, name: str, scheme: str) -> None:
    """axe finds nothing serious: names, roles, contrast, the way of the keyboard."""
    page = see(scheme=scheme).open(shop / name)
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    grave = [(one["id"], [node["html"][:150] for node in one["nodes"][:3]]) for one in found if one["impact"] in _GRAVE]
    assert grave == []


@pytest.mark.parametrize("width", [NARROW["width"], WIDE["width"]])
@pytest.mark.parametrize("name", [*PAGES, OUTPUT])
def test_a_telephone_is_wide_enough(see: See, shop: Path, name: str, width: int) -> None:
    """Nothing scrolls sideways, on a large screen neither, but code, tables and graphs in their own frames."""
    page = see(width).open(shop / name)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_card_stays_on_a_telephone(see: See, shop: Path) -> None:
    """It is moved to where it can be read."""
    page = see(NARROW["width"]).open(shop / OUTPUT)
    mark = page.locator(".fm-mark").nth(4)
    mark.focus()
    box = mark.locator("xpath=following-sibling::*").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= NARROW["width"]


def test_dark_is_dark_and_light_is_light(see: See, shop: Path) -> None:
    """As the reader's system asks for; code and graphs, too."""
    shades = {}
    for scheme in ("light", "dark"):
        page = see(scheme=scheme).open(shop / DESK)
        paper = "getComputedStyle(document.querySelector('.fm-source')).backgroundColor"
        shades[scheme] = sum(int(part) for part in page.evaluate(paper).strip("rgb()").split(",")[:3])
    assert shades["light"] > 600
    assert shades["dark"] < 200


def test_all_can_be_read_without_a_script(see: See, shop: Path) -> None:
    """Code, links, graphs, and cards as soon as their mark has the focus."""
    page = see(scripts="off").open(shop / DESK)
    expect(page.locator(".fm-source")).to_contain_text("order = read_order(line)")
    mark = page.locator(".fm-mark").nth(4)
    mark.hover()
    expect(mark.locator("xpath=following-sibling::*")).to_be_visible()
    page.goto((shop / "functions/shop.desk.Desk.run.html").as_uri())
    for graph in page.locator("figure[data-graph] svg").all():
        expect(graph).to_be_visible()


def test_the_text_can_be_searched_without_a_server(see: See, shop: Path) -> None:
    """Sphinx's own search, for what is no name."""
    page = see().open(shop / "search.html", "?q=writes")
    expect(page.locator("#search-results li").first).to_be_visible()
