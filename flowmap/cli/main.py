"""Runs a command and turns its end into an exit code: errors become messages, never tracebacks."""

from __future__ import annotations

import errno
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click
from click.exceptions import Exit

from flowmap.cli.commands import Group
from flowmap.cli.interrupts import INTERRUPTED, handle_interrupts, was_interrupted
from flowmap.cli.streams import take_streams
from flowmap.model.problem import ExitCode, FlowmapError, Problem

COMMANDS = {  # name: where it stands; in the order of --help
    "index": "flowmap.cli.index:index",
    "trace": "flowmap.cli.trace:trace",
    "callers": "flowmap.cli.sites:callers",
    "callees": "flowmap.cli.sites:callees",
    "state": "flowmap.cli.state:state",
    "graph": "flowmap.cli.graph:graph",
    "explain": "flowmap.cli.explain:explain",
    "where": "flowmap.cli.places:where",
    "show": "flowmap.cli.places:show",
    "module": "flowmap.cli.places:module",
    "mro": "flowmap.cli.orders:mro",
    "hosts": "flowmap.cli.orders:hosts",
    "flow": "flowmap.cli.flow:flow",
    "impact": "flowmap.cli.flow:impact",
    "depends": "flowmap.cli.flow:depends",
    "query": "flowmap.cli.query:query",
    "queries": "flowmap.cli.query:queries",
    "check": "flowmap.cli.check:check",
    "diff": "flowmap.cli.diff:diff",
    "review": "flowmap.cli.review:review",
    "hooks": "flowmap.cli.hooks:hooks",
    "emit": "flowmap.cli.emit:emit",
    "sql": "flowmap.cli.sql:sql",
    "export": "flowmap.cli.export:export",
    "docs": "flowmap.cli.docs:docs",
    "drift": "flowmap.cli.drift:drift",
    "fleet": "flowmap.cli.fleet:fleet",
    "watch": "flowmap.cli.watch:watch",
    "audit": "flowmap.cli.explain:audit",
    "record": "flowmap.cli.record:record",
    "compare-runtime": "flowmap.cli.compare_runtime:compare_runtime",
    "doctor": "flowmap.cli.doctor:doctor",
    "cache": "flowmap.cli.cache:cache",
    "completion": "flowmap.cli.completion:completion",
}
_N_BEFORE_COLLECTING = 50_000  # objects: no command makes as many while it starts, and none of those is garbage
_COMPLETING = "_FLOWMAP_COMPLETE"  # set by the script that `flowmap completion` prints


class _LazyGroup(Group):
    """A group that imports the module of a command only when it is asked for it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does. Errors: UsageError with the nearest commands."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches  # only a mistake needs it

            nearest = get_close_matches(args[0], COMMANDS, 1)
            meant = f" Did you mean {nearest[0]}?" if nearest else ""
            raise click.UsageError(f"No such command '{args[0]}'.{meant}", ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command), f"{COMMANDS[cmd_name]} is no command"
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="flowmap-py", prog_name="flowmap")
def flowmap() -> None:
    """What really runs in a large Python code base, with evidence, from its source alone.

    The first command indexes the code base by itself; which one is said in every answer. Nothing of it is imported or run;
    only `record` runs something: the command that you give it.

    \b
    Examples:
      flowmap trace process_batch            who runs it, and what it runs
      flowmap trace main --to Worker.run     the ways from one to the other
      flowmap callers Worker.run             the flat list
      flowmap index pypi:NAME==VERSION       index a release of a package
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with its exit code."""
    gc.set_threshold(_N_BEFORE_COLLECTING)
    take_streams()
    handle_interrupts()
    code = _run(arguments)
    gc.freeze()  # what the process holds goes with it: nothing has to be looked through at its end
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        result = _invoke(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except FlowmapError as error:
        if was_interrupted():  # workers that are gone look as if they had been killed
            return INTERRUPTED
        _say(error.problems)
        return int(error.code)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except Exit as end:
        return end.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except RuntimeError:
        if was_interrupted():  # a pool whose workers were ended
            return INTERRUPTED
        raise
    except BrokenPipeError:
        _forget_output()
        return int(ExitCode.DONE)
    except OSError as error:  # a full disk, for one
        _forget_output()
        _say((_reason(error),))
        return int(ExitCode.USAGE)
    return result if isinstance(result, int) else int(ExitCode.DONE)


def _reason(error: OSError) -> Problem:
    if error.filename is None and not _is_somewhere():
        return Problem("the current folder", "is not there any more", "Change to one that is: cd")
    if error.errno == errno.EBADF and error.filename is None:
        return Problem("standard output", "is closed", "Leave it open, or send it to a file.")
    where = str(error.filename or "standard output")
    return Problem(where, f"{error.strerror}", "Free some space, or name another place, and try again.")


def _is_somewhere() -> bool:
    try:
        return bool(os.getcwd())
    except OSError:
        return False


def _invoke(arguments: list[str]) -> object:
    """What click's own `main` does, but for its way with interrupts and closed pipes."""
    if _COMPLETING in os.environ:
        flowmap.main(args=arguments, prog_name="flowmap")
    with flowmap.make_context("flowmap", arguments) as context:
        return flowmap.invoke(context)


def _say(problems: Sequence[Problem]) -> None:
    from flowmap.render.untrusted import plain

    for problem in problems:
        for line in str(problem).split("\n"):
            click.echo(plain(line), err=True)


def _forget_output() -> None:
    """Nobody reads what would be flushed at exit: `| head` has what it wanted."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
