"""`flowmap doctor`."""

from __future__ import annotations

import rich_click as click

from flowmap.cli.answer import chosen, write
from flowmap.cli.asked import Asked, takes_common_options
from flowmap.model.problem import ExitCode


@click.command()
@takes_common_options
def doctor(asked: Asked) -> int:
    """Whether everything flowmap needs is there: Python, dot, the cache, the indexes; with the fix for what is not.

    \b
    Examples:
      flowmap doctor
      flowmap doctor --format json
    """
    from flowmap.reports.doctor import doctor as report
    from flowmap.reports.doctor import is_healthy
    from flowmap.source.cache import cache_entries, cache_folder

    view = report(chosen(asked), cache_folder(), cache_entries())
    write(asked, view)
    return ExitCode.DONE if is_healthy(view) else ExitCode.FINDING
