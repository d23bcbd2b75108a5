"""The table of `docs/figures.md`: what `flowmap index` counts in some releases, and what a first index of them takes.

usage: python -m benchmarks.counts [SOURCE...]    writes the rows of these sources, or of all in the table, into the page
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, cold_run
from benchmarks.processes import flowmap

PAGE = Path("docs/figures.md")
ROW = re.compile(r"^\| `(?P<source>pypi:[^`]+)` \|.*$", re.MULTILINE)
MB = 1_000_000
COUNTED = ("definitions", "sites_by_status", "resolved_by_confidence")
UNFOLLOWED = ("external", "builtin", "unresolved", "dynamic")


def main() -> None:
    """One first index of each; the release is fetched before."""
    page = PAGE.read_text(encoding="utf-8")
    bench = Bench(Path("build/bench/cache").absolute(), 1)
    for source in sys.argv[1:] or [match["source"] for match in ROW.finditer(page)]:
        row = row_of(source, bench)
        print(row, flush=True)
        page = re.sub(rf"^\| `{re.escape(source)}` \|.*$", row.replace("\\", r"\\"), page, flags=re.MULTILINE)
        PAGE.write_text(page, encoding="utf-8")


def row_of(source: str, bench: Bench) -> str:
    """The row of a source."""
    bench.files_of(source)
    run = cold_run(bench, source)
    counted = counts(source, bench)
    cells = [f"`{source}`", *(f"{number:,}" for number in counted), f"{run.wall:.0f}", f"{run.peak / MB:,.0f}"]
    return f"| {' | '.join(cells)} |"


def counts(source: str, bench: Bench) -> list[int]:
    """Files, lines, classes, functions, sites, proven, inferred, external, builtin, unresolved, dynamic."""
    command = flowmap("index", source, "--format", "json", "--quiet")
    done = subprocess.run(command, env=os.environ | dict(bench.environment), capture_output=True, check=True)
    answer = json.loads(done.stdout)
    record: Mapping[str, Any] = answer.get("record", answer)
    kinds, status, strength = (numbers(record[name]) for name in COUNTED)
    functions = kinds["function"] + kinds["method"] + kinds["property"]
    known = [strength["proven"], strength["inferred"], *(status[name] for name in UNFOLLOWED)]
    return [record["files"], record["lines"], kinds["class"], functions, record["sites"], *known]


def numbers(counted: list[Mapping[str, Any]]) -> Mapping[str, int]:
    """How many of each."""
    return {one["what"]: one["number"] for one in counted}


if __name__ == "__main__":
    main()
