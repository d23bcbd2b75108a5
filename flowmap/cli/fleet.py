"""`flowmap fleet`: the indexes of many sources, one after the other."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import remark, write
from flowmap.cli.asked import Asked, takes_common_options
from flowmap.cli.commands import Command
from flowmap.model.problem import ExitCode, FlowmapError, Problem

if TYPE_CHECKING:
    from flowmap.reports.fleet import Ship

COMMENT = "#"


@click.command(cls=Command)
@click.argument("named", metavar="FILE")
@click.option("--executor", default="", metavar="dask://HOST:PORT", help="Read the files on a Dask cluster.")
@takes_common_options
def fleet(asked: Asked, named: str, executor: str) -> int:
    """Index many sources, such as all releases of a package, and say in one table what was found.

    FILE names a source a line; blank lines and those that begin with # do not count. A source that fails is told, and the others
    go on; the exit code is 1 then. What is indexed already is not indexed again: after an interruption, type the same command.

    \b
    Examples:
      flowmap fleet releases.txt
      flowmap fleet releases.txt --executor dask://head:8786 --format json
    """
    from flowmap.cli.executor import executor_named
    from flowmap.reports.fleet import fleet as report

    sources = sources_in(named)
    ships: list[Ship] = []
    with executor_named(executor) as workers:
        for source in sources:
            remark(asked, f"{len(ships) + 1} of {len(sources)}: {source}")
            ships.append(ship_of(asked, source, workers))
    write(asked, report(ships, named))
    return int(ExitCode.FINDING if any(one.problems for one in ships) else ExitCode.DONE)


def sources_in(named: str) -> list[str]:
    """The sources that a file names, each once. Errors: FlowmapError when it cannot be read or names none."""
    try:
        lines = Path(named).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise FlowmapError(Problem(named, f"cannot be read: {reason}", "Name a file with a source a line.")) from None
    found = [line.strip() for line in lines if line.strip() and not line.strip().startswith(COMMENT)]
    if not found:
        raise FlowmapError(Problem(named, "names no source", "Write one a line, as pypi:NAME==VERSION or a folder."))
    return list(dict.fromkeys(found))


def ship_of(asked: Asked, source: str, executor: Executor | None) -> Ship:
    """One source: its index, kept or made now, counted; or what is wrong with it."""
    from flowmap.cli.progress import progress_for
    from flowmap.gather import unseen
    from flowmap.kept import open_kept, open_subject
    from flowmap.model.source import SubjectChoice
    from flowmap.pipeline import make_index
    from flowmap.reports.fleet import Making, Ship, ship
    from flowmap.warm import ready_index

    choice = SubjectChoice((source,), asked.excludes, "named in a file", is_named=True)
    start = time.perf_counter()
    try:
        ready = ready_index(choice)
        if ready:
            return ship(source, ready)
        progress = progress_for(asked.voice)
        opened = open_subject(choice, progress)
        share = unseen(opened.files).share
        index = open_kept(opened) or make_index(opened, progress, executor)
        return ship(source, index, Making(time.perf_counter() - start, share))
    except FlowmapError as error:
        return Ship(source, problems=error.problems)
