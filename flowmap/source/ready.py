"""Sources that can be opened as they stand, with nothing to fetch or unpack: what every run but the first one needs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.source import OpenedSource
from flowmap.source.cache_places import record_use, releases_folder
from flowmap.source.content import is_unpacked, kept_archive, read_content, release_address
from flowmap.source.entry_points import entry_points_of_folder
from flowmap.source.excludes import without_excluded
from flowmap.source.folder import layout_of, read_folder
from flowmap.source.identity import digest_of_texts, identity_of
from flowmap.source.names import SourceKind, SourceName, label_of, parse_name
from flowmap.source.project import is_project


def open_ready(name: str, excludes: tuple[str, ...]) -> OpenedSource | None:
    """Open a folder, or a release of a named version that is unpacked in the cache; None for everything else.

    Errors: FlowmapError when the name names nothing, or what it names holds no Python file.
    """
    named = parse_name(name)
    if named.kind is SourceKind.FOLDER:
        return less_excluded(open_folder(Path(named.target)), excludes)
    opened = _kept_release(named) if named.kind is SourceKind.RELEASE and named.version else None
    return less_excluded(opened, excludes) if opened else None


def open_folder(folder: Path) -> OpenedSource:
    """Open a folder. Errors: FlowmapError when it cannot be read."""
    layout = layout_of(folder)
    content = read_folder(layout)
    label = label_of(folder)
    problems = tuple(replace(problem, where=problem.where or label) for problem in content.problems)
    return OpenedSource(label, identity_of(content.files), content.files, _entry_points(folder), problems)


def less_excluded(opened: OpenedSource, excludes: tuple[str, ...]) -> OpenedSource:
    """The source without the files that a glob matches. Errors: FlowmapError when no file is left."""
    files = without_excluded(opened.files, excludes)
    if not files:
        what = "all of its Python files are excluded" if opened.files else "holds no Python file"
        raise FlowmapError(*opened.problems, Problem(opened.label, what, "Name a folder or archive that holds .py files."))
    if len(files) == len(opened.files):
        return opened
    kept = digest_of_texts(file.path for file in files)[:16]
    return replace(opened, files=files, identity=f"{opened.identity}-{kept}")


def kept_identity(name: str) -> str | None:
    """What identifies the content of a release that is unpacked in the cache, without listing its files; None for all else.

    Errors: FlowmapError when the name names nothing.
    """
    named = parse_name(name)
    if named.kind is not SourceKind.RELEASE or not named.version:
        return None
    home = releases_folder() / release_address(named.target, named.version)
    kept = kept_archive(home)
    return _identity(kept.sha256) if kept and is_unpacked(home) else None


def _identity(sha256: str) -> str:
    return f"sha256:{sha256}"


def _kept_release(named: SourceName) -> OpenedSource | None:
    home = releases_folder() / release_address(named.target, named.version)
    kept = kept_archive(home)
    if kept is None or not is_unpacked(home):
        return None
    label = f"pypi:{named.target}=={named.version}"
    record_use(home, label)
    return read_content(home, label, _identity(kept.sha256))


def _entry_points(folder: Path) -> tuple[tuple[str, str], ...]:
    """A package's commands stand in the project that holds it: beside it, or above its `src`."""
    for place in (folder, *folder.parents[:2]):
        if is_project(place):
            return entry_points_of_folder(place)
    return ()
