"""`flowmap index`."""

from __future__ import annotations

import dataclasses
import sys

import click

from flowmap.cli.answer import answer
from flowmap.cli.asked import Asked, Format, takes_common_options
from flowmap.cli.commands import Command


@click.command(cls=Command)
@click.argument("named", nargs=-1, metavar="[SOURCE]...")
@click.option("--executor", default="", metavar="dask://HOST:PORT", help="Read the files on a Dask cluster.")
@takes_common_options
def index(asked: Asked, named: tuple[str, ...], executor: str) -> None:
    """Build or refresh the index, and say what was found.

    Other commands do this by themselves; run it to see the counts, or what could not be read and why.

    \b
    Examples:
      flowmap index                        the subject that the project or its configuration names
      flowmap index pypi:NAME==VERSION     a release, fetched and kept, never installed
      flowmap index src/package -v         a folder, with all problems
      flowmap index git:.@v1.2             a revision of a local clone
      flowmap index --executor dask://head:8786    with the workers of a Dask cluster
    """
    from flowmap.cli.executor import check_executor
    from flowmap.reports.summary import N_PROBLEMS, summary

    check_executor(executor)
    question = dataclasses.replace(asked, sources=(*named, *asked.sources), executor=executor)
    most = sys.maxsize if asked.format is Format.LINES else N_PROBLEMS  # a program wants them all
    answer(question, lambda opened: summary(opened, asked.detail, most))
