"""Runs the scheduler without and with speculation, each in a process of its own: `python -m tests.sglang.run_all ROOT`.

Exits with 1 when the tokens differ, a slot leaks or nothing was switched: then the run proves nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

SETTINGS = {"SGLANG_USE_CPU_ENGINE": "1", "TRITON_INTERPRET": "1", "SGLANG_ENABLE_SPEC_V2": "1"}
RUNS = (("baseline",), ("standalone", "3,3,0,0,3,0,3"))


def main(root: str) -> int:
    """Print the answer of each run, a line each, and return the exit code."""
    answers = [_answer(root, run) for run in RUNS]
    plain, drafted = answers
    same = plain["out"] == drafted["out"] and all(answer["leak"] == 0 for answer in answers)
    return 0 if same and {0, 3} <= set(drafted["decisions"]) else 1


def _answer(root: str, run: tuple[str, ...]) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.sglang.run_scheduler", root, *run]
    text = subprocess.run(command, env={**os.environ, **SETTINGS}, check=True, stdout=subprocess.PIPE, text=True).stdout
    line = text.splitlines()[-1]
    print(line, flush=True)
    answer: dict[str, Any] = json.loads(line)
    return answer


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
