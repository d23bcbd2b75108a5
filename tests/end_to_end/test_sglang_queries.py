"""The shipped queries, asked of SGLang 0.5.9 by the real command, as `make check` does, too."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from flowmap.query.files import query_files
from tests.conftest import RELEASE, Command

SHIPPED = query_files(None)
MANUAL = Path(__file__).parents[2] / "docs" / "how-to" / "ask-a-question.md"


@pytest.fixture(scope="module", autouse=True)
def _indexed(flowmap: Command) -> None:
    """What is measured here is an answer, not the making of the index."""
    flowmap("index", RELEASE)


def test_all_are_answered_as_they_expect(flowmap: Command) -> None:
    """None is passed over."""
    record = json.loads(flowmap("queries", "--check", "--source", RELEASE, "--format", "json").stdout)["record"]
    assert {one["name"] for one in record} == set(SHIPPED)
    assert {one["verdict"] for one in record} == {"as expected"}


def test_an_expectation_that_is_not_met_fails(flowmap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As does a name that has gone; the others are still told."""
    (tmp_path / "queries").mkdir()
    (tmp_path / "flowmap.toml").write_text(f'source = "{RELEASE}"\n', encoding="utf-8")
    text = SHIPPED["event-loop"].path.read_text(encoding="utf-8")
    (tmp_path / "queries" / "event-loop.toml").write_text(
        text.replace('reached_from = ["srt.managers.scheduler.run_scheduler_process"]', 'reached_from = ["Req.check_finished"]'),
        encoding="utf-8",
    )
    gone = SHIPPED["accept-lens"].path.read_text(encoding="utf-8").replace("Result.accept_lens", "Result.accept_lenz")
    (tmp_path / "queries" / "accept-lens.toml").write_text(gone, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    said = flowmap("queries", "--check", code=1).stdout
    assert "event-loop  not as expected  0 answers" in said
    assert "accept-lens  cannot be answered" in said
    assert "Did you mean accept_lens" in said
    assert said.count("  as expected") == len(SHIPPED) - 2


def test_the_event_loops_are_told_with_what_decides(flowmap: Command) -> None:
    """Ten ways, all in one function."""
    lines = flowmap("query", "event-loop", "--source", RELEASE, "--format", "lines").stdout.splitlines()
    assert len(lines) == 10
    (overlap,) = [line for line in lines if "scheduler.event_loop_overlap()" in line]
    assert overlap.startswith("sglang/srt/managers/scheduler.py:3169:")
    assert "if scheduler.enable_overlap" in overlap


def test_the_dispatcher_is_told_row_by_row(flowmap: Command) -> None:
    """The type of the request, and who handles it."""
    record = json.loads(flowmap("query", "request-dispatch", "--source", RELEASE, "--format", "json").stdout)["record"]
    rows = {hit["guards"][-1]: hit["targets"] for hit in record["parts"][0]["hits"]}
    assert rows["case TokenizedGenerateReqInput"] == ["sglang.srt.managers.scheduler.Scheduler.handle_generate_request"]
    assert len(rows) == 38


def test_the_exported_accesses_are_those_of_the_field(flowmap: Command) -> None:
    """A query with one field exports what `export state` does."""
    by_query = flowmap("export", "state", "--query", "accept-lens", "--source", RELEASE).stdout
    assert by_query == flowmap("export", "state", "GenerationBatchResult.accept_lens", "--source", RELEASE).stdout
    assert len(by_query.splitlines()) == 13
    said = flowmap("export", "state", "--query", "event-loop", "--source", RELEASE, code=2).stderr
    assert "looks for no fields" in said


def test_the_manual_shows_what_is_printed(flowmap: Command) -> None:
    """Every line of its excerpt stands in the answer, in that order."""
    excerpt = MANUAL.read_text(encoding="utf-8").partition("```text\n")[2].partition("```")[0].splitlines()
    printed = iter(flowmap("query", "kv-committed-len", "--source", RELEASE, COLUMNS="100").stdout.splitlines())
    assert len(excerpt) > 10
    assert all(line in printed for line in excerpt if line != "…")


@pytest.mark.parametrize("name", ["accept-lens", "draft-token-allocations", "spec-info"])
def test_an_answer_takes_less_than_a_second(flowmap: Command, name: str) -> None:
    """Of the processor's time, since other programs run, too."""
    assert seconds_of(flowmap, "query", name) < 1


def test_sql_answers_within_a_second(flowmap: Command) -> None:
    """And it finds the one caller."""
    statement = "SELECT caller, line FROM edges WHERE callee_name = 'process_batch_result_decode'"
    said = flowmap("sql", statement, "--source", RELEASE).stdout
    assert "sglang.srt.managers.scheduler.Scheduler.process_batch_result  2453" in said
    assert seconds_of(flowmap, "sql", statement) < 1


def seconds_of(flowmap: Command, *arguments: str) -> float:
    """The processor's time that an answer takes."""
    before = os.times()
    flowmap(*arguments, "--source", RELEASE)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
