"""What is wrong with the sources of a subject, found without fetching or indexing any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import assert_never

from flowmap.model.problem import FlowmapError, Problem
from flowmap.source.installed import open_installed
from flowmap.source.names import SourceKind, parse_name
from flowmap.source.ready import open_ready
from flowmap.source.revision import open_revision


def absent_sources(names: Sequence[str], excludes: tuple[str, ...]) -> tuple[Problem, ...]:
    """What is wrong with each source that is not there, holds no Python file, or has no known form."""
    return tuple(problem for name in names for problem in _problems(name, excludes))


def _problems(name: str, excludes: tuple[str, ...]) -> Iterator[Problem]:
    try:
        _look(name, excludes)
    except FlowmapError as error:
        yield from error.problems


def _look(name: str, excludes: tuple[str, ...]) -> None:
    """Errors: FlowmapError when the source is not there."""
    named = parse_name(name)
    match named.kind:
        case SourceKind.FOLDER:
            open_ready(name, excludes)
        case SourceKind.INSTALLED:
            open_installed(named, Path.cwd())
        case SourceKind.REVISION:
            open_revision(named)
        case SourceKind.RELEASE | SourceKind.ARCHIVE:
            pass  # a release may still have to be fetched; an archive that is none is said when it is opened
        case _:
            assert_never(named.kind)
