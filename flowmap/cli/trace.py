"""`flowmap trace`."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from click.globals import get_current_context

from flowmap.cli.answer import answer
from flowmap.cli.asked import NAME, Asked, takes_common_options, takes_confidence, takes_configuration
from flowmap.cli.commands import Command
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.program import Confidence
from flowmap.reports.trace import Direction, TraceQuestion, trace_limits
from flowmap.reports.walk import AtBorder

if TYPE_CHECKING:
    from flowmap.reports.overlay import Overlay
    from flowmap.store.index import Index

_STANDARD_INPUT = "-"
_DEEPEST = 1000
_OF_NAME = ("direction", "stop_at", "record", "watched", "stop_at_borders")
_ALONE = {  # what is asked for instead of a trace of NAME, and the options that say nothing about it
    _STANDARD_INPUT: (*_OF_NAME, "depth", "against", "end"),
    "against": (*_OF_NAME, "end"),
    "end": ("direction", "record", "watched"),
}


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="NAME|FILE:LINE|-")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many calls away. Default: up to the entry points; 2 down, or 1 where that is much.",
)
@click.option("--up", "direction", flag_value=Direction.UP.value, help="Only what runs it.")
@click.option("--down", "direction", flag_value=Direction.DOWN.value, help="Only what it runs.")
@click.option(
    "--both", "direction", flag_value=Direction.BOTH.value, default=Direction.BOTH.value, help="Both, as when nothing is said."
)
@click.option(
    "--against", default="", metavar="PROFILE", help="With --profile: what differs from this one, and the guards that decide."
)
@click.option("--to", "end", type=NAME, metavar="OTHER", help="The paths from NAME to OTHER instead.")
@click.option(
    "--stop-at", multiple=True, metavar="PATTERN", help="Do not look into functions of this name (* and ? allowed). Repeatable."
)
@click.option("--runtime", "record", metavar="FILE", help="Say beside each call how often it ran in what `flowmap record` wrote.")
@click.option("--watch", "watched", multiple=True, type=NAME, metavar="FIELD", help="Mark what touches it. Repeatable.")
@click.option("--stop-at-borders", is_flag=True, help="Show what runs in another process, thread or task; do not look into it.")
@takes_confidence
@takes_common_options
@takes_configuration
def trace(
    asked: Asked,
    name: str,
    *,
    depth: int | None,
    direction: str,
    against: str,
    end: str | None,
    stop_at: tuple[str, ...],
    record: str | None,
    watched: tuple[str, ...],
    stop_at_borders: bool,
    confidence: str,
) -> None:
    """Where NAME is defined, through which classes it is reached, who runs it, and what it runs.

    NAME is the end of a name, as `run_batch` or `Scheduler.run_batch`; FILE:LINE the function around a line.
    With - a Python traceback is read from standard input and shown on the graph.

    \b
    Examples:
      flowmap trace process_batch
      flowmap trace Scheduler.run --down --depth 4 --stop-at "*.log_*"
      flowmap trace main --to Worker.forward
      flowmap trace run -v                    with the evidence for every call
      flowmap trace run --runtime calls.jsonl
      flowmap trace run --watch Result.lengths    who reads, writes, updates and carries the field
      flowmap trace run --profile A --against B   what differs between two configurations
      flowmap trace - < crash.log
    """
    strength, detail = Confidence(confidence), asked.detail
    at_border = AtBorder.STOP if stop_at_borders else AtBorder.CROSS
    _check_options(name)
    if against:
        _compare(asked, against, name, (depth, strength))
    elif name == _STANDARD_INPUT:
        _trace_input(asked, strength)
    elif end is not None:
        from flowmap.reports.paths import PathsQuestion, paths

        way = PathsQuestion(name, end, strength, stop_at, depth or _DEEPEST, detail, at_border)
        answer(asked, lambda index: paths(index, way))
    else:
        from flowmap.reports.trace import trace as report

        up, down = trace_limits(depth, stop_at, strength, detail, at_border)
        question = TraceQuestion(name, Direction(direction), up, down, detail, _overlay(record), watched)
        answer(asked, lambda index: report(index, _watching(index, question)))


def _check_options(name: str) -> None:
    """Errors: UsageError where options are given that say nothing about what is asked for."""
    context = get_current_context()
    given = {each for each in context.params if context.get_parameter_source(each) is ParameterSource.COMMANDLINE}
    mode = _STANDARD_INPUT if name == _STANDARD_INPUT else next((each for each in _ALONE if each in given), "")
    without = [_shown(context, each) for each in context.params if each in given and each in _ALONE.get(mode, ())]
    if without:
        with_ = _shown(context, mode) if mode != _STANDARD_INPUT else "a traceback (-)"
        raise click.UsageError(f"{', '.join(without)}: of no use with {with_}.")


def _shown(context: click.Context, parameter: str) -> str:
    """An option as it was typed."""
    if parameter == "direction":
        return f"--{context.params['direction']}"
    return next(each.opts[0] for each in context.command.params if each.name == parameter)


def _overlay(record: str | None) -> Overlay:
    from flowmap.reports.overlay import NO_RUN, overlay_of

    if record is None:
        return NO_RUN
    from flowmap.runtime.edges import read_edges

    return overlay_of(read_edges(Path(record)))


def _watching(index: Index, question: TraceQuestion) -> TraceQuestion:
    """The question, with what touches the fields that it watches."""
    if not question.watched:
        return question
    from flowmap.reports.watch import watching

    return watching(index, question)


def _trace_input(asked: Asked, confidence: Confidence) -> None:
    from flowmap.reports.traceback import traceback

    try:
        text = sys.stdin.read()
    except OSError as error:
        raise FlowmapError(Problem("standard input", f"cannot be read: {error.strerror}")) from error
    answer(asked, lambda index: traceback(index, text, confidence, asked.detail))


def _compare(asked: Asked, against: str, name: str, limits: tuple[int | None, Confidence]) -> None:
    from flowmap.cli.answer import chosen, opened, write
    from flowmap.reports.difference import DifferenceQuestion, Side, difference
    from flowmap.reports.trace import DEPTH_DOWN

    if not asked.profile:
        raise click.UsageError("--against compares with a profile: name that with --profile.")
    choice = chosen(asked)
    other = dataclasses.replace(asked, profile=against)
    first, second = (Side(each.profile, opened(each, choice)) for each in (asked, other))
    depth, confidence = limits
    view = difference(first, second, DifferenceQuestion(name, depth or DEPTH_DOWN, confidence))
    write(asked, view, choice.link, first.index.locations)
