"""`flowmap sql`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import answer
from flowmap.cli.asked import NAME, Asked, Format, takes_common_options, takes_configuration
from flowmap.cli.commands import Command

if TYPE_CHECKING:
    from flowmap.model.view import View
    from flowmap.store.index import Index

_ROWS = 1000


@click.command(cls=Command)
@click.argument("statement", type=NAME, metavar="[SQL]", required=False)
@click.option("--limit", type=click.IntRange(min=1), default=_ROWS, show_default=True, metavar="N", help="At most so many rows.")
@takes_common_options
@takes_configuration
def sql(asked: Asked, statement: str | None, limit: int) -> None:
    """The answer to SQL over the index, which is a plain SQLite file. Only reading is allowed. Without SQL: what may be asked.

    The views `symbols`, `sites`, `edges`, `accesses`, `flows` and `guards` have names and places for readers; rows with columns
    `file` and `line` can be opened from `--format lines`.

    \b
    Examples:
      flowmap sql                 the views with their columns
      flowmap sql "SELECT caller, file, line FROM edges WHERE callee_name = 'run'"
      flowmap sql "SELECT guard, COUNT(*) FROM guards GROUP BY guard LIMIT 9"
      flowmap sql "SELECT * FROM accesses WHERE field = 'size'" --format json
    """
    from flowmap.reports.sql import NO_PLACE, SqlQuestion, may_be_asked
    from flowmap.reports.sql import sql as report

    def answered(index: Index) -> View:
        if statement is None:
            return may_be_asked(index)
        view = report(index, SqlQuestion(statement, limit))
        hidden = () if asked.format is Format.LINES else (NO_PLACE,)
        return dataclasses.replace(view, notes=tuple(said for said in view.notes if said not in hidden))

    answer(asked, answered)
