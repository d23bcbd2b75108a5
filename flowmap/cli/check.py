"""`flowmap check`."""

from __future__ import annotations

import dataclasses
from enum import StrEnum
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import chosen, from_here, opened, remark, write
from flowmap.cli.asked import NAME, Asked, Format, takes_configuration, takes_options_besides_format
from flowmap.cli.commands import Command
from flowmap.cli.contracts import accepted_too, baseline_at, checked_against, wanted_contracts
from flowmap.cli.output import write_rows
from flowmap.model.problem import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flowmap.contracts.baseline import Baseline
    from flowmap.model.finding import Findings
    from flowmap.reports.check import Checked


class CheckFormat(StrEnum):
    """The formats of a check: those of every command, and those of other tools."""

    TEXT = "text"
    JSON = "json"
    LINES = "lines"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"


_OWN = {CheckFormat.TEXT: Format.TEXT, CheckFormat.JSON: Format.JSON, CheckFormat.LINES: Format.LINES}


@click.command(cls=Command)
@click.argument("names", type=NAME, nargs=-1, metavar="[FILE|NAME]...")
@click.option("--list", "is_listing", is_flag=True, help="List the files of contracts that have names.")
@click.option("--baseline", metavar="FILE", help="Findings whose keys stand in FILE do not fail the check.")
@click.option("--update-baseline", "is_shrinking", is_flag=True, help="Take out of FILE what is found no more; nothing is added.")
@click.option("--accept", "keys", metavar="KEY", multiple=True, help="Add the key of a finding to FILE. Repeatable.")
@click.option(
    "--format",
    "form",
    type=click.Choice([each.value for each in CheckFormat]),
    default=CheckFormat.TEXT.value,
    show_default=True,
    help="`lines` is file:line:col: what; `junit`, `sarif` and `github` (annotations) are for other tools.",
)
@takes_options_besides_format
@takes_configuration
def check(
    asked: Asked,
    names: tuple[str, ...],
    *,
    is_listing: bool,
    baseline: str | None,
    is_shrinking: bool,
    keys: tuple[str, ...],
    form: str,
) -> int:
    """Whether the code base is still as contracts say; exit code 1 where one is broken, with the place and what is there instead.

    NAME is a file of contracts that has one: yours in `queries/contracts/` beside flowmap.toml, or one that comes with flowmap;
    FILE is any other. Without one, all that are about the source are checked.

    \b
    Examples:
      flowmap check
      flowmap check my-patch.toml --format github
      flowmap check adaptive-disable --source pypi:NAME==VERSION -v
      flowmap check --baseline accepted.txt --update-baseline
    """
    if (is_shrinking or keys) and baseline is None:
        raise click.UsageError("--update-baseline and --accept need --baseline FILE.")
    choice = chosen(asked)
    wanted = wanted_contracts(names, choice.config)
    asked = dataclasses.replace(asked, format=_OWN.get(CheckFormat(form), Format.TEXT))
    if is_listing:
        from flowmap.reports.check import listed

        write(asked, listed(wanted.files))
        return ExitCode.DONE
    from flowmap.reports.check import check as report
    from flowmap.reports.check import findings, has_findings, keys_of

    before = baseline_at(baseline)
    index = opened(asked, choice)
    checked = checked_against(index, wanted)
    known = accepted_too(_shrunk(before, checked) if is_shrinking else before, keys, keys_of(checked))
    if baseline and known != before:
        write_rows(baseline, known.lines)
    view = report(index, checked, known, asked.detail)
    view = dataclasses.replace(view, source=f"{view.source} ({choice.why})")
    if CheckFormat(form) in _OWN:
        write(asked, view, choice.link, index.locations)
    else:
        found = findings(index, checked, known, from_here(index.locations))
        write_rows(None, _for_a_tool(CheckFormat(form), found).splitlines())
        remark(asked, *view.notes, f"source: {view.source}")
    return ExitCode.FINDING if has_findings(view) else ExitCode.DONE


def _shrunk(baseline: Baseline, checked: Sequence[Checked]) -> Baseline:
    """The baseline without what is found no more."""
    from flowmap.contracts.baseline import gone, without
    from flowmap.reports.check import keys_of

    return without(baseline, gone(baseline, [one.file.name for one in checked], keys_of(checked)))


def _for_a_tool(form: CheckFormat, found: Findings) -> str:
    from flowmap.render.github import github
    from flowmap.render.junit import junit
    from flowmap.render.sarif import sarif

    return {CheckFormat.JUNIT: junit, CheckFormat.SARIF: sarif, CheckFormat.GITHUB: github}[form](found)
