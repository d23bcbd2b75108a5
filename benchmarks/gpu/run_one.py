"""Runs one scenario on SGLang's real scheduler: `python -m benchmarks.gpu.run_one SCENARIO MODELS FOLDER`.

The emitted package must be importable. Writes FOLDER/SCENARIO.json.
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from benchmarks.gpu.scenarios import SCENARIOS
from benchmarks.gpu.servers import V2, Algorithm
from benchmarks.gpu.stubs import install_stubs


def main(name: str, models: str, folder: str) -> None:
    """Run a scenario to its end. SGLang can be imported only when the environment and the stubs are as they must be."""
    scenario = SCENARIOS[name]
    if scenario.server.algorithm is not Algorithm.NONE:
        os.environ.update(V2)
    install_stubs()
    logging.basicConfig(level=logging.WARNING)
    from benchmarks.gpu.running import run

    run(scenario, Path(models), Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # threads of the scheduler would keep the process
