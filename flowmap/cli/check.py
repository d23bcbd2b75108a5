"""`flowmap check`."""

from __future__ import annotations

import dataclasses
import gc
from enum import StrEnum
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import chosen, from_here, opened, remark, write
from flowmap.cli.asked import NAME, Asked, Format, takes_configuration, takes_options_besides_format
from flowmap.cli.commands import Command
from flowmap.cli.contracts import Wanted, accepted_too, baseline_at, checked_against, no_contracts, those_about, wanted_contracts
from flowmap.cli.output import write_rows
from flowmap.model.problem import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flowmap.contracts.baseline import Baseline
    from flowmap.model.finding import Findings
    from flowmap.model.source import SubjectChoice
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
    "--since",
    metavar="SPAN",
    help="Check each release of A..B, or of a list of versions and sources, and say in which one a contract broke first.",
)
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
    since: str | None,
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
      flowmap check my-patch --since pypi:NAME==1.4..1.9
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
    if since is not None:
        if baseline or CheckFormat(form) not in _OWN:
            raise click.UsageError("--since takes no baseline, and is told as text, json or lines.")
        return _over_releases(asked, choice, wanted, since)
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


def _over_releases(asked: Asked, choice: SubjectChoice, wanted: Wanted, span: str) -> int:
    """Check one release after the other, each by its own index, which is kept."""
    from flowmap.contracts.check import check_contracts
    from flowmap.reports.drift_contracts import Contracts, Held
    from flowmap.reports.since import is_broken_last
    from flowmap.reports.since import since as report
    from flowmap.source.across import across, project_of

    project = project_of(choice.sources) or next((file.about for file in wanted.files if file.about), "")
    found = across((span,), project, 1)
    remark(asked, *found.notes, *map(str, found.problems))
    held: dict[str, list[Held]] = {file.name: [] for file in wanted.files}
    for source in found.sources:
        index = opened(asked, dataclasses.replace(choice, sources=(source,), is_named=True, beside=()))
        asked_of = those_about(index, wanted)
        for file in wanted.files:
            held[file.name].append(Held(source, check_contracts(index, file) if file in asked_of else None))
        index.close()
        gc.collect()  # what was solved is a web of cycles, and the next release needs the room
    contracts = [Contracts(file, tuple(held[file.name])) for file in wanted.files if any(one.outcomes for one in held[file.name])]
    if not contracts:
        raise no_contracts(found.sources[-1], wanted)
    view = report(contracts, found.sources, asked.detail)
    write(asked, view, choice.link)
    return ExitCode.FINDING if is_broken_last(view) else ExitCode.DONE


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
