"""The queries that come with flowmap: each can be read, says what it expects, and is told about where the manual says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from flowmap.model.query import EVERYTHING, Query
from flowmap.query.files import query_files
from flowmap.query.read import read_query

NEWEST = "0.5.23"
RELEASES = {"0.5.9", NEWEST}
QUERIES = {name: read_query(file) for name, file in query_files(None).items()}
DOCS = Path(__file__).parents[2] / "docs"
MANUAL, PAGE = DOCS / "how-to" / "ask-a-question.md", DOCS / "reference" / "queries.md"
EVIDENCE = DOCS / "evidence" / f"queries-{NEWEST}.json"
HEAD = """# The queries that are shipped

This page is made from the queries (`make goldens`). `flowmap query NAME` answers one, here about SGLang:
`flowmap query event-loop --source pypi:sglang==0.5.9`. [How to write one](../how-to/ask-a-question.md).
"""


def page() -> str:
    """The manual's page about them."""
    parts = (part for query in QUERIES.values() for part in section(query))
    return "\n".join((HEAD, *parts))


def section(query: Query) -> Iterator[str]:
    """What the page says of one."""
    yield f"## {query.name}\n\n{query.question}\n"
    yield from (f"- {find.what}" for find in query.finds)
    yield ""


@pytest.mark.golden
def test_the_page_says_what_the_queries_say(request: pytest.FixtureRequest) -> None:
    """All of them, by name."""
    if request.config.getoption("--rewrite-goldens"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), "see how with: make goldens && git diff docs"


def test_the_newest_release_was_asked_all_of_them() -> None:
    """The kept run names every query; none failed, and its numbers are among those that the files expect now."""
    record = json.loads(EVIDENCE.read_text(encoding="utf-8"))["record"]
    assert {one["name"] for one in record} == set(QUERIES), "ask again with: make queries-newest"
    assert {one["verdict"] for one in record} == {"as expected"}
    for one in record:
        (expected,) = (each for each in QUERIES[one["name"]].expectations if each.release == NEWEST)
        assert expected.at_least <= one["n_answers"] <= expected.at_most, one["name"]


def names(query: Query) -> set[str]:
    """All names that a query looks for."""
    anchors = [
        anchor for find in query.finds for anchor in (*find.fields, *find.calls, *find.functions, *find.only.with_value_of)
    ]
    return {name.text for anchor in anchors for name in anchor.names}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_each_says_what_it_asks_and_expects(query: Query) -> None:
    """A question in words, of both releases how much there is at least and at most, and a function that must be there."""
    assert query.question.endswith("?")
    assert query.about == "sglang"
    assert {expected.release for expected in query.expectations} == RELEASES
    for expected in query.expectations:
        assert 0 < expected.at_least <= expected.at_most
        assert expected.in_functions


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_each_part_says_what_it_finds(query: Query) -> None:
    """In words, and differently."""
    said = [find.what for find in query.finds]
    assert all(said)
    assert len(set(said)) == len(said)


@pytest.mark.parametrize(
    "wanted",
    [
        "GenerationBatchResult.accept_lens",
        "GenerationBatchResult.next_draft_input",
        "ScheduleBatch.spec_info",
        "EagleDraftInput.verified_id",
        "EagleDraftInput.hidden_states",
        "EagleDraftInput.topk_p",
        "EagleDraftInput.topk_index",
        "EagleDraftInput.new_seq_lens",
        "ScheduleBatch.out_cache_loc",
        "Req.kv_committed_len",
        "ReqKvInfo.kv_committed_len",
        "Req.kv_allocated_len",
        "ScheduleBatch.seq_lens",
        "GenerationBatchResult.num_accepted_tokens",
        "GenerationBatchResult.num_correct_drafts",
        "ServerArgs.speculative_algorithm",
        "ServerArgs.speculative_num_draft_tokens",
        "torch.cuda.CUDAGraph",
        "Scheduler.process_input_requests",
        "eagle_worker.EAGLEWorker.verify",
        "eagle_worker_v2.EAGLEWorkerV2.verify",
        "srt.managers.scheduler.Scheduler.event_loop_*",
    ],
)
def test_what_speculation_and_its_memory_hang_on_is_asked_about(wanted: str) -> None:
    """By the names of both releases."""
    assert any(wanted in names(query) for query in QUERIES.values())


def test_the_manual_names_every_key() -> None:
    """Whoever writes a query looks nothing up in the code."""
    text = MANUAL.read_text(encoding="utf-8")
    fields = [*Query.__slots__, *QUERIES["event-loop"].finds[0].only.__slots__, *QUERIES["event-loop"].expectations[0].__slots__]
    told = {"finds": "[[find]]", "name": "NAME", "expectations": "[expect.", "release": "2.4.0"}
    assert not [field for field in fields if f"`{field}`" not in text and told.get(field, f"{field} =") not in text]
    assert f'"{EVERYTHING}"' in text
