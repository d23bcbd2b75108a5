"""Judges the outcomes of the scenarios and keeps them: `python -m benchmarks.gpu.evidence FOLDER RESULTS [MACHINE]`.

FOLDER is what `benchmarks.gpu.prove` wrote. Writes RESULTS/adaptive-gpu-tokens.json, -steps.json and -throughput.json, of those
kinds that were run, and prints what holds and what does not. Exit code 1 where something does not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.gpu.gaps import gaps
from benchmarks.gpu.judging import Check, throughput_checks, token_checks
from benchmarks.gpu.ramps import ramp_rows
from benchmarks.gpu.scenarios import Kind

Outcomes = Mapping[str, Mapping[str, Any]]
EACH = frozenset(("answers", "rounds", "began"))  # of an outcome: what its sums are made of


def main(folder: Path, results: Path, machine: str) -> int:
    """Judge and keep what is there."""
    results.mkdir(parents=True, exist_ok=True)
    missed = 0
    for kind in Kind:
        if (folder / kind.value).is_dir():
            told, checks = KEPT[kind](folder / kind.value)
            about = {"command": f"make prove-gpu KIND={kind.value}", "machine": machine}
            checked = [{"what": check.what, "holds": check.holds, "found": check.found} for check in checks]
            file = results / f"adaptive-gpu-{kind.value}.json"
            file.write_text(json.dumps({**about, "checks": checked, **told}, indent=1) + "\n", encoding="utf-8")
            missed += sum(not check.holds for check in checks)
            print(file, *(f"\n  {'holds' if check.holds else 'MISSED'}: {check.what}: {check.found}" for check in checks))
    return int(missed > 0)


def _outcomes(folder: Path) -> Outcomes:
    read = (json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json")) if file.stem != "reference")
    return {each["scenario"]: each for each in read}


def _tokens(folder: Path) -> tuple[dict[str, Any], list[Check]]:
    outcomes = _outcomes(folder)
    reference = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
    told = [_summed(each) for each in outcomes.values()]
    return {"reference": reference, "scenarios": told}, token_checks(outcomes, reference)


def _steps(folder: Path) -> tuple[dict[str, Any], list[Check]]:
    outcomes = _outcomes(folder)
    found = gaps([pace for outcome in outcomes.values() for pace in outcome["paces"]])
    scenarios = [_summed(each) for each in outcomes.values()]
    return {"gaps": [asdict(gap) for gap in found], "scenarios": scenarios}, []


def _throughput(folder: Path) -> tuple[dict[str, Any], list[Check]]:
    outcomes = _outcomes(folder)
    rows = {name: ramp_rows(each["paces"]) for name, each in outcomes.items()}
    told = {name: [row.as_json() for row in each] for name, each in rows.items()}
    scenarios = [_summed(each) for each in outcomes.values()]
    return {"ramps": told, "scenarios": scenarios}, throughput_checks(rows)


def _summed(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in outcome.items() if key not in EACH}


KEPT: Mapping[Kind, Callable[[Path], tuple[dict[str, Any], list[Check]]]] = {
    Kind.TOKENS: _tokens,
    Kind.STEPS: _steps,
    Kind.THROUGHPUT: _throughput,
}

if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), " ".join(sys.argv[3:])))
