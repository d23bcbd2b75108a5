"""The profiles for SGLang 0.5.9, against facts that were read by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import FACTS, RELEASE, Command, Row

PROFILES = ("eagle-v1", "eagle-v2")


def facts(kind: str) -> list[Row]:
    """The facts of a kind."""
    lines = (FACTS / "sglang-0.5.9" / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def calls_under(flowmap: Command, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Row]]:
    """The exported calls under a profile."""
    folder: Path = tmp_path_factory.mktemp("profiles")

    @cache
    def exported(profile: str) -> list[Row]:
        path = folder / f"{profile}.jsonl"
        flowmap("export", "calls", "--profile", profile, "-o", str(path), FLOWMAP_SOURCE=RELEASE)
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    return exported


def places(rows: list[Row], symbol: str) -> set[str]:
    """Where a function is called."""
    return {f"{row['file']}:{row['line']}" for row in rows for target in row["targets"] if target["symbol"] == symbol}


@pytest.mark.parametrize("profile", PROFILES)
def test_only_the_live_call_sites_are_left(calls_under: Callable[[str], list[Row]], profile: str) -> None:
    """For every point at which speculation could be skipped, the call sites are those that run in its configuration."""
    points = [fact for fact in facts("hookpoint") if fact["profile"] == profile and "live_call_sites" in fact]
    assert points
    rows = calls_under(profile)
    live = {fact["id"]: set(fact["live_call_sites"]) for fact in points}
    left = {fact["id"]: places(rows, fact["definition"]) for fact in points}
    assert left == live


@pytest.mark.parametrize(("fact", "profile"), [("NOT-0003", "eagle-v2"), ("NOT-0005", "eagle-v1"), ("NOT-0084", "eagle-v1")])
def test_what_guards_exclude_falls(calls_under: Callable[[str], list[Row]], fact: str, profile: str) -> None:
    """What only guards forbid falls under the profile that these guards are about."""
    (forbidden,) = [one for one in facts("not_call") if one["id"] == fact]
    at = [row for row in calls_under(profile) if (row["file"], row["line"], row["expr"]) == place_of(forbidden)]
    assert not [row for row in at if any(target["symbol"] == forbidden["callee"] for target in row["targets"])]


def place_of(fact: Row) -> tuple[str, int, str]:
    """Where a forbidden call stands."""
    return (fact["file"], fact["line"], fact["expr"])


def test_every_difference_names_its_guard(flowmap: Command, golden: Callable[[str, str], None]) -> None:
    """The decode loop of the two generations of EAGLE, call by call."""
    asked = ("trace", "Scheduler.run_batch", "--profile", "eagle-v1", "--against", "eagle-v2", "--format", "json")
    record = json.loads(flowmap(*asked, FLOWMAP_SOURCE=RELEASE).stdout)
    edges = record.get("record", record)["edges"]
    assert all(edge["guard"] for edge in edges)
    golden("run_batch-eagle-v1-eagle-v2.txt", "".join(told(edges)))


def told(edges: list[Row]) -> Iterator[str]:
    """An edge, and below it the guard that keeps it from the other side."""
    for edge in edges:
        yield f"{edge['file']}:{edge['line']} only {edge['only_in']}: {edge['target']}\n"
        yield f"    elsewhere {edge['guard']}: {edge['why']}\n"
