"""The shipped contracts, held against SGLang 0.5.9 by the real command; and the manual, which names all that can be said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flowmap.contracts.read import KEYS
from flowmap.query.files import CONTRACTS, files_on
from tests.conftest import RELEASE, Command

SHIPPED = files_on(CONTRACTS, None)
ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "docs" / "how-to" / "hold-a-contract.md"


@pytest.fixture(scope="module")
def held(flowmap: Command) -> dict[str, dict[str, object]]:
    """The contracts that the adaptive hook leans on, by name."""
    told = flowmap("check", "adaptive-disable", "--source", RELEASE, "--format", "json").stdout
    return {one["name"]: one for one in json.loads(told)["record"]["contracts"]}


def test_all_hold(held: dict[str, dict[str, object]]) -> None:
    """In the release that they were written for; none says nothing of it."""
    assert len(held) >= 25
    assert {one["standing"] for one in held.values()} == {"holds"}


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("one consumer of decode results", "sglang/srt/managers/scheduler.py:2453"),
        ("one launch under overlap", "sglang/srt/managers/scheduler.py:2328"),
        ("one draft", "sglang/srt/speculative/eagle_worker_v2.py:686"),
        ("step signature", "sglang/srt/speculative/eagle_worker_v2.py:650"),
        ("verify is the worker's own", "sglang/srt/speculative/eagle_worker_v2.py:700"),
        ("slots are reserved before the step", "sglang/srt/managers/schedule_batch.py:1955"),
        ("the stride is the worker's", "sglang/srt/managers/scheduler_output_processor_mixin.py:350"),
    ],
)
def test_they_hold_where_the_code_was_read_by_hand(held: dict[str, dict[str, object]], name: str, place: str) -> None:
    """Each at its one place."""
    assert held[name]["places"] == [place]


def test_a_contract_that_the_release_breaks_says_where(flowmap: Command, tmp_path: Path) -> None:
    """With what is there instead."""
    text = (
        '[[contract]]\nname = "who counts"\nkind = "writes-only-in"\nfields = ["Req.kv_committed_len"]\nwhy = "…"\n'
        'in = ["Req", "ScheduleBatch", "DecodePreallocQueue", "NgramVerifyInput", "EagleVerifyInput"]\n'
    )
    mine = tmp_path / "mine.toml"
    mine.write_text(text, encoding="utf-8")
    said = flowmap("check", str(mine), "--source", RELEASE, code=1).stdout
    assert "_resolve_spec_overlap_token_ids, too" in said
    assert "scheduler_output_processor_mixin.py:353" in said


@pytest.mark.parametrize("name", SHIPPED)
def test_each_file_says_what_it_is_for(name: str, flowmap: Command) -> None:
    """In the list, too."""
    assert name in flowmap("check", "--list").stdout


def test_the_manual_names_every_kind_and_key() -> None:
    """Whoever writes a contract looks nothing up in the code."""
    text = MANUAL.read_text(encoding="utf-8")
    assert not [kind for kind in KEYS if f"`{kind.value}`" not in text]
    assert not [key for keys in KEYS.values() for key in keys.all if f"`{key}`" not in text and f"{key} =" not in text]
