"""`flowmap record`: the one command that runs something."""

from __future__ import annotations

import click

from flowmap.cli.asked import Voice
from flowmap.cli.commands import Command
from flowmap.cli.output import OutputFile, write_rows


@click.command(cls=Command, context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, metavar="-- COMMAND...")
@click.option(
    "--only",
    "only",
    multiple=True,
    metavar="PACKAGE",
    help="Record calls of this package's functions. Repeatable. Without it: of all code that is not installed.",
)
@click.option("-o", "--output", type=OutputFile(), required=True, metavar="FILE", help="Where the record goes.")
@click.option(
    "-q",
    "--quiet",
    "voice",
    flag_value=Voice.QUIET.value,
    default=Voice.NORMAL.value,
    help="No remark on standard error.",
)
def record(command: tuple[str, ...], only: tuple[str, ...], output: str, voice: str) -> int:
    """RUN a Python program and write down which function called which, from which line, how often.

    This is the only command that runs anything: it runs COMMAND, as you would, with all that COMMAND does. Its output and its
    exit code are COMMAND's own. Child processes are recorded too, as long as they are Python and keep the environment.

    \b
    Examples:
      flowmap record --only package -o calls.jsonl -- python -m pytest -q
      flowmap record -o calls.jsonl -- python -m package --serve
      flowmap compare-runtime calls.jsonl         what the index does not know of it
    """
    from flowmap.runtime.edges import edge_lines
    from flowmap.runtime.record import record as run

    recording = run(command, only)
    write_rows(output, edge_lines(recording.edges))
    if voice == Voice.NORMAL.value:
        _say(output, recording.n_processes, len(recording.edges))
    return recording.exit_code


def _say(output: str, n_processes: int, n_edges: int) -> None:
    from flowmap.reports.phrases import count

    if n_processes:
        said = f"{count(n_edges, 'different call')} in {count(n_processes, 'process', 'processes')}: {output}"
    else:
        said = f"{output} is empty: COMMAND started no Python that could be recorded (python -I, -E and -S cannot)"
    click.echo(said, err=True)
