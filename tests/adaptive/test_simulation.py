"""What is kept of the simulation is what it says today, and what the manual shows of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulation_page import filled

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "queries" / "emit" / "adaptive-disable" / "package"
EVIDENCE = ROOT / "docs" / "evidence" / "adaptive-simulation.json"
PAGE = ROOT / "docs" / "adaptive-disable.md"


@pytest.fixture
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


def test_the_page_shows_what_is_kept(evidence: dict[str, Any]) -> None:
    """Each table is filled from the evidence: to fill them again changes nothing."""
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, evidence) == page
    first = evidence["scenarios"][0]["contenders"]["off"]["regret_of_better_static"]
    first["mean"] += 0.5
    assert filled(page, evidence) != page


def test_a_page_without_a_mark_is_refused(evidence: dict[str, Any]) -> None:
    """The mark is named."""
    with pytest.raises(ValueError, match="the page has no mark <!-- scenarios -->"):
        filled("", evidence)
