"""`flowmap cache`."""

from __future__ import annotations

import click

from flowmap.cli.answer import write
from flowmap.cli.asked import Asked, takes_common_options
from flowmap.cli.commands import Group


@click.group(cls=Group)
def cache() -> None:
    """What is kept in the cache folder (FLOWMAP_CACHE names another). All of it can be made again.

    \b
    Examples:
      flowmap cache list
      flowmap cache prune --older-than 30
    """


@cache.command("list")
@takes_common_options
def list_entries(asked: Asked) -> None:
    """What is kept, from which source, how large, and when it was last used.

    \b
    Example:
      flowmap cache list --format json
    """
    from flowmap.reports.cache import cached
    from flowmap.source.cache import cache_entries
    from flowmap.source.cache_places import cache_folder

    write(asked, cached(cache_entries(), str(cache_folder()), "kept"))


@cache.command()
@click.option(
    "--older-than", type=click.FloatRange(min=0), default=0.0, metavar="DAYS", help="Only what was not used for so long."
)
@takes_common_options
def prune(asked: Asked, older_than: float) -> None:
    """Remove what is kept: everything, or what was not used for some days.

    \b
    Examples:
      flowmap cache prune
      flowmap cache prune --older-than 30
    """
    from flowmap.reports.cache import cached
    from flowmap.source.cache import prune_cache
    from flowmap.source.cache_places import cache_folder

    write(asked, cached(prune_cache(older_than), str(cache_folder()), "removed"))
