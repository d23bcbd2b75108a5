"""`flowmap state`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from flowmap.cli.answer import answer
from flowmap.cli.asked import NAME, Asked, takes_common_options, takes_confidence, takes_configuration
from flowmap.cli.commands import Command
from flowmap.model.access import AccessKind
from flowmap.model.program import Confidence


def takes_fields(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what says which accesses of which fields are meant: FIELD…, `--owner` and `--access`."""
    return click.argument("fields", type=NAME, nargs=-1, required=True, metavar="FIELD...")(takes_narrowing(command))


def takes_narrowing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what says which of the accesses are meant: `--owner` and `--access`."""
    owner = click.option("--owner", type=NAME, metavar="CLASS", help="Only the fields of this class.")
    kinds = [each.value for each in AccessKind]
    access = click.option("--access", "kinds", type=click.Choice(kinds), multiple=True, help="Only this kind. Repeatable.")
    return owner(access(takes_confidence(command)))


@click.command(cls=Command)
@takes_fields
@takes_common_options
@takes_configuration
def state(asked: Asked, fields: tuple[str, ...], *, owner: str | None, kinds: tuple[str, ...], confidence: str) -> None:
    """Where a field is born, read and changed: every access of FIELD or CLASS.FIELD, by owner and life stage.

    \b
    Examples:
      flowmap state accept_lens
      flowmap state Result.accept_lens --access write
      flowmap state topk_p topk_index --owner DraftInput --format lines
    """
    from flowmap.reports.state import StateQuestion
    from flowmap.reports.state import state as report

    question = StateQuestion(fields, owner, tuple(map(AccessKind, kinds)), Confidence(confidence), asked.detail)
    answer(asked, lambda index: report(index, question))
