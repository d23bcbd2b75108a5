"""Runs schedules on pairs of real schedulers that hold half of a model each: `python -m tests.adaptive.prove_parallel RESULT`.

Every decision must be rank 0's on both, whatever rank 1 would have decided; a pair whose ranks decide for themselves must be
found out. Ends with 1 where anything does not hold.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tests.adaptive.environment import Answer, Environment, prepared
from tests.adaptive.judging import judged_together, waits_in
from tests.adaptive.prove import ALGORITHMS, VARIANTS
from tests.sglang.measure import RELEASE, machine, versions

SEEDS = range(3)
TRIALS = (
    *(f"{seed}:{variant}:script" for seed, variant in product(SEEDS, VARIANTS)),
    *(f"0:one-token:{apart}" for apart in ("queue", "signal", "clock", "table")),
)
ALONE = "0:one-token:script:alone"
Row = dict[str, Any]


def main(result: Path) -> int:
    """Write one JSON object, and return the exit code."""
    started = time.monotonic()
    environment = prepared()
    baseline = environment.together("none", list(map(str, SEEDS)))[0]
    rows = [row for algorithm in ALGORITHMS for row in _rows(algorithm, environment, baseline)]
    fault = _alone(environment, baseline)
    holds = not any(row["wrong"] for row in rows) and fault["found_out"]
    about = {
        "release": RELEASE,
        "command": "make prove-parallel",
        "machine": machine(),
        "versions": versions(environment.python),
        "ranks": 2,
        "seconds": round(time.monotonic() - started),
        "holds": holds,
        "as_with_one_rank": _outputs(baseline) == _outputs(environment.answers("baseline", SEEDS)),
    }
    result.write_text(json.dumps({**about, "runs": rows, "fault": fault}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({**about, "runs": len(rows), "fault": fault}, indent=1))
    return 0 if holds else 1


def _rows(algorithm: str, environment: Environment, baseline: Sequence[Answer]) -> list[Row]:
    ranks = environment.together(algorithm, TRIALS)
    return [_row(algorithm, pair, baseline[pair[0]["seed"]]) for pair in zip(*ranks, strict=True)]


def _row(algorithm: str, pair: tuple[Answer, ...], plain: Answer) -> Row:
    """What came of one trial; signs are decode steps, `-` without speculation."""
    return {
        "run": f"{algorithm} {pair[0]['trial']}",
        "decisions": [answer["decisions"] for answer in pair],
        "decided_by_each": [answer["own"] for answer in pair],
        "requests": len(pair[0]["out"]),
        "tokens": sum(map(len, pair[0]["out"].values())),
        "leaked_slots": [answer["leak"] for answer in pair],
        "retracted_while_off": pair[0]["retracted_off"],
        "aborted_while_off": int(pair[0]["aborted_off"]),
        "wrong": judged_together(pair, plain),
    }


def _alone(environment: Environment, baseline: Sequence[Answer]) -> Row:
    """By what a pair is found out each of whose ranks does what it decided itself. Raises what is no consequence of that."""
    try:
        ranks = environment.together("EAGLE", [ALONE])
    except RuntimeError as error:
        waits = waits_in(str(error))
        if waits is None:
            raise
        wrong = [f"the ranks wait for each other for ever: one in {waits}"]
    else:
        (pair,) = zip(*ranks, strict=True)
        wrong = judged_together(pair, baseline[0])
    return {"run": f"EAGLE {ALONE}", "found_out": bool(wrong), "by": wrong}


def _outputs(answers: Sequence[Answer]) -> list[Any]:
    return [answer["out"] for answer in answers]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
