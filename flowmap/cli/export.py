"""`flowmap export`."""

from __future__ import annotations

import click

from flowmap.cli.answer import chosen, opened, remark
from flowmap.cli.asked import NAME, Asked, takes_common_options, takes_confidence, takes_configuration
from flowmap.cli.commands import Group
from flowmap.cli.flow import PATHS, takes_bounds
from flowmap.cli.output import OutputFile, write_rows
from flowmap.cli.state import takes_narrowing
from flowmap.model.access import AccessKind
from flowmap.model.program import Confidence

_OUTPUT = click.option(
    "-o", "--output", type=OutputFile(), metavar="FILE", help="Write here instead of standard output, whole or not at all."
)


class _Forms(Group):
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
      flowmap export state accept_lens
      flowmap export state --query NAME
      flowmap export --formats
    """
    if formats:
        from flowmap.reports import export_calls, export_flow, export_mro, export_state
        from flowmap.runtime import edges

        versions = {
            "calls": export_calls.FORM_VERSION,
            "flow": export_flow.FORM_VERSION,
            "mro": export_mro.FORM_VERSION,
            "state": export_state.FORM_VERSION,
            "runtime": edges.FORM_VERSION,
        }
        click.echo("\n".join(f"{form} {version}" for form, version in versions.items()))
        context.exit(0)
    if context.invoked_subcommand is None:
        raise click.UsageError(
            "Say what to export: calls, flow, mro, state. `flowmap export --formats` prints the version of each form."
        )


@export.command()
@_OUTPUT
@takes_confidence
@takes_common_options
@takes_configuration
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
    write_rows(output, export_calls(index, Confidence(confidence)))
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
    write_rows(output, export_mro(index, classes))
    remark(asked, f"source: {index.source} ({choice.why})")


@export.command()
@click.argument("start", type=NAME, metavar="FROM")
@click.argument("end", type=NAME, metavar="[TO]", required=False)
@_OUTPUT
@takes_bounds(PATHS, "paths")
@takes_common_options
@takes_configuration
def flow(asked: Asked, start: str, end: str | None, *, output: str | None, limit: int, most_steps: int) -> None:
    """The ways of a value from FROM to TO, as `flowmap flow` gives them: JSON Lines, one row a path, the best first.

    \b
    Examples:
      flowmap export flow Result.lengths Request.length
      flowmap export flow app.py:LINE:lengths Request.length --limit 1 -o path.jsonl
    """
    from flowmap.reports.export_flow import export_flow
    from flowmap.reports.flow import FlowQuestion

    choice = chosen(asked)
    index = opened(asked, choice)
    write_rows(output, export_flow(index, FlowQuestion(start, end or "", limit, most_steps, asked.detail)))
    remark(asked, f"source: {index.source} ({choice.why})")


@export.command()
@click.argument("fields", type=NAME, nargs=-1, metavar="[FIELD]...")
@click.option("--query", type=NAME, metavar="FILE|NAME", help="The accesses that this query finds, instead of FIELD.")
@takes_narrowing
@_OUTPUT
@takes_common_options
@takes_configuration
def state(
    asked: Asked,
    fields: tuple[str, ...],
    *,
    query: str | None,
    owner: str | None,
    kinds: tuple[str, ...],
    confidence: str,
    output: str | None,
) -> None:
    """Every access of FIELD or CLASS.FIELD: JSON Lines, one row an access, sorted by file, line and column.

    \b
    Examples:
      flowmap export state accept_lens -o state.jsonl
      flowmap export state Result.accept_lens --access write
      flowmap export state --query queries/sizes.toml
    """
    from flowmap.reports.state import StateQuestion

    if query is not None:
        if fields or owner or kinds:
            raise click.UsageError("--query says which accesses are meant: FIELD, --owner and --access do not go with it.")
        _export_found(asked, query, output)
        return
    if not fields:
        raise click.UsageError("Give a FIELD, or a query with --query.")
    from flowmap.reports.export_state import export_state

    choice = chosen(asked)
    index = opened(asked, choice)
    question = StateQuestion(fields, owner, tuple(map(AccessKind, kinds)), Confidence(confidence), asked.detail)
    write_rows(output, export_state(index, question))
    remark(asked, f"source: {index.source} ({choice.why})")


def _export_found(asked: Asked, query: str, output: str | None) -> None:
    from flowmap.query.files import query_file
    from flowmap.query.read import read_query
    from flowmap.reports.export_state import export_found

    choice = chosen(asked)
    question = read_query(query_file(query, choice.config))
    index = opened(asked, choice)
    write_rows(output, export_found(index, question))
    remark(asked, f"source: {index.source} ({choice.why})")
