"""The hook points of SGLang 0.5.9 against those that were read by hand: `make score-hooks` prints the same figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FACTS, RELEASE, Command
from tests.facts.score import score_hooks

PROFILES = ("eagle-v1", "eagle-v2")
LEFT_OUT_BY_THE_READING = 1  # the call of `prepare_for_decode` in a benchmark: docs/concepts/obligations.md
Report = dict[str, Any]


@pytest.fixture(scope="module")
def reports(flowmap: Command, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """The report of each profile."""
    folder: Path = tmp_path_factory.mktemp("hooks")
    found = {}
    for profile in PROFILES:
        path = folder / f"{profile}.json"
        flowmap("hooks", "adaptive-disable", "--profile", profile, "--format", "json", "-o", str(path), FLOWMAP_SOURCE=RELEASE)
        found[profile] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_the_facts_are_met(reports: dict[str, Report]) -> None:
    """Every fact of role `skip` is a candidate; roles, verdicts, live call sites and obligations agree in all of them."""
    figures = score_hooks(FACTS / "sglang-0.5.9", list(reports.values()), misses=10)
    n_facts = len((FACTS / "sglang-0.5.9" / "hookpoint.jsonl").read_text(encoding="utf-8").splitlines())
    assert figures.pop("hook static call sites") == (n_facts - LEFT_OUT_BY_THE_READING) / n_facts
    assert set(figures.values()) == {1.0}


def test_a_clean_hook_of_the_second_worker_stands_above_all_of_the_first(reports: dict[str, Report]) -> None:
    """The first worker changes requests and batches in place; the second hands out a result."""
    best = {profile: skipping(report)[0] for profile, report in reports.items()}
    assert best["eagle-v2"]["verdict"] == "clean"
    assert best["eagle-v2"]["points"] > best["eagle-v1"]["points"]
    assert "clean" not in {one["verdict"] for one in skipping(reports["eagle-v1"])}


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_infeasible_stands_at_the_bottom_with_a_reason(reports: dict[str, Report], profile: str) -> None:
    """Every one says why: a criterion that bars it, or points below the fewest of any other verdict."""
    candidates = reports[profile]["candidates"]
    verdicts = [one["verdict"] for one in candidates]
    first = verdicts.index("infeasible")
    assert set(verdicts[first:]) == {"infeasible"}
    assert all(one["criteria"] for one in candidates[first:])


def skipping(report: Report) -> list[dict[str, Any]]:
    """The candidates where an operation can be bypassed, the best first."""
    return [one for one in report["candidates"] if one["role"] == "skip" and one["covers"]]
