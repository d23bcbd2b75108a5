"""`flowmap watch`: a command, and its answer again after every change."""

from __future__ import annotations

import logging
import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
from click.globals import get_current_context

from flowmap.cli.commands import Command
from flowmap.model.problem import FlowmapError, Problem

ALSO_WATCHED = (".pyi", ".toml")  # besides .py


@click.command(cls=Command, context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True})
@click.option("--source", "sources", multiple=True, metavar="SOURCE", help="A folder to watch and to ask about. Repeatable.")
@click.argument("command", nargs=-1, metavar="[COMMAND]...", type=click.UNPROCESSED)
def watch(sources: tuple[str, ...], command: tuple[str, ...]) -> int:
    """Keep the index of a folder up to date, and answer COMMAND again after every change.

    COMMAND is any other command of flowmap; without one the counts of the index are shown. Other terminals find the new index
    ready. A change while work goes on begins it anew. Ctrl-C ends it.

    \b
    Examples:
      flowmap watch                              the index of this project, after every change
      flowmap watch callers Worker.run           who calls it, as you edit
      flowmap watch --source src/package trace main --depth 2
    """
    from watchfiles import PythonFilter, run_process

    from flowmap.source.resolve import choose_subject

    _check(command[:1])
    if {"-h", "--help"} & set(command[1:]):
        return subprocess.run((sys.executable, "-m", "flowmap", command[0], "--help"), check=False).returncode
    choice = choose_subject(sources, (), Path.cwd())
    folders = [name for name in choice.sources if os.path.isdir(name)]
    if not folders:
        what = f"nothing of it can change: {', '.join(choice.sources)} ({choice.why})"
        raise FlowmapError(Problem("watch", what, "Name a folder with --source."))
    named = [text for name in sources for text in ("--source", name)]
    asked = shlex.join((sys.executable, "-m", "flowmap", *(command[:1] or ("index",)), *named, *command[1:]))
    click.echo(f"watching {', '.join(folders)}; Ctrl-C ends", err=True)
    logging.getLogger("watchfiles").setLevel(logging.ERROR)  # how the command ended and what ends the watching it has said itself
    run_process(
        *folders,
        target=asked,
        target_type="command",
        callback=lambda changes: _say(sorted(path for _, path in changes)),
        watch_filter=PythonFilter(extra_extensions=ALSO_WATCHED),
    )
    return 0


def _check(name: tuple[str, ...]) -> None:
    """Errors: UsageError, with the nearest, where there is no command of this name."""
    context = get_current_context().parent
    if context is not None and isinstance(context.command, click.Group) and name:
        context.command.resolve_command(context, list(name))


def _say(paths: list[str]) -> None:
    from flowmap.reports.phrases import count

    more = f" and {count(len(paths) - 1, 'more file')}" if len(paths) > 1 else ""
    click.echo(f"\nchanged: {os.path.relpath(paths[0])}{more}", err=True)
