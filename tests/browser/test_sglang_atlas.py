"""The atlas of SGLang 0.5.9: made by the command, then walked through as a reader would."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Seen
from tests.conftest import RELEASE, Command

SCHEDULER = "source/sglang/srt/managers/scheduler.py.html"
MIXIN = "source/sglang/srt/managers/scheduler_output_processor_mixin.py.html"
WORKER = "source/sglang/srt/speculative/eagle_worker_v2.py.html"
QUERY = Path(__file__).parents[2] / "queries" / "accept-lens.toml"


@dataclass(frozen=True, slots=True)
class Made:
    """The site, what the command said of it, and the seconds of the processor that it took; then those of making it again
    after a query was touched."""

    folder: Path
    counts: dict[str, int]
    seconds: float
    seconds_again: float
    written_again: int


@pytest.fixture(scope="session")
def made(flowmap: Command, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The site is made once for all tests, and once more after one of its queries asks for something else."""
    home = tmp_path_factory.mktemp("sglang")
    flowmap("index", RELEASE)
    own = home / "project" / "queries"
    own.mkdir(parents=True)
    (home / "project" / "flowmap.toml").write_text(f'source = "{RELEASE}"\n', encoding="utf-8")
    before = os.getcwd()
    os.chdir(home / "project")
    try:
        first, seconds = timed(flowmap, home / "site")
        touched = QUERY.read_text(encoding="utf-8").replace('["read"]', '["read", "augwrite"]').replace("used", "taken up")
        (own / QUERY.name).write_text(touched, encoding="utf-8")
        again, seconds_again = timed(flowmap, home / "site")
    finally:
        os.chdir(before)
    return Made(home / "site", first, seconds, seconds_again, again["written"])


def timed(flowmap: Command, folder: Path) -> tuple[dict[str, int], float]:
    """What `flowmap docs` made, and how many seconds of the processor it took."""
    before = os.times()
    said = flowmap("docs", "-o", str(folder), "--format", "json").stdout
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(said)["record"], used


def test_it_is_as_large_as_it_should_be_and_made_soon_enough(made: Made) -> None:
    """Functions and files of the decode loop, speculation, the processing of results and KV accounting."""
    assert made.counts["functions"] >= 300
    assert made.counts["files"] >= 60
    assert made.seconds < 180


def test_after_a_query_was_touched_little_is_made_again(made: Made) -> None:
    """The page of the query, and what says something of it."""
    assert made.seconds_again < 15
    assert 0 < made.written_again < 10
    text = (made.folder / "queries" / "accept-lens.html").read_text(encoding="utf-8")
    assert "taken up" in text


def test_the_walk(see: Callable[..., Seen], made: Made) -> None:
    """From the overview to the function, over the edge to the very line, to the definition in the mixin, along the marks of a
    field to the worker that writes it, and back."""
    page = see().open(made.folder / "index.html")
    page.get_by_role("link", name="process_batch_result_decode", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("SchedulerOutputProcessorMixin.process_batch_result_decode")
    page.locator("#who-runs-it").get_by_role("link", name="scheduler.py:2453").click()
    assert page.url.endswith(f"{SCHEDULER}#L2453")
    line = page.locator("#L2453")
    expect(line).to_be_in_viewport()
    expect(line).to_contain_text("self.process_batch_result_decode(batch, result)")
    line.locator("a.fm-call").click()
    page.wait_for_url(f"**/{MIXIN}#L417")
    mark = page.locator('.fm-margin [id$=".GenerationBatchResult.accept_lens"]').first
    name = mark.get_attribute("id")
    page.goto(f"{(made.folder / MIXIN).as_uri()}#{name}")
    visited = []
    for _ in range(8):
        expect(page.locator(".fm-mark:focus")).to_have_count(1)
        visited.append(page.url)
        if WORKER in page.url:
            break
        page.keyboard.press("n")
        page.wait_for_url(re.compile(rf"^(?!{re.escape(visited[-1])}$)"))
    assert WORKER in visited[-1]
    for _ in visited[1:]:
        page.go_back()
    page.wait_for_url(visited[0])
    expect(page.locator(".fm-source")).to_contain_text("def process_batch_result_decode")


def test_the_mark_of_the_store_says_who_reads(see: Callable[..., Seen], made: Made) -> None:
    """In `EAGLEWorkerV2.verify` the value becomes the field; the card leads to where the scheduler takes it up."""
    page = see().open(made.folder / "fields" / "GenerationBatchResult.accept_lens.html")
    page.get_by_role("link", name="eagle_worker_v2.py:815").first.click()
    box = page.locator("#L815 .fm-box").first
    box.locator(".fm-mark").focus()
    expect(box.locator(".fm-card")).to_contain_text("SchedulerOutputProcessorMixin._resolve_spec_overlap_token_ids")


def test_search_finds_a_method_by_its_class(see: Callable[..., Seen], made: Made) -> None:
    """As it is spoken of: the class, a dot, the method."""
    page = see().open(made.folder / "index.html")
    page.get_by_role("combobox").fill("EAGLEWorkerV2.verify")
    expect(page.get_by_role("option").first).to_contain_text("eagle_worker_v2.EAGLEWorkerV2.verify")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("EAGLEWorkerV2.verify")


def test_the_overview_has_the_numbers_of_the_index(see: Callable[..., Seen], made: Made) -> None:
    """As many functions as were made, and six workers at the one call."""
    page = see().open(made.folder / "index.html")
    article = page.locator("article")
    expect(article).to_contain_text(f"{made.counts['functions']} functions")
    expect(article).to_contain_text("That one call may run 6 different functions")
    expect(article.locator("figure[data-graph]")).to_have_count(2)
