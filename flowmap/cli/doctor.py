"""`flowmap doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import chosen, write
from flowmap.cli.asked import Asked, takes_common_options
from flowmap.cli.commands import Command
from flowmap.model.problem import ExitCode, FlowmapError, Problem

if TYPE_CHECKING:
    from flowmap.model.graph import Drawer
    from flowmap.model.source import SubjectChoice


@click.command(cls=Command)
@takes_common_options
def doctor(asked: Asked) -> int:
    """Whether everything flowmap needs is there: Python, dot, the cache, indexes, profiles; with the fix for what is not.

    \b
    Examples:
      flowmap doctor
      flowmap doctor --format json
    """
    from flowmap.render.svg import find_drawer
    from flowmap.reports.doctor import CacheState, Written, is_healthy
    from flowmap.reports.doctor import doctor as report
    from flowmap.source.absent import absent_sources
    from flowmap.source.cache import cache_entries, why_not_writable
    from flowmap.source.cache_places import cache_folder
    from flowmap.source.names import label_named
    from flowmap.subject.profiles import profiles_read

    choice, wrong = _chosen(asked)
    absent = absent_sources(choice.sources, choice.excludes)
    profiles, unread = profiles_read(choice.config)
    label = " + ".join(map(label_named, choice.sources))
    cache = CacheState(cache_folder(), cache_entries(), why_not_writable(), label)
    drawer: Drawer | Problem | None
    try:
        drawer = find_drawer()
    except FlowmapError as error:
        (drawer,) = error.problems
    view = report(choice, absent, cache, Written(profiles, (*wrong, *unread)), drawer)
    write(asked, view)
    return ExitCode.DONE if is_healthy(view) else ExitCode.FINDING


def _chosen(asked: Asked) -> tuple[SubjectChoice, tuple[Problem, ...]]:
    """The subject, and what is wrong with the configuration, which says nothing then."""
    from flowmap.source.resolve import choose_without_configuration

    try:
        return chosen(asked), ()
    except FlowmapError as error:
        return choose_without_configuration(asked.sources, asked.excludes, Path.cwd()), error.problems
