"""`python -m adaptive_disable.simulate`: runs all scenarios and prints what came of them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from adaptive_disable.simulate.experiment import run_all
from adaptive_disable.simulate.ramp import climb_all, climbs
from adaptive_disable.simulate.report import Findings, as_json, text
from adaptive_disable.simulate.scenarios import Who, open_scenarios
from adaptive_disable.simulate.sensitivity import sensitivity


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for. Exit code 2 where plots are wanted and matplotlib is missing."""
    named = _parser().parse_args(arguments)
    if named.plots is not None and not _can_plot():
        print("plots want matplotlib: pip install 'matplotlib>=3.8'", file=sys.stderr)
        return 2
    seeds = tuple(range(named.seeds))
    results = run_all(open_scenarios(), seeds, tuple(Who), named.workers)
    climbed = climb_all(climbs(), seeds, tuple(Who), named.workers)
    points = sensitivity(seeds, named.workers)
    found = Findings(seeds, tuple(results), tuple(climbed), tuple(points))
    print(text(found), end="")
    if named.json is not None:
        named.json.write_text(json.dumps(as_json(found), indent=1) + "\n", encoding="utf-8")
    if named.plots is not None:
        from adaptive_disable.simulate.plots import draw_all  # noqa: PLC0415 - matplotlib may be missing

        draw_all(found, named.plots)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m adaptive_disable.simulate",
        description="What the policies are worth, simulated: tables, and JSON and plots where they are asked for.",
    )
    parser.add_argument("--seeds", type=_positive, default=10, metavar="N", help="seeds 0 to N-1; 10 where not named")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw them there; wants matplotlib")
    parser.add_argument("--workers", type=_positive, default=os.cpu_count() or 1, metavar="N", help="processes")
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def _can_plot() -> bool:
    try:
        import matplotlib  # noqa: F401, PLC0415 - may be missing
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
