"""`flowmap mro` and `flowmap hosts`."""

from __future__ import annotations

import click

from flowmap.cli.answer import answer
from flowmap.cli.asked import NAME, Asked, takes_common_options
from flowmap.cli.commands import Command


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="CLASS")
@takes_common_options
def mro(asked: Asked, name: str) -> None:
    """The method resolution order of CLASS, and which class provides each method, with what it shadows.

    \b
    Examples:
      flowmap mro Scheduler
      flowmap mro Scheduler --format json
    """
    from flowmap.reports.class_orders import mro as report

    answer(asked, lambda index: report(index, name, asked.detail))


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="MIXIN")
@takes_common_options
def hosts(asked: Asked, name: str) -> None:
    """The classes that MIXIN ends in, where it stands in their order, and what of it they take from elsewhere.

    \b
    Examples:
      flowmap hosts OutputMixin
      flowmap hosts nn.BaseLayer -v               everything that is overridden
    """
    from flowmap.reports.class_orders import hosts_of

    answer(asked, lambda index: hosts_of(index, name, asked.detail))
