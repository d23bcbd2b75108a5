"""Runs requests that ask for more than greedy tokens, with flips: `python -m tests.adaptive.prove_kinds RESULT`.

Sampled ones must be distributed as the target has it in every kind of step, and a hook that ignores temperatures must be found
out; those with a grammar must get what they get without speculation; those with penalties or log probabilities must be left
alone. Ends with 1 where anything does not hold.
"""

from __future__ import annotations

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from tests.adaptive.distribution import ALPHA, fits_of, impossible, wrong_in
from tests.adaptive.environment import Environment, prepared
from tests.adaptive.faults import Fault
from tests.adaptive.grammar import is_counted
from tests.adaptive.prove import ALGORITHMS, VARIANTS
from tests.sglang.measure import RELEASE, machine, versions

GOOD = tuple(f"{algorithm}:{variant}" for algorithm, variant in product(ALGORITHMS, VARIANTS))
FAULTY = tuple(f"{algorithm}:one-token:{Fault.TEMPERATURE_IGNORED.value}" for algorithm in ALGORITHMS)
Row = dict[str, Any]


def main(result: Path) -> int:
    """Write one JSON object, and return the exit code."""
    started = time.monotonic()
    environment = prepared()
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        rows = list(threads.map(partial(_sampled, environment), (*GOOD, *FAULTY)))
    sampled, faults = rows[: len(GOOD)], rows[len(GOOD) :]
    others = _others(environment)
    holds = not any(row["wrong"] for row in (*sampled, *others)) and all(row["fits"]["-"]["p"] < ALPHA for row in faults)
    about = {
        "release": RELEASE,
        "command": "make prove-kinds",
        "machine": machine(),
        "versions": versions(environment.python),
        "seconds": round(time.monotonic() - started),
        "alpha": ALPHA,
        "holds": holds,
    }
    answer = {**about, "sampled": sampled, "faults": faults, "others": others}
    result.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(answer, indent=1))
    return 0 if holds else 1


def _sampled(environment: Environment, run: str) -> Row:
    """The tests of a run by how tokens were made: `-` off steps, `+` on steps, `r` those right after an off one."""
    answer, shares = environment.sampled(run)
    fits, n_impossible = fits_of(answer["requests"], shares, seed=0), impossible(shares)
    return {
        "run": run,
        "flips": answer["flips"],
        "requests": len(shares),
        "fits": fits,
        "impossible": n_impossible,
        "wrong": [*answer["problems"], *wrong_in(fits, n_impossible)],
    }


def _others(environment: Environment) -> list[Row]:
    plain, drafted = environment.kinds(), environment.kinds("EAGLE")
    grammar = drafted["grammar"]["flips"]
    counted = [is_counted(tokens) for tokens in grammar["out"]]
    unmet = {
        "tokens differ from those without speculation": grammar["out"] == plain["grammar"]["plain"]["out"],
        "the grammar is not kept": counted == [True, False, True, False],
        "not both kinds of steps": set(grammar["decisions"]) == {True, False},
    }
    wrong = [*grammar["problems"], *(said for said, holds in unmet.items() if not holds)]
    return [{"kind": "grammar", **_steps(grammar), "with_grammar": sum(counted), "wrong": wrong}] + [
        {
            "kind": kind,
            **_steps(drafted[kind]["flips"]),
            "wrong": ["not left alone"] * (drafted[kind]["flips"]["out"] != drafted[kind]["stock"]["out"]),
        }
        for kind in ("penalties", "logprobs")
    ]


def _steps(answer: Row) -> Row:
    """How many steps the controller was asked about, by what it said."""
    taken = answer["decisions"]
    return {"requests": len(answer["out"]), "steps_off": taken.count(False), "steps_on": taken.count(True)}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
