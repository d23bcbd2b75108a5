"""A release from the package index: kept in the cache with its hash beside it, never installed, built or run."""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from dataclasses import replace
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.progress import Progress
from flowmap.model.source import OpenedSource
from flowmap.source.cache import NEWEST, SECONDS_A_DAY, partial_folder, writable_releases
from flowmap.source.cache_places import in_folder, releases_folder
from flowmap.source.content import HASH_SUFFIX, KeptArchive, is_unpacked, kept_archive, release_address, text_of
from flowmap.source.identity import sha256_of
from flowmap.source.names import SourceName
from flowmap.source.package_index import PublishedFile, offer_of
from flowmap.source.pip import download_wheel, pip_settings
from flowmap.source.unpacked import open_archive
from flowmap.source.web import fetch_file

_N_SUGGESTED = 2  # versions named on either side of one that does not exist


def open_release(named: SourceName, progress: Progress) -> OpenedSource:
    """Open `pypi:NAME==VERSION`, or the newest version where none is named; fetch it first when it is not in the cache.

    Errors: FlowmapError when there is no such project or version (with those nearest to it), or the index cannot be reached.
    """
    version, problems = (named.version, ()) if named.version else _newest(named.target)
    address = release_address(named.target, version)
    kept = kept_archive(releases_folder() / address)
    harm = _harm(kept) if kept and not is_unpacked(releases_folder() / address) else ()
    if kept is None or harm:
        releases, unwritable = writable_releases()
        problems += unwritable
        try:
            again = None if harm else kept_archive(releases / address)
            kept = again or _fetch(named.target, version, releases / address, progress)
        except FlowmapError as error:
            raise FlowmapError(*harm, *error.problems) from error
    opened = open_archive(kept.archive, address, f"pypi:{named.target}=={version}", kept.sha256)
    return replace(opened, problems=tuple(dict.fromkeys((*problems, *opened.problems))))


def _harm(kept: KeptArchive) -> tuple[Problem, ...]:
    """What has happened to an archive since it was kept; nothing, as a rule."""
    try:
        what = "" if sha256_of(kept.archive) == kept.sha256 else "its hash is no longer the one beside it"
    except OSError as error:
        what = f"it cannot be read: {error.strerror}"
    fix = "It is fetched again where the package index can be reached; `flowmap cache prune` clears the cache."
    return (Problem(str(kept.archive), f"what the cache keeps of the release is harmed: {what}", fix),) if what else ()


def _fetch(project: str, version: str, home: Path, progress: Progress) -> KeptArchive:
    with partial_folder(home.parent) as folder:
        archive = _fetch_wheel(project, version, folder, progress) or _fetch_published(project, version, folder, progress)
        digest = sha256_of(archive)
        record = folder / (archive.name + HASH_SUFFIX)
        record.write_text(f"{digest}  {archive.name}\n", encoding="ascii")
        home.mkdir(parents=True, exist_ok=True)
        for path in (archive, record):
            _replace(path, home / path.name)
    return KeptArchive(home / archive.name, digest)


def _replace(path: Path, place: Path) -> None:
    """Put a file in its place. A reader on Windows may hold the equal file of another process open: then that one stays."""
    try:
        os.replace(path, place)
    except PermissionError:
        if not place.is_file():
            raise


def _fetch_wheel(project: str, version: str, folder: Path, progress: Progress) -> Path | None:
    progress.start(f"fetching {project} {version}", 0)
    try:
        return download_wheel(project, version, folder)
    finally:
        progress.finish()


def _fetch_published(project: str, version: str, folder: Path, progress: Progress) -> Path:
    """What pip does not give here: a wheel for another platform or Python, else the sdist, by its link and hash."""
    settings = pip_settings()
    offer = offer_of(project, settings)
    chosen = next((file for file in offer.files if file.version == Version(version)), None)
    if chosen is None:
        raise offer.absence() if offer.unreachable else FlowmapError(_no_such_version(project, version, offer.files))
    target = folder / chosen.name
    fetch_file(chosen.url, chosen.digest, target, settings, progress)
    return target


def _no_such_version(project: str, version: str, published: tuple[PublishedFile, ...]) -> Problem:
    if not published:
        return no_such_project(project)
    known = sorted({file.version for file in published})
    position = bisect_left(known, Version(version))
    near = dict.fromkeys((*known[max(0, position - _N_SUGGESTED) : position + _N_SUGGESTED], known[-1]))
    fix = f"Known versions near it, and the newest: {', '.join(map(str, near))}."
    return Problem(f"pypi:{project}=={version}", "there is no such version", fix)


def no_such_project(project: str) -> Problem:
    """What is told of a project that no index has."""
    return Problem(f"pypi:{project}", "there is no such project on the index", "Check its name, and `pip config list`.")


def _newest(project: str) -> tuple[str, tuple[Problem, ...]]:
    """The newest version, asked for once a day; without the index, the newest in the cache, and the problem that says so."""
    remembered = releases_folder() / f"{canonicalize_name(project)}{NEWEST}"
    known = text_of(remembered)
    if known and time.time() - os.path.getmtime(remembered) < SECONDS_A_DAY:
        return known, ()
    try:
        version = _newest_published(project)
    except FlowmapError as error:
        kept = versions_kept(project)
        if not kept:
            raise
        problem = replace(error.problems[0], what=f"the index was not asked: {kept[-1]} is the newest version in the cache")
        return str(kept[-1]), (problem,)
    releases, _ = writable_releases()
    with partial_folder(releases) as folder:
        (folder / "newest").write_text(version, encoding="ascii")
        _replace(folder / "newest", releases / remembered.name)
    return version, ()


def _newest_published(project: str) -> str:
    offer = offer_of(project, pip_settings())
    if not offer.files:
        raise offer.absence() if offer.unreachable else FlowmapError(_no_such_version(project, "0", ()))
    usable = [file.version for file in offer.files if not file.is_yanked] or [file.version for file in offer.files]
    return str(max([version for version in usable if not version.is_prerelease] or usable))


def versions_kept(project: str) -> list[Version]:
    """The versions of a project that are in the cache, sorted."""
    prefix = f"{canonicalize_name(project)}=="
    versions = []
    for home in in_folder(releases_folder(), prefix + "*"):
        try:
            versions += [Version(home.name.removeprefix(prefix))] if kept_archive(home) else []
        except InvalidVersion:  # `.from`, the record of its use
            continue
    return sorted(versions)
