"""`flowmap export`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

import rich_click as click

from flowmap.cli.answer import chosen, opened, remark
from flowmap.cli.asked import NAME, Asked, takes_common_options, takes_confidence
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.program import Confidence

_N_BUFFERED = 512


class _Output(click.ParamType[str]):
    """A file that can be named for output: said before a code base is indexed in vain."""

    name = "file"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name. Errors: BadParameter when it is blank or names a folder."""
        if not value.strip():
            self.fail("it is empty; name a file.", param, ctx)
        if os.path.isdir(value):
            self.fail(f"{value} is a folder; name a file in it.", param, ctx)
        return value


_OUTPUT = click.option(
    "-o", "--output", type=_Output(), metavar="FILE", help="Write here instead of standard output, whole or not at all."
)


class _Forms(click.RichGroup):
    """The group of the forms: a form that is not there is answered with those that are."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does. Errors: UsageError that lists what can be exported."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise click.UsageError(f"`{args[0]}` cannot be exported. What can be: {', '.join(sorted(self.commands))}.", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=_Forms, invoke_without_command=True)
@click.option("--formats", is_flag=True, help="Print the version of each exported form.")
@click.pass_context
def export(context: click.Context, formats: bool) -> None:
    """Everything the index knows, for other programs, in forms that stay stable.

    \b
    Examples:
      flowmap export calls -o calls.jsonl
      flowmap export mro Scheduler
      flowmap export --formats
    """
    if formats:
        from flowmap.reports import export_calls, export_mro

        click.echo(f"calls {export_calls.FORM_VERSION}\nmro {export_mro.FORM_VERSION}")
        context.exit(0)
    if context.invoked_subcommand is None:
        raise click.UsageError("Say what to export: calls, mro. `flowmap export --formats` prints the version of each form.")


@export.command()
@_OUTPUT
@takes_confidence
@takes_common_options
def calls(asked: Asked, output: str | None, confidence: str) -> None:
    """Every call site: JSON Lines, one row a site, sorted by file, line and column.

    \b
    Examples:
      flowmap export calls -o calls.jsonl
      flowmap export calls --source pypi:NAME==VERSION | head
    """
    from flowmap.reports.export_calls import export_calls

    choice = chosen(asked)
    index = opened(asked, choice)
    _write(output, export_calls(index, Confidence(confidence)))
    remark(asked, f"source: {index.source} ({choice.why})")


@export.command()
@click.argument("classes", type=NAME, nargs=-1, metavar="[CLASS]...")
@_OUTPUT
@takes_common_options
def mro(asked: Asked, classes: tuple[str, ...], output: str | None) -> None:
    """The method resolution order of each CLASS, and what it provides: one JSON object. Without CLASS: of all.

    \b
    Examples:
      flowmap export mro -o mro.json
      flowmap export mro Scheduler Worker
    """
    from flowmap.reports.export_mro import export_mro

    choice = chosen(asked)
    index = opened(asked, choice)
    _write(output, export_mro(index, classes))
    remark(asked, f"source: {index.source} ({choice.why})")


def _write(output: str | None, lines: Iterable[str]) -> None:
    if output is None or output == "-":
        _pour(lines, sys.stdout)
        return
    path = Path(output)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise FlowmapError(
            Problem(output, f"cannot be written: {error.strerror}", "Name a file in a folder that exists.")
        ) from error
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            _pour(lines, file)
        _as_a_new_file(part)
        os.replace(part, path)
    except OSError as error:
        raise FlowmapError(Problem(output, f"cannot be written: {error.strerror}")) from error
    finally:
        part.unlink(missing_ok=True)


def _as_a_new_file(path: Path) -> None:
    """Give a temporary file the permissions that the user's new files have."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)


def _pour(lines: Iterable[str], stream: TextIO) -> None:
    buffered: list[str] = []
    for line in lines:
        buffered.append(line)
        if len(buffered) == _N_BUFFERED:
            stream.write("\n".join(buffered) + "\n")
            buffered.clear()
    if buffered:
        stream.write("\n".join(buffered) + "\n")
