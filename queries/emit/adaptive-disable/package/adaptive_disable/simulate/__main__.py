"""`python -m adaptive_disable.simulate`: runs all scenarios and prints what came of them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from adaptive_disable.simulate.experiment import run_all
from adaptive_disable.simulate.ramp import climb_all, climbs
from adaptive_disable.simulate.report import Findings, json_text, text
from adaptive_disable.simulate.scenarios import Who, open_scenarios
from adaptive_disable.simulate.sensitivity import sensitivity


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for. Exit code 2 where no scenario has the name, plots want matplotlib, or what is
    asked for cannot be written: that is said before, for a run takes minutes.
    """
    named = _parser().parse_args(arguments)
    if named.plots is not None and named.only is not None:
        print("plots show all scenarios: leave out --only", file=sys.stderr)
        return 2
    if named.plots is not None and not _can_plot():
        print("plots want matplotlib: pip install 'matplotlib>=3.8'", file=sys.stderr)
        return 2
    scenarios = [scenario for scenario in open_scenarios() if named.only in (None, scenario.name)]
    if not scenarios:
        print(f"no scenario is called {named.only!r}; there are: {_names()}", file=sys.stderr)
        return 2
    unwritable = _unwritable(named.json, named.plots)
    if unwritable:
        print(unwritable, file=sys.stderr)
        return 2
    seeds = tuple(range(named.seeds))
    found = Findings(seeds, tuple(run_all(scenarios, seeds, tuple(Who), named.workers)), (), ())
    if named.only is None:
        climbed = tuple(climb_all(climbs(), seeds, tuple(Who), named.workers))
        found = replace(found, climbed=climbed, points=tuple(sensitivity(seeds, named.workers)))
    print(text(found), end="")
    if named.json is not None:
        named.json.write_text(json_text(found), encoding="utf-8")
    if named.plots is not None:
        from adaptive_disable.simulate.plots import draw_all  # noqa: PLC0415 - matplotlib may be missing

        draw_all(found, named.plots)
    return 0


def _names() -> str:
    return ", ".join(scenario.name for scenario in open_scenarios())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m adaptive_disable.simulate",
        description="What the policies are worth, simulated: tables, and JSON and plots where they are asked for.",
    )
    parser.add_argument(
        "--seeds", type=_several, default=6, metavar="N", help="seeds 0 to N-1, 2 at least (default: 6)"
    )
    parser.add_argument("--only", metavar="SCENARIO", help="one alone, such as 'tuned steady low'; no ramps")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw them there; wants matplotlib")
    parser.add_argument(
        "--workers", type=_positive, default=os.cpu_count() or 1, metavar="N", help="processes (default: one a core)"
    )
    return parser


def _positive(text: str) -> int:
    return _from(1, text)


def _several(text: str) -> int:
    """Two seeds at least: of one there is no interval."""
    return _from(2, text)


def _from(least: int, text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number of {least} or more is wanted")
    return int(text)


def _unwritable(file: Path | None, folder: Path | None) -> str:
    """What is wrong with where results go; "" where nothing is. The folder of plots is made."""
    try:
        if file is not None:
            with file.open("a", encoding="utf-8"):
                pass
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"{error.filename}: cannot be written: {error.strerror}"
    return ""


def _can_plot() -> bool:
    try:
        import matplotlib  # noqa: F401, PLC0415 - may be missing
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
