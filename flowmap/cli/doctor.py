"""`flowmap doctor`."""

from __future__ import annotations

import click

from flowmap.cli.answer import chosen, write
from flowmap.cli.asked import Asked, takes_common_options
from flowmap.cli.commands import Command
from flowmap.model.problem import ExitCode


@click.command(cls=Command)
@takes_common_options
def doctor(asked: Asked) -> int:
    """Whether everything flowmap needs is there: Python, dot, the cache, indexes, profiles; with the fix for what is not.

    \b
    Examples:
      flowmap doctor
      flowmap doctor --format json
    """
    from flowmap.reports.doctor import CacheState, is_healthy
    from flowmap.reports.doctor import doctor as report
    from flowmap.source.absent import absent_sources
    from flowmap.source.cache import cache_entries, why_not_writable
    from flowmap.source.cache_places import cache_folder
    from flowmap.subject.profiles import profile_files, read_profile

    choice = chosen(asked)
    absent = absent_sources(choice.sources, choice.excludes)
    profiles = [read_profile(path) for path in profile_files(choice.config).values()]
    view = report(choice, absent, CacheState(cache_folder(), cache_entries(), why_not_writable()), profiles)
    write(asked, view)
    return ExitCode.DONE if is_healthy(view) else ExitCode.FINDING
