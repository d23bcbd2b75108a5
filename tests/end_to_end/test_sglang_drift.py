"""Three releases of SGLang in which the first EAGLE worker went and mixins became components; `make drift` asks about twelve."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Command

RELEASES = ",".join(f"pypi:sglang=={version}" for version in ("0.5.11", "0.5.12.post1", "0.5.13.post1"))

Stays = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def stays(flowmap: Command) -> Stays:
    """What became of a thing, release by release."""

    def asked(name: str) -> list[dict[str, Any]]:
        answer = json.loads(flowmap("drift", name, "--across", RELEASES, "--format", "json", "--quiet").stdout)
        (thing,) = answer["record"]["things"]
        rows: list[dict[str, Any]] = thing["releases"]
        return rows

    return asked


def names(rows: list[dict[str, Any]]) -> list[str]:
    """The last two parts of each symbol."""
    return [".".join(row["symbol"].split(".")[-2:]) for row in rows]


def test_the_resolver_is_followed_through_both_its_names_and_out_of_its_mixin(stays: Stays) -> None:
    """Asked for by the name that it has in the middle."""
    assert names(stays("_resolve_spec_overlap_tokens")) == [
        "SchedulerOutputProcessorMixin._resolve_spec_overlap_token_ids",
        "SchedulerOutputProcessorMixin._resolve_spec_overlap_tokens",
        "SchedulerBatchResultProcessor._resolve_spec_v2_tokens",
    ]


def test_the_count_of_accepted_drafts_is_followed_by_its_users(stays: Stays) -> None:
    """No method bears its name."""
    assert names(stays("GenerationBatchResult.num_correct_drafts")) == [
        "GenerationBatchResult.num_accepted_drafts",
        *["GenerationBatchResult.num_correct_drafts"] * 2,
    ]


def test_the_first_worker_is_gone_and_nothing_is_taken_for_it(stays: Stays) -> None:
    """Though a second worker and others like it are there."""
    assert [row["fate"] for row in stays("eagle_worker.EAGLEWorker.verify")] == ["first looked at", "same", "gone"]


def test_a_mixin_became_several_components(stays: Stays) -> None:
    """They have its methods."""
    last = stays("managers.scheduler_output_processor_mixin.SchedulerOutputProcessorMixin")[-1]
    assert last["fate"] == "split"
    assert {symbol.rpartition(".")[2] for symbol in last["perhaps"]} == {
        "SchedulerBatchResultProcessor",
        "SchedulerLogprobResultProcessor",
        "SchedulerOutputStreamer",
    }
