"""`flowmap callers` and `flowmap callees`."""

from __future__ import annotations

import click

from flowmap.cli.answer import answer
from flowmap.cli.asked import NAME, Asked, takes_common_options, takes_confidence, takes_configuration
from flowmap.cli.commands import Command
from flowmap.model.program import Confidence


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="NAME|FILE:LINE")
@takes_confidence
@takes_common_options
@takes_configuration
def callers(asked: Asked, name: str, confidence: str) -> None:
    """The call sites that may run NAME, with their guards, counted.

    \b
    Examples:
      flowmap callers Worker.forward
      flowmap callers forward --format lines      for an editor's list of places
      flowmap callers forward --confidence proven   only what follows from the text alone
    """
    from flowmap.reports.site_lists import ListQuestion
    from flowmap.reports.site_lists import callers as report

    question = ListQuestion(name, Confidence(confidence), asked.detail)
    answer(asked, lambda index: report(index, question))


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="NAME|FILE:LINE")
@takes_confidence
@takes_common_options
@takes_configuration
def callees(asked: Asked, name: str, confidence: str) -> None:
    """The call sites inside NAME in the order in which they run, with what they may run, counted.

    \b
    Examples:
      flowmap callees Scheduler.run
      flowmap callees run -v                      with the evidence
      flowmap callees run --format json
    """
    from flowmap.reports.site_lists import ListQuestion
    from flowmap.reports.site_lists import callees as report

    question = ListQuestion(name, Confidence(confidence), asked.detail)
    answer(asked, lambda index: report(index, question))
