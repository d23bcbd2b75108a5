"""Fills the tables of the hook's page from what was simulated: `python -m benchmarks.simulation_page EVIDENCE PAGE`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Evidence = Mapping[str, Any]
"""As `python -m adaptive_disable.simulate --json` writes it."""

POLICIES = ("threshold", "cost-table", "foresight")
SERVED = ("h200-eagle steady ramp", "h200-eagle drifting burst", "published steady ramp", "tuned drifting low")
SERVICE = {
    "tokens/s": "throughput",
    "TTFT": "ttft",
    "TPOT p50": "tpot_p50",
    "TPOT p95": "tpot_p95",
    "latency": "latency",
    "latency p95": "latency_p95",
    "flips": "flips",
    "probe steps": "probe_steps",
}


def filled(page: str, evidence: Evidence) -> str:
    """The page with the rows of the evidence below each mark `<!-- TABLE -->`. Raises `ValueError` where a mark is missing."""
    for name, rows in _tables(evidence).items():
        mark = f"<!-- {name} -->\n"
        if mark not in page:
            raise ValueError(f"the page has no mark {mark.strip()}")
        below = "".join(f"| {' | '.join(row)} |\n" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:]))
        page = re.sub(rf"{re.escape(mark)}(?:\|.*\n)*", lambda _, new=mark + below: new, page)  # type: ignore[misc]
    return page


def _tables(evidence: Evidence) -> dict[str, list[list[str]]]:
    return {
        "scenarios": [["scenario", "on", "off", *POLICIES, "myopic"], *map(_regrets, evidence["scenarios"])],
        "service": [["scenario", "", *SERVICE], *_service(evidence["scenarios"])],
        "ramps": [
            ["ramp", *(cell for who in POLICIES for cell in (f"{who}: worst stage", "whole"))],
            *map(_ramp, evidence["ramps"]),
        ],
        "sensitivity": list(_sensitivity(evidence["sensitivity"])),
    }


def _regrets(scenario: Evidence) -> list[str]:
    regrets = {who: figures["regret_of_better_static"] for who, figures in scenario["contenders"].items()}
    statics = [f"{100 * regrets[who]['mean']:.0f}" for who in ("on", "off")]
    return [scenario["name"], *statics, *(_shown(regrets[who]) for who in (*POLICIES, "myopic"))]


def _service(scenarios: Iterable[Evidence]) -> Iterable[list[str]]:
    for scenario in scenarios:
        for who in ("on", "off", "cost-table", "foresight") if scenario["name"] in SERVED else ():
            figures = scenario["contenders"][who]
            yield [scenario["name"], who, *(f"{figures[figure]['mean']:.1f}" for figure in SERVICE.values())]


def _ramp(ramp: Evidence) -> list[str]:
    row = [ramp["name"]]
    for who in POLICIES:
        figures = ramp["contenders"][who]
        worst = min(stage["mean"] for stage in figures["share_of_better_static"])
        row += [f"{100 * worst:.1f}", _shown(figures["share_of_better_static_whole"])]
    return row


def _sensitivity(points: list[Evidence]) -> Iterable[list[str]]:
    scenarios = list(dict.fromkeys(point["scenario"] for point in points))
    yield ["policy", "changed", *scenarios]
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for point in points:
        value = f"{point['value']:g} ms" if point["of"] == "flip cost" else f"{100 * point['value']:+g} %"
        rows.setdefault((point["policy"], f"{point['of']} {value}"), {})[point["scenario"]] = _shown(point["regret"])
    yield from ([*key, *(cells[scenario] for scenario in scenarios)] for key, cells in rows.items())


def _shown(figure: Mapping[str, float]) -> str:
    """A share and half its interval, in percent."""
    return f"{100 * figure['mean']:.1f} ± {100 * figure['half']:.1f}"


def main(evidence: Path, page: Path) -> None:
    """Rewrite the page."""
    text = page.read_text(encoding="utf-8")
    page.write_text(filled(text, json.loads(evidence.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
