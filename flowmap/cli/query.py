"""`flowmap query` and `flowmap queries`."""

from __future__ import annotations

import dataclasses

import click

from flowmap.cli.answer import answer, chosen, opened, write
from flowmap.cli.asked import NAME, Asked, takes_common_options, takes_configuration
from flowmap.cli.commands import Command
from flowmap.model.problem import ExitCode


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="FILE|NAME")
@takes_common_options
@takes_configuration
def query(asked: Asked, name: str) -> None:
    """The answer to a question that stands in a file: NAME is one that `flowmap queries` lists, FILE a file of your own.

    Files named NAME.toml in `queries/` beside flowmap.toml have names, too.

    \b
    Examples:
      flowmap query event-loop
      flowmap query queries/who-stores-size.toml --format lines
      flowmap query event-loop --source pypi:NAME==VERSION
    """
    from flowmap.query.files import query_file
    from flowmap.query.read import read_query
    from flowmap.reports.query import query as report

    question = read_query(query_file(name, chosen(asked).config))
    answer(asked, lambda index: report(index, question, asked.detail))


@click.command(cls=Command)
@click.option(
    "--check", "is_checked", is_flag=True, help="Answer them all, and say where the answer is not what the file expects."
)
@takes_common_options
@takes_configuration
def queries(asked: Asked, is_checked: bool) -> int:
    """The questions that have names: those that come with flowmap, and yours in `queries/` beside flowmap.toml.

    \b
    Examples:
      flowmap queries
      flowmap queries --check     exit code 1 where an answer is not as expected
      flowmap queries --check --source pypi:NAME==VERSION
    """
    from flowmap.query.files import query_files
    from flowmap.query.read import read_files
    from flowmap.reports.queries import checked, is_as_expected, listed

    choice = chosen(asked)
    read = read_files(query_files(choice.config).values())
    if not is_checked:
        write(asked, listed(read))
        return ExitCode.DONE
    index = opened(asked, choice)
    view = checked(index, read)
    write(asked, dataclasses.replace(view, source=f"{view.source} ({choice.why})"), choice.link, index.locations)
    return ExitCode.DONE if is_as_expected(view) else ExitCode.FINDING
