"""A browser, and an atlas of the shop for it to look at. Every page that a test opens is watched for errors and requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from flowmap.atlas.build import Site, build_atlas
from flowmap.atlas.slice import planned
from flowmap.query.atlas import read_plan
from flowmap.query.files import QueryFile
from tests.atlas.program import program_in
from tests.browser.chromium import chromium

PLAN = """
title = "The shop"
story = "shop.md"
fields = ["Order.*"]
functions = ["odd", "größe", "Loud.emit", "Desk.run", "OutputMixin.emit"]

[calls]
from = ["shop.desk.main"]
depth = 3
"""
STORY = """# {{ title }}

It begins in {{ function shop.desk.main | main }}, which runs {{ function Desk.run }} at {{ call main -> Desk.run }}.

{{ graph Desk.run }}
"""
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 375, "height": 750}


@dataclass(slots=True)
class Seen:
    """A page, what went wrong on it, and what it asked for beyond its own files."""

    page: Page
    problems: list[str] = field(default_factory=list)

    def open(self, path: Path, anchor: str = "") -> Page:
        """Open a file of a site."""
        self.page.goto(path.as_uri() + anchor)
        return self.page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless, without a sandbox of its own: containers have none to give."""
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        expect.set_options(timeout=20_000)  # milliseconds: a file of thousands of lines on a busy machine
        yield started
        started.close()


@pytest.fixture
def see(browser: Browser) -> Iterator[Callable[..., Seen]]:
    """Opens a page as wide as asked, light or dark. After the test nothing may have gone wrong on any."""
    opened: list[Seen] = []

    def new(width: int = WIDE["width"], scheme: str = "light", *, scripts: str = "on") -> Seen:
        size = WIDE if width == WIDE["width"] else NARROW
        context = browser.new_context(
            viewport={"width": size["width"], "height": size["height"]},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
            java_script_enabled=scripts == "on",
        )
        seen = Seen(context.new_page())
        note = seen.problems.append
        seen.page.on("pageerror", lambda error: note(f"error: {error}"))
        seen.page.on("console", lambda said: note(f"console: {said.text}") if said.type in ("error", "warning") else None)
        seen.page.on("request", lambda asked: note(asked.url) if not asked.url.startswith(("file:", "data:")) else None)
        seen.page.on("dialog", lambda shown: note(f"dialog: {shown.message}"))
        opened.append(seen)
        return seen

    yield new
    for seen in opened:
        seen.page.context.close()
    assert [problem for seen in opened for problem in seen.problems] == []


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small site."""
    folder = tmp_path_factory.mktemp("atlas")
    (folder / "plan").mkdir()
    (folder / "plan" / "shop.toml").write_text(PLAN, encoding="utf-8")
    (folder / "plan" / "shop.md").write_text(STORY, encoding="utf-8")
    index = program_in(folder / "code")
    plan = read_plan(QueryFile(folder / "plan" / "shop.toml", "shop.toml"))
    build_atlas(index, planned(index, plan, None), Site(folder / "site", 1))
    return folder / "site"
