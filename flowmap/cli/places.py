"""`flowmap where`, `flowmap show` and `flowmap module`."""

from __future__ import annotations

import click

from flowmap.cli.answer import answer
from flowmap.cli.asked import NAME, Asked, takes_common_options, takes_confidence
from flowmap.cli.commands import Command
from flowmap.model.program import Confidence


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="NAME|FILE:LINE")
@takes_common_options
def where(asked: Asked, name: str) -> None:
    """Every definition that NAME may mean, and what shadows what.

    \b
    Examples:
      flowmap where forward
      flowmap where Scheduler.emit                the one that Scheduler inherits, too
      flowmap where forward --format lines | grep model
    """
    from flowmap.reports.where import where as report

    answer(asked, lambda index: report(index, name))


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="NAME|FILE:A-B|FILE:A")
@takes_confidence
@takes_common_options
def show(asked: Asked, name: str, confidence: str) -> None:
    """The source of NAME, or of lines A to B of a file, and under each line what its calls resolve to.

    \b
    Examples:
      flowmap show Scheduler.run
      flowmap show app.py:A-B                     lines A to B; app.py:A shows what is around A
      flowmap show app.py -v                      the whole file, external calls too
    """
    from flowmap.reports.show import show as report
    from flowmap.reports.site_lists import ListQuestion

    question = ListQuestion(name, Confidence(confidence), asked.detail)
    answer(asked, lambda index: report(index, question))


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="FILE|MODULE")
@takes_common_options
def module(asked: Asked, name: str) -> None:
    """The dossier of a file: its classes and functions with their signatures, its tables, what it imports, who imports it.

    \b
    Examples:
      flowmap module scheduler.py
      flowmap module package.managers.scheduler
      flowmap module scheduler.py -v              all importers, nested functions
    """
    from flowmap.reports.module import module as report

    answer(asked, lambda index: report(index, name, asked.detail))
