"""The page of a graph, as `flowmap graph -o FILE.html` writes it, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.atlas.program import PROGRAM
from tests.browser.conftest import NARROW, Seen
from tests.conftest import Command

See = Callable[..., Seen]
_GRAVE = ("serious", "critical")


@pytest.fixture(scope="module")
def drawn(flowmap: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The calls around what reads an order: its callers' names and files are markup, or would like to be."""
    folder = tmp_path_factory.mktemp("drawn")
    for name, text in PROGRAM.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    flowmap("graph", "read_order", "--source", str(folder / "shop"), "-o", str(folder / "calls.html"))
    return folder / "calls.html"


def seen_of(page: Page) -> list[float]:
    """What part of the picture is seen: left, top, width, height."""
    return [float(number) for number in (page.locator("main svg").get_attribute("viewBox") or "").split()]


def test_it_zooms_by_keys_wheel_and_buttons(see: See, drawn: Path) -> None:
    """And shows the whole again."""
    page = see().open(drawn)
    first = seen_of(page)
    page.keyboard.press("+")
    assert seen_of(page)[2] < first[2]
    page.locator("main").hover()
    page.mouse.wheel(0, -100)
    nearer = seen_of(page)
    assert nearer[2] < first[2]
    page.get_by_role("button", name="Zoom out").click()
    assert seen_of(page)[2] > nearer[2]
    page.keyboard.press("0")
    assert seen_of(page) == pytest.approx(first, abs=1)


def test_what_is_pointed_at_is_said_and_its_lines_are_lit(see: See, drawn: Path) -> None:
    """The rest steps back."""
    page = see().open(drawn)
    page.locator(".node").filter(has_text="Desk.run").first.hover()
    expect(page.locator("#panel")).to_contain_text("shop.desk.Desk.run")
    assert page.locator(".aside").count() > 0


def test_a_name_is_found_and_centred(see: See, drawn: Path) -> None:
    """By the keyboard alone."""
    page = see().open(drawn)
    page.keyboard.press("+")
    page.keyboard.press("+")
    before = seen_of(page)
    page.keyboard.press("/")
    page.keyboard.type("main")
    expect(page.locator("#count")).to_contain_text("1")
    page.keyboard.press("Enter")
    assert seen_of(page)[:2] != before[:2]
    expect(page.locator("#panel")).to_contain_text("shop.desk.main")


def test_names_that_are_markup_are_text(see: See, drawn: Path) -> None:
    """In the picture, in what is said, and in the text twin; nothing of them runs."""
    page = see().open(drawn)
    page.locator(".node").filter(has_text="odd").first.hover()
    expect(page.locator("#panel")).to_contain_text("<b>odd")
    expect(page.locator("#panel b, main b, img")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_of_anyone(see: See, drawn: Path, scheme: str) -> None:
    """axe finds nothing serious."""
    page = see(scheme=scheme).open(drawn)
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    grave = [(one["id"], [node["html"][:150] for node in one["nodes"][:3]]) for one in found if one["impact"] in _GRAVE]
    assert grave == []


def test_a_telephone_is_wide_enough(see: See, drawn: Path) -> None:
    """Nothing but the picture's own frame scrolls sideways."""
    page = see(NARROW["width"]).open(drawn)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
