"""Runs the whole matrix on the real scheduler and keeps the result:

    python -m tests.adaptive.prove FOLDER [SUBJECT [N_SCHEDULES]]

SUBJECT is a release such as `pypi:sglang==0.5.11`. The result is FOLDER/adaptive-cpu.json, and of others than 0.5.9
FOLDER/adaptive-cpu-VERSION.json. Each algorithm with each variant goes through twelve random schedules, and faulty runs must be
found out. Ends with 1 where anything does not hold.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

from tests.adaptive.environment import Answer, Environment, prepared
from tests.adaptive.faults import IN_TOKENS, Fault
from tests.adaptive.judging import LARGEST_GAP, acceptance, judged
from tests.adaptive.requests import planned
from tests.sglang.measure import RELEASE, machine, versions

ALGORITHMS, VARIANTS = ("STANDALONE", "EAGLE"), ("one-token", "dummy-draft")
N_SCHEDULES, N_FAULTY = 12, 1
Row = dict[str, Any]


def main(folder: Path, subject: str, n_schedules: int) -> int:
    """Write one JSON object, and return the exit code."""
    started, release = time.monotonic(), subject.removeprefix("pypi:")
    environment = prepared(release)
    good = [f"{algorithm}:{variant}" for algorithm, variant in product(ALGORITHMS, VARIANTS)]
    faulty = [f"{algorithm}:one-token:{fault.value}" for algorithm, fault in product(ALGORITHMS, IN_TOKENS)]
    seeds = {run: range(n_schedules) for run in ("baseline", *good)} | {run: range(min(N_FAULTY, n_schedules)) for run in faulty}
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        answered = dict(zip(seeds, threads.map(environment.answers, seeds, seeds.values()), strict=True))
    baseline = answered["baseline"]
    rows = [_row(run, answered[run], baseline, environment) for run in good]
    found = [found_out(run, answered[run], baseline, answered[run.rpartition(":")[0]]) for run in faulty]
    holds = all(row["holds"] for row in rows) and all(row["found_out"] for row in found)
    about = {
        "release": release,
        "command": f"make prove-schedules SUBJECT={subject} SCHEDULES={n_schedules}",
        "machine": machine(),
        "versions": versions(environment.python),
        "seconds": round(time.monotonic() - started),
        "holds": holds,
    }
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / ("adaptive-cpu.json" if release == RELEASE else f"adaptive-cpu-{release.partition('==')[2]}.json")
    result.write_text(json.dumps({**about, "runs": rows, "faults": found}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({**about, "runs": len(rows), "faults": len(found)}, indent=1))
    return 0 if holds else 1


def _row(run: str, answers: Sequence[Answer], baseline: Sequence[Answer], environment: Environment) -> Row:
    """What came of all schedules of a run."""
    verdicts = [judged(answer, plain) for answer, plain in zip(answers, baseline, strict=True)]
    wrong = [
        f"schedule {answer['seed']}: {each}" for answer, verdict in zip(answers, verdicts, strict=True) for each in verdict.wrong
    ]
    differing = [name for verdict in verdicts for name in verdict.differing]
    late = [name for verdict in verdicts for name in verdict.late]
    gaps = environment.gaps(outputs(answers))
    worst = max(gap for each in gaps for gap in each)
    every, resumed = acceptance(answers)
    early_off = sum(answer["early_off"] for answer in answers)
    wrong += [] if early_off else ["in no schedule a request ended early while off"]
    return {
        "run": run,
        "holds": not wrong and worst <= LARGEST_GAP,
        "schedules": len(answers),
        "flips": [answer["flips"] for answer in answers],
        "requests": sum(len(answer["out"]) for answer in answers),
        "tokens": sum(map(len, gaps)),
        "requests_that_differ": differing,
        "requests_that_stopped_late": late,
        "largest_gap": worst,
        "leaked_slots": sum(answer["leak"] for answer in answers),
        "aborted_while_off": sum(answer["aborted_off"] for answer in answers),
        "retracted_while_off": sum(answer["retracted_off"] for answer in answers),
        "ended_early": sum(len(answer["early"]) for answer in answers),
        "ended_early_while_off": early_off,
        "tokens_an_on_step": every,
        "tokens_an_on_step_after_off": resumed,
        "wrong": wrong,
        "seconds": round(sum(answer["seconds"] for answer in answers), 1),
    }


def outputs(answers: Sequence[Answer]) -> list[Row]:
    """Prompt and output of each request, as the reference asks for them."""
    prompts = {request.name: request.prompt for answer in answers for request in planned(answer["seed"])}
    return [{"prompt": list(prompts[name]), "out": out} for answer in answers for name, out in answer["out"].items() if out]


def found_out(run: str, answers: Sequence[Answer], baseline: Sequence[Answer], good: Sequence[Answer]) -> Row:
    """By what a faulty run is found out: each fault must break what it must break, in each schedule."""
    verdicts = [judged(answer, plain) for answer, plain in zip(answers, baseline, strict=False)]
    resumed, resumed_good = acceptance(answers)[1], acceptance(good)[1]
    breaks = {
        Fault.DRAFT_LEFT_BEHIND: all(_says(verdict.wrong, "no draft KV") for verdict in verdicts)
        and resumed < 0.8 * resumed_good,
        Fault.PACKED: all(verdict.differing for verdict in verdicts),
        Fault.COUNTED: all(_says(verdict.wrong, "spec_verify_ct") for verdict in verdicts),
    }
    return {
        "run": run,
        "found_out": breaks[Fault(run.rpartition(":")[2])],
        "schedules": len(answers),
        "requests_that_differ": sum(len(verdict.differing) for verdict in verdicts),
        "wrong": sum(len(verdict.wrong) for verdict in verdicts),
        "for_example": [verdict.wrong[0] for verdict in verdicts if verdict.wrong][:1],
        "tokens_an_on_step_after_off": resumed,
    }


def _says(wrong: Sequence[str], what: str) -> bool:
    return any(what in each for each in wrong)


if __name__ == "__main__":
    named = [*sys.argv[2:], *(f"pypi:{RELEASE}", N_SCHEDULES)[len(sys.argv) - 2 :]]
    sys.exit(main(Path(sys.argv[1]), str(named[0]), int(named[1])))
