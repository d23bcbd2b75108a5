"""Where the user's cache folder is, with a folder for each kind of what is kept, and when what is there was used.

Beside every entry stands a file of the entry's name and `.from`: its text says from which source the entry came, its time of
change when the entry was last used. Every run reads here, so that what only writing needs stands in `cache`.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import platformdirs

from flowmap.model.source import CacheKind

FOLDERS = {
    CacheKind.RELEASE: "releases",
    CacheKind.INDEX: "index",
    CacheKind.FACTS: "facts",
    CacheKind.STUBS: "stubs",
    CacheKind.DRIFT: "drift",
}
RECORD = ".from"


def cache_folder() -> Path:
    """The cache folder, which need not exist: FLOWMAP_CACHE, else the user's cache folder for flowmap."""
    named = os.environ.get("FLOWMAP_CACHE", "")
    return Path(os.path.abspath(named)) if named else platformdirs.user_cache_path("flowmap", appauthor=False)


def releases_folder() -> Path:
    """Where releases are looked for."""
    return cache_folder() / FOLDERS[CacheKind.RELEASE]


def stubs_folder() -> Path:
    """Where what was read of the standard library's stubs is kept."""
    return cache_folder() / FOLDERS[CacheKind.STUBS]


def facts_folder() -> Path:
    """Where the facts of files are kept."""
    return cache_folder() / FOLDERS[CacheKind.FACTS]


def drift_folder() -> Path:
    """Where it is kept what releases define, and what became of it in others."""
    return cache_folder() / FOLDERS[CacheKind.DRIFT]


def record_use(entry: Path, source: str) -> None:
    """Remember that an entry of the cache was used now, and where it came from. Without effect where nothing can be written."""
    with contextlib.suppress(OSError):
        record_of(entry).write_text(source, encoding="utf-8")


def in_folder(folder: Path, glob: str) -> tuple[Path, ...]:
    """What matches in a folder, sorted; nothing where the folder is missing or may not be looked into."""
    return tuple(sorted(folder.glob(glob))) if os.path.isdir(folder) and os.access(folder, os.R_OK | os.X_OK) else ()


def record_of(entry: Path) -> Path:
    """The file beside an entry."""
    return entry.with_name(entry.name + RECORD)
