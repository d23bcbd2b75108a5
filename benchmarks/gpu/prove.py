"""Runs the scenarios of one kind, each in a process of its own: `python -m benchmarks.gpu.prove KIND FOLDER [NAME…]`.

KIND is `tokens`, `steps` or `throughput`. Models are made below FOLDER/models, outcomes go to FOLDER/KIND, a file a scenario;
`benchmarks.gpu.evidence` judges them. Needs SGLang 0.5.9, and one Hopper GPU: README.md beside this says where to get both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.gpu.scenarios import SCENARIOS, Kind, Scenario

AT_ONCE = {Kind.TOKENS: 8, Kind.STEPS: 1, Kind.THROUGHPUT: 1}  # servers beside one another take one another's time
LIMIT = float(os.environ.get("PROVE_SECONDS", "1200"))
APART = 1.0  # seconds between two starts
LAST_LINES = 12


@dataclass(frozen=True, slots=True)
class Started:
    """A scenario that runs."""

    scenario: Scenario
    process: subprocess.Popen[bytes]
    log: Path


def main(word: str, folder: Path, names: Sequence[str]) -> int:
    """Run them; how many did not end well."""
    kind = Kind(word)
    models, outcomes = folder / "models", folder / kind.value
    outcomes.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "benchmarks.gpu.make_models", str(models)], check=True)
    chosen = [each for each in SCENARIOS.values() if each.kind is kind and (not names or each.name in names)]
    failed = run_all(chosen, models, outcomes, AT_ONCE[kind])
    if kind is Kind.TOKENS:
        subprocess.run([sys.executable, "-m", "benchmarks.gpu.reference", str(outcomes), str(models), "cuda"], check=True)
    return failed


def run_all(scenarios: Sequence[Scenario], models: Path, outcomes: Path, at_once: int) -> int:
    """Run scenarios, so many at once, until all have ended or the time is up. Returns how many did not end well."""
    start = time.perf_counter()
    waiting, running, failed = deque(scenarios), list[Started](), 0
    while waiting or running:
        if time.perf_counter() - start > LIMIT:
            return failed + _give_up(running, waiting)
        if waiting and len(running) < at_once:
            running.append(_start(waiting.popleft(), models, outcomes))
        time.sleep(APART)
        for ended in [each for each in running if each.process.poll() is not None]:
            running.remove(ended)
            failed += _report(ended, time.perf_counter() - start)
    return failed


def _start(scenario: Scenario, models: Path, outcomes: Path) -> Started:
    log = outcomes / f"{scenario.name}.log"
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.gpu.run_one", scenario.name, str(models), str(outcomes)]
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
    return Started(scenario, process, log)


def _report(ended: Started, seconds: float) -> int:
    """Say how a scenario ended, with the end of its log where it did not end well: 1 then, else 0."""
    code = ended.process.returncode
    print(f"{seconds:5.0f} s  {ended.scenario.name}: {'done' if code == 0 else f'exit code {code}'}", flush=True)
    if code != 0:
        lines = ended.log.read_text(encoding="utf-8", errors="replace").splitlines()
        print("\n".join(f"    {line[:300]}" for line in lines[-LAST_LINES:]), flush=True)
    return int(code != 0)


def _give_up(running: Sequence[Started], waiting: Sequence[Scenario]) -> int:
    for each in running:
        os.killpg(each.process.pid, 9)
        each.process.wait()
        _report(each, LIMIT)
    print("not started:", *(scenario.name for scenario in waiting), flush=True)
    return len(running) + len(waiting)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
