"""`flowmap compare-runtime`."""

from __future__ import annotations

from pathlib import Path

import click

from flowmap.cli.answer import answer
from flowmap.cli.asked import Asked, takes_common_options, takes_confidence
from flowmap.cli.commands import Command
from flowmap.model.program import Confidence


@click.command(cls=Command, name="compare-runtime")
@click.argument("file", metavar="FILE")
@click.option("--uncounted", metavar="GLOB", multiple=True, help="Calls from or to these files do not count. Repeatable.")
@takes_confidence
@takes_common_options
def compare_runtime(asked: Asked, file: str, uncounted: tuple[str, ...], confidence: str) -> None:
    """How many of the calls that `flowmap record` saw the index knows at that very line, and what the others have in common.

    \b
    Examples:
      flowmap compare-runtime calls.jsonl
      flowmap compare-runtime calls.jsonl -v                   every call that is missing
      flowmap compare-runtime calls.jsonl --source dist:NAME --format json
      flowmap compare-runtime calls.jsonl --source dist:NAME --source tests --uncounted '*/tests/*'
    """
    from flowmap.reports.compare_runtime import compare_runtime as report
    from flowmap.runtime.edges import counted, read_edges

    edges = counted(read_edges(Path(file)), uncounted)
    answer(asked, lambda index: report(index, edges, Confidence(confidence), asked.detail))
