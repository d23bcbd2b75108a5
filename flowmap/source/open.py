"""Open a source by its name."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.progress import Progress
from flowmap.model.source import OpenedSource
from flowmap.source.entry_points import entry_points_of_folder
from flowmap.source.excludes import without_excluded
from flowmap.source.folder import layout_of, read_folder
from flowmap.source.identity import digest_of_texts, identity_of, sha256_of
from flowmap.source.installed import open_installed
from flowmap.source.merge import merge_sources
from flowmap.source.names import SourceKind, SourceName, parse_name, shown_path
from flowmap.source.project import is_project
from flowmap.source.read import read_bytes
from flowmap.source.release import open_release
from flowmap.source.revision import open_revision
from flowmap.source.unpacked import open_archive

__all__ = ["merge_sources", "open_source", "read_bytes"]


def open_source(name: str, excludes: tuple[str, ...], progress: Progress) -> OpenedSource:
    """Find, fetch, unpack and list a source: its files less those that an exclude glob matches (`flowmap.source.excludes`).

    Errors: FlowmapError when the name names nothing, or what it names holds no Python file.
    """
    opened = _opened(parse_name(name), progress)
    files = without_excluded(opened.files, excludes)
    if not files:
        what = "all of its Python files are excluded" if opened.files else "holds no Python file"
        raise FlowmapError(*opened.problems, Problem(opened.label, what, "Name a folder or archive that holds .py files."))
    if len(files) == len(opened.files):
        return opened
    kept = digest_of_texts(file.path for file in files)[:16]
    return replace(opened, files=files, identity=f"{opened.identity}-{kept}")


def _opened(named: SourceName, progress: Progress) -> OpenedSource:
    match named.kind:
        case SourceKind.RELEASE:
            return open_release(named, progress)
        case SourceKind.INSTALLED:
            return open_installed(named, Path.cwd())
        case SourceKind.REVISION:
            return open_revision(named)
        case SourceKind.FOLDER:
            return _open_folder(Path(named.target))
        case SourceKind.ARCHIVE:
            return _open_archive(Path(named.target))
        case _:
            assert_never(named.kind)


def _open_folder(folder: Path) -> OpenedSource:
    layout = layout_of(folder)
    content = read_folder(layout)
    label = shown_path(folder)
    problems = tuple(replace(problem, where=problem.where or label) for problem in content.problems)
    return OpenedSource(label, identity_of(content.files), content.files, _entry_points(folder), problems)


def _entry_points(folder: Path) -> tuple[tuple[str, str], ...]:
    """A package's commands stand in the project that holds it: beside it, or above its `src`."""
    for place in (folder, *folder.parents[:2]):
        if is_project(place):
            return entry_points_of_folder(place)
    return ()


def _open_archive(archive: Path) -> OpenedSource:
    try:
        digest = sha256_of(archive)
    except OSError as error:
        raise FlowmapError(Problem(str(archive), f"cannot be read: {error.strerror}")) from error
    address = f"file-{re.sub(r'[^A-Za-z0-9.]+', '-', archive.name)[:80]}-{digest[:16]}"
    return open_archive(archive, address, shown_path(archive), digest)
