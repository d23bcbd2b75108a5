"""The index of a subject that was made before, found by what it was made from."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from flowmap.model.progress import Progress
from flowmap.model.source import OpenedSource, SubjectChoice
from flowmap.source.cache import cache_folder
from flowmap.source.open import merge_sources, open_source
from flowmap.store.format import FORMAT, IndexOutdated
from flowmap.store.index import Index, open_file


def open_subject(choice: SubjectChoice, progress: Progress) -> OpenedSource:
    """All sources of a subject as one."""
    return merge_sources(tuple(open_source(name, choice.excludes, progress) for name in choice.sources))


def open_kept(opened: OpenedSource) -> Index | None:
    """The index that is kept for exactly this content, made by exactly this flowmap; None when there is none."""
    with contextlib.suppress(IndexOutdated, FileNotFoundError):
        return open_file(index_path(opened))
    return None


def index_path(opened: OpenedSource) -> Path:
    """Where the index of a subject is kept."""
    return cache_folder() / "index" / f"{fingerprint(opened)}.sqlite"


def fingerprint(opened: OpenedSource) -> str:
    """Changes with the subject's content, with flowmap's own code and with the format."""
    digest = hashlib.blake2b(f"{opened.identity} {opened.label} {FORMAT}".encode(), digest_size=16)
    for name, size, changed in sorted(own_files(Path(__file__).parent)):
        digest.update(f"{name} {size} {changed}".encode())
    return digest.hexdigest()


def own_files(folder: Path) -> Iterator[tuple[str, int, int]]:
    """flowmap's own files, which decide what an index holds: (path, size in bytes, time of change in ns)."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from own_files(Path(entry.path))
            elif entry.name.endswith((".py", ".sql", ".toml")):
                stat = entry.stat()
                yield entry.path, stat.st_size, stat.st_mtime_ns
