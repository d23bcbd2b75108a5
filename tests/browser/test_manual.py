"""The hand-written manual, and the answers in it, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import NARROW, WIDE, Seen
from tests.manual import build_manual

See = Callable[..., Seen]
HOW_TO = "how-to/put-answers-into-a-manual.html"
PAGES = (
    "index.html",
    "tutorial.html",
    HOW_TO,
    "concepts/guards.html",
    "cases/super.html",
    "rules/attribute_of_super.html",
    "drift-sglang.html",
)


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the manual."""
    return build_manual(tmp_path_factory.mktemp("manual"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_stands_in_the_way_of_anyone(see: See, manual: Path, name: str, scheme: str) -> None:
    """axe finds nothing serious."""
    page = see(scheme=scheme).open(manual / name)
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"][:150] for node in one["nodes"][:3]]) for one in grave] == []


@pytest.mark.parametrize("width", [NARROW["width"], WIDE["width"]])
@pytest.mark.parametrize("name", [*PAGES, "reference/constructs.html", "reference/cli.html", "figures.html"])
def test_a_telephone_is_wide_enough(see: See, manual: Path, name: str, width: int) -> None:
    """Nothing scrolls sideways but code, tables and graphs in their own frames."""
    page = see(width).open(manual / name)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_place_in_an_answer_leads_to_its_annotated_line(see: See, manual: Path) -> None:
    """From a call in a trace to the line that makes it, on whichever page shows that."""
    page = see().open(manual / HOW_TO)
    page.get_by_role("link", name="checkout.py:17").first.click()
    expect(page.locator(".fm-line:target")).to_contain_text("way_to_pay")


def test_a_mark_says_what_a_line_does_to_a_field(see: See, manual: Path) -> None:
    """Where it gets the focus."""
    page = see().open(manual / HOW_TO)
    page.locator(".fm-mark.fm-update").first.focus()
    expect(page.locator(".fm-box:focus-within .fm-card").first).to_contain_text("update of Order.paid")


def test_a_graph_in_a_page_zooms_and_lights(see: See, manual: Path) -> None:
    """As one of its own does."""
    page = see().open(manual / HOW_TO)
    svg = page.locator("figure[data-graph] svg").first
    before = svg.get_attribute("viewBox")
    page.get_by_role("button", name="Zoom in").first.click()
    assert svg.get_attribute("viewBox") != before
    page.locator(".node").filter(has_text="way_to_pay").first.hover()
    expect(page.locator(".fm-said").first).to_contain_text("shop.payment.way_to_pay")
    assert page.locator(".aside").count() > 0


def test_the_text_is_searched_without_a_server(see: See, manual: Path) -> None:
    """Sphinx's own search, from the files alone."""
    page = see().open(manual / "search.html", "?q=voucher")
    expect(page.locator("#search-results li").first).to_be_visible(timeout=20_000)
