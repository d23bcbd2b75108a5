"""`flowmap flow`, `flowmap impact` and `flowmap depends`."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import click

from flowmap.cli.answer import answer
from flowmap.cli.asked import NAME, Asked, takes_common_options, takes_configuration
from flowmap.cli.commands import Command

PATHS = 5
_MEMBERS = 40
MOST_STEPS = 20_000


def takes_bounds(limit: int, noun: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add `--limit` and `--most-steps`; `limit` is the first one's default."""

    def taking(command: Callable[..., Any]) -> Callable[..., Any]:
        bounded = click.option(
            "--most-steps",
            type=click.IntRange(min=1),
            default=MOST_STEPS,
            show_default=True,
            metavar="N",
            help="Where the search stops.",
        )(command)
        text = f"At most so many {noun}."
        return click.option("--limit", type=click.IntRange(min=1), default=limit, show_default=True, metavar="N", help=text)(
            bounded
        )

    return taking


@click.command(cls=Command)
@click.argument("start", type=NAME, metavar="FROM")
@click.argument("end", type=NAME, metavar="[TO]", required=False)
@takes_bounds(PATHS, "paths")
@takes_common_options
@takes_configuration
def flow(asked: Asked, start: str, end: str | None, limit: int, most_steps: int) -> None:
    """The ways of a value from FROM to TO, the most telling first; without TO, to the fields that it reaches first.

    FROM and TO are a field (Class.field), a parameter (function(name)), a result (function()), or FILE:LINE:NAME, NAME being a
    local, an attribute or a keyword on that line.

    \b
    Examples:
      flowmap flow Result.lengths Request.length
      flowmap flow "Worker.sample()" Request.length
      flowmap flow app.py:LINE:lengths
    """
    from flowmap.reports.flow import FlowQuestion
    from flowmap.reports.flow import flow as report

    question = FlowQuestion(start, end or "", limit, most_steps, asked.detail)
    answer(asked, lambda index: report(index, question))


class Slice(StrEnum):
    """The two slices, by the names of their commands."""

    IMPACT = "impact"
    DEPENDS = "depends"


def _slicing(asks: Slice, text: str) -> click.Command:
    """The command of a slice; `text` is its help."""

    @click.command(asks.value, cls=Command, help=text)
    @click.argument("name", type=NAME, metavar="NAME|FILE:LINE")
    @takes_bounds(_MEMBERS, "steps")
    @takes_common_options
    @takes_configuration
    def command(asked: Asked, name: str, limit: int, most_steps: int) -> None:
        from flowmap.follow.search import Following
        from flowmap.reports.flow_slices import SliceQuestion, flow_slice

        following = Following.ORIGIN if asks is Slice.DEPENDS else Following.VALUE
        question = SliceQuestion(name, following, limit, most_steps, asked.detail)
        answer(asked, lambda index: flow_slice(index, question))

    return command


impact = _slicing(
    Slice.IMPACT,
    """What can be affected if NAME changes: the nearest first, each with the step that brings it in.

    NAME is what `flowmap flow` takes, or a function: its results and the fields that it writes; FILE:LINE is what that line
    binds.

    \b
    Examples:
      flowmap impact Request.length
      flowmap impact Worker.sample
      flowmap impact app.py:LINE
    """,
)
depends = _slicing(
    Slice.DEPENDS,
    """What NAME comes from: the nearest first, each with the step that brings it in.

    NAME is what `flowmap flow` takes; FILE:LINE is what that line binds.

    \b
    Examples:
      flowmap depends Request.length
      flowmap depends "Worker.forward(batch)"
    """,
)
