"""What is kept of the simulation is what it says today, and what the manual shows of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "queries" / "emit" / "adaptive-disable" / "package"
EVIDENCE = ROOT / "docs" / "evidence" / "adaptive-simulation.json"
PAGE = ROOT / "docs" / "adaptive-disable.md"
SERVICE = ("throughput", "ttft", "tpot_p50", "tpot_p95", "latency", "latency_p95", "flips", "probe_steps")
SHOWN = ("threshold", "cost-table", "foresight", "myopic")


@pytest.fixture(scope="module")
def evidence() -> dict[str, Any]:
    """What is kept."""
    read: dict[str, Any] = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    return read


def test_the_simulation_still_says_what_is_kept(evidence: dict[str, Any], tmp_path: Path) -> None:
    """One scenario, simulated again with as many seeds: every figure of every contender."""
    name, seeds, file = "h200-eagle all busy", str(len(evidence["seeds"])), tmp_path / "again.json"
    arguments = ["--only", name, "--seeds", seeds, "--workers", "1", "--json", str(file)]
    command = [sys.executable, "-m", "adaptive_disable.simulate", *arguments]
    subprocess.run(command, cwd=PACKAGE, env={**os.environ, "PYTHONPATH": str(PACKAGE)}, check=True, capture_output=True)
    again = json.loads(file.read_text(encoding="utf-8"))["scenarios"]
    assert again == [scenario for scenario in evidence["scenarios"] if scenario["name"] == name]


def test_the_page_shows_the_regrets_that_are_kept(evidence: dict[str, Any]) -> None:
    """A row a scenario: the statics' regrets in whole percent, the others' with their intervals."""
    expected = []
    for scenario in evidence["scenarios"]:
        regrets = {who: figures["regret_of_better_static"] for who, figures in scenario["contenders"].items()}
        statics = [f"{100 * regrets[who]['mean']:.0f}" for who in ("on", "off")]
        expected.append([scenario["name"], *statics, *(shown(regrets[who]) for who in SHOWN)])
    assert rows("scenarios") == expected


def test_the_page_shows_the_service_that_is_kept(evidence: dict[str, Any]) -> None:
    """Each row of the four scenarios, figure by figure."""
    kept = {scenario["name"]: scenario["contenders"] for scenario in evidence["scenarios"]}
    assert len(rows("service")) == 16
    for name, who, *figures in rows("service"):
        assert figures == [f"{kept[name][who][figure]['mean']:.1f}" for figure in SERVICE]


def test_the_page_shows_the_ramps_that_are_kept(evidence: dict[str, Any]) -> None:
    """For each policy its worst stage and the whole."""
    expected = []
    for ramp in evidence["ramps"]:
        row = [ramp["name"]]
        for who in SHOWN[:3]:
            figures = ramp["contenders"][who]
            worst = min(stage["mean"] for stage in figures["share_of_better_static"])
            row += [f"{100 * worst:.1f}", shown(figures["share_of_better_static_whole"])]
        expected.append(row)
    assert rows("ramps") == expected


def test_the_page_shows_the_sensitivity_that_is_kept(evidence: dict[str, Any]) -> None:
    """Cell by cell, in the order of the evidence."""
    cells = [cell for row in rows("sensitivity") for cell in row[2:]]
    policies = len({point["policy"] for point in evidence["sensitivity"]})
    columns = len({point["scenario"] for point in evidence["sensitivity"]})
    assert len(cells) == len(evidence["sensitivity"]) == policies * columns * (len(cells) // policies // columns)
    assert cells == [shown(point["regret"]) for point in evidence["sensitivity"]]


def shown(figure: dict[str, float]) -> str:
    """A share and half its interval, in percent."""
    return f"{100 * figure['mean']:.1f} ± {100 * figure['half']:.1f}"


def rows(table: str) -> list[list[str]]:
    """The rows of a table of the page, without its head."""
    found = re.search(rf"<!-- {table} -->\n((?:\|.*\n)+)", PAGE.read_text(encoding="utf-8"))
    assert found is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()[2:]]
