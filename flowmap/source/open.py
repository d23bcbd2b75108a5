"""Open a source by its name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import assert_never

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.progress import Progress
from flowmap.model.source import OpenedSource
from flowmap.source.identity import sha256_of
from flowmap.source.installed import open_installed
from flowmap.source.merge import merge_sources
from flowmap.source.names import SourceKind, SourceName, label_of, parse_name
from flowmap.source.read import read_bytes
from flowmap.source.ready import less_excluded, open_folder
from flowmap.source.release import open_release
from flowmap.source.revision import open_revision
from flowmap.source.unpacked import open_archive

__all__ = ["merge_sources", "open_source", "read_bytes"]


def open_source(name: str, excludes: tuple[str, ...], progress: Progress) -> OpenedSource:
    """Find, fetch, unpack and list a source: its files less those that an exclude glob matches (`flowmap.source.excludes`).

    Errors: FlowmapError when the name names nothing, or what it names holds no Python file.
    """
    return less_excluded(_opened(parse_name(name), progress), excludes)


def _opened(named: SourceName, progress: Progress) -> OpenedSource:
    match named.kind:
        case SourceKind.RELEASE:
            return open_release(named, progress)
        case SourceKind.INSTALLED:
            return open_installed(named, Path.cwd())
        case SourceKind.REVISION:
            return open_revision(named)
        case SourceKind.FOLDER:
            return open_folder(Path(named.target))
        case SourceKind.ARCHIVE:
            return _open_archive(Path(named.target))
        case _:
            assert_never(named.kind)


def _open_archive(archive: Path) -> OpenedSource:
    try:
        digest = sha256_of(archive)
    except OSError as error:
        raise FlowmapError(Problem(str(archive), f"cannot be read: {error.strerror}")) from error
    address = f"file-{re.sub(r'[^A-Za-z0-9.]+', '-', archive.name)[:80]}-{digest[:16]}"
    return open_archive(archive, address, label_of(archive), digest)
