"""What is kept in the user's cache folder: how it is written whole, listed, and removed."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.source import CacheEntry, CacheKind
from flowmap.source.cache_places import FOLDERS, RECORD, cache_folder, in_folder, record_of, record_use, releases_folder

SECONDS_A_DAY = 86_400
MOST_INDEXES = 3  # kept of one source
_SECONDS_AT_WORK = 3_600
_SMALL_FILES = (CacheKind.FACTS, CacheKind.STUBS, CacheKind.DRIFT)
_PARTIAL = ".partial-"  # a release under this name is still being written, or was abandoned
NEWEST = ".newest"  # the suffix of the file that remembers a project's newest version
VERSIONS = ".versions"  # the same for all its versions


def put_file(path: Path, content: bytes) -> None:
    """Write a small file whole: no reader ever sees a part of it. Errors: OSError where nothing can be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_PARTIAL, delete=False) as file:
        file.write(content)
    os.replace(file.name, path)


def writable_releases() -> tuple[Path, tuple[Problem, ...]]:
    """Where a release can be written: in the cache, or in a temporary folder (and then the problem that says so)."""
    folder = releases_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        what = f"cannot be written ({error.strerror}); what is fetched is kept for this run only"
        return _temporary_folder(), (Problem(str(cache_folder()), what, "Set FLOWMAP_CACHE to a folder that can be written."),)
    return folder, ()


def why_not_writable() -> str:
    """Why the cache folder, or one in it, cannot be written: tried, since permissions do not tell all; "" when it can."""
    folder = cache_folder()
    nearest = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    inside = (folder / name for name in FOLDERS.values())
    for place in (nearest, *(path for path in inside if os.path.lexists(path))):
        try:
            with tempfile.TemporaryFile(dir=place):
                pass
        except OSError as error:
            return f"{place} cannot be written ({error.strerror})"
    return ""


@contextlib.contextmanager
def partial_folder(releases: Path) -> Iterator[Path]:
    """A folder in which a release is put together, beside its final place. What is left in it at the end goes."""
    folder = Path(tempfile.mkdtemp(prefix=_PARTIAL, dir=releases))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put_in_place(made: Path, place: Path) -> None:
    """Move a finished folder to its place, whole. Where another process was first, its equal result stays."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(made, place)
    except OSError:
        if not place.is_dir():
            raise


def note_kept(index: Path, source: str) -> None:
    """Remember from which source a new index came, and let go of older ones of it."""
    record_use(index, source)
    drop_older_indexes(source, MOST_INDEXES)


def kept_indexes(source: str) -> tuple[Path, ...]:
    """The indexes that are kept of a source, the last used first."""
    same = sorted((entry for entry in _entries_of(CacheKind.INDEX) if entry.source == source), key=lambda entry: -entry.used)
    return tuple(entry.path for entry in same)


def drop_older_indexes(source: str, most: int) -> None:
    """Remove all but the `most` last used indexes of a source: each change of it, or of flowmap, leaves one behind."""
    for path in kept_indexes(source)[most:]:
        _remove(path)


def cache_entries() -> tuple[CacheEntry, ...]:
    """All that is kept, by kind and name."""
    return tuple(entry for kind in CacheKind for entry in _entries_of(kind))


def prune_cache(older_than_days: float = 0.0) -> tuple[CacheEntry, ...]:
    """Remove the entries last used longer ago than that (0 days: all of them), and give back what went.

    Errors: FlowmapError that names every entry which could not be removed.
    """
    oldest = time.time() - older_than_days * SECONDS_A_DAY
    stale = tuple(entry for entry in cache_entries() if older_than_days <= 0 or entry.used < oldest)
    problems = tuple(problem for entry in stale for problem in _remove(entry.path))
    problems += tuple(problem for folder in _abandoned(oldest) for problem in _remove(folder))
    if problems:
        raise FlowmapError(*problems)
    return stale


@functools.cache
def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="flowmap-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _entries_of(kind: CacheKind) -> Iterator[CacheEntry]:
    folder = cache_folder() / FOLDERS[kind]
    # Facts, stubs and drift serve many sources: one entry each.
    paths = in_folder(folder.parent, folder.name) if kind in _SMALL_FILES else in_folder(folder, "*")
    for path in paths:
        if path.suffix not in (RECORD, NEWEST, VERSIONS) and not path.name.startswith(_PARTIAL):
            with contextlib.suppress(FileNotFoundError):  # another process prunes
                yield _entry(kind, path)


def _entry(kind: CacheKind, path: Path) -> CacheEntry:
    record = record_of(path)
    try:
        source, used = record.read_text(encoding="utf-8"), record.stat().st_mtime
    except OSError:
        source, used = "", path.stat().st_mtime
    return CacheEntry(kind, path.name, source, _size(path), used, path)


def _size(path: Path) -> int:
    """Bytes of a file, or of all files below a folder; what vanishes meanwhile counts nothing."""
    if not path.is_dir():
        return path.stat().st_size
    n_bytes = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                n_bytes += os.lstat(os.path.join(folder, name)).st_size
    return n_bytes


def _abandoned(oldest: float) -> tuple[Path, ...]:
    """Half-made releases of runs that were killed (one of the last hour may still be at work), and remembered versions."""
    before = min(oldest, time.time() - _SECONDS_AT_WORK)
    partial = tuple(path for path in in_folder(releases_folder(), _PARTIAL + "*") if path.stat().st_mtime < before)
    return *partial, *(path for suffix in (NEWEST, VERSIONS) for path in in_folder(releases_folder(), "*" + suffix))


def _remove(path: Path) -> tuple[Problem, ...]:
    try:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        record_of(path).unlink(missing_ok=True)
    except OSError as error:
        return (Problem(str(path), f"cannot be removed: {error.strerror}", "Close what uses it, or remove it by hand."),)
    return ()
