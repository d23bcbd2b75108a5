"""Archives and revisions in the cache: unpacked once, then opened from a list of what they hold.

A kept source has a folder of its own below `releases/`. In it stand the archive, where one was fetched, and
`unpacked-N/`, made whole or not at all: `files/`, and `content.json`, which says what is in them. N is the version of
that layout; another version of flowmap makes its own.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from flowmap.model.problem import Problem
from flowmap.model.source import EntryPointName, OpenedSource
from flowmap.source.archive import unpack
from flowmap.source.cache import partial_folder, put_in_place, writable_releases
from flowmap.source.cache_places import record_use, releases_folder
from flowmap.source.content import CONTENT, UNPACKED, is_unpacked, read_content
from flowmap.source.entry_points import entry_points_of_folder, entry_points_of_text
from flowmap.source.folder import FolderContent, Layout, layout_of, read_folder
from flowmap.source.project import is_package, is_project

Unpack = Callable[[Path], tuple[Layout, tuple[Problem, ...]]]


def open_kept(address: str, label: str, identity: str, unpack_into: Unpack) -> OpenedSource:
    """Open what is unpacked under an address of the cache; what is not there yet is unpacked first.

    `unpack_into` fills an empty folder, says how that is read and what was left out. Problems without a place get the label.
    """
    home = releases_folder() / address
    problems: tuple[Problem, ...] = ()
    if not is_unpacked(home):
        releases, problems = writable_releases()
        home = releases / address
        if not is_unpacked(home):
            _unpack(home, unpack_into)
    record_use(home, label)
    opened = read_content(home, label, identity)
    return replace(opened, problems=(*problems, *opened.problems))


def open_archive(archive: Path, address: str, label: str, sha256: str) -> OpenedSource:
    """Open a wheel, zip or sdist whose hash is known. Errors: as `unpack`."""
    return open_kept(address, label, f"sha256:{sha256}", partial(_unpack_archive, archive))


def _unpack(home: Path, unpack_into: Unpack) -> None:
    if (home / UNPACKED).is_dir():  # it came whole, so someone has taken the list away since
        shutil.rmtree(home / UNPACKED, ignore_errors=True)
    with partial_folder(home.parent) as made:
        files = made / UNPACKED / "files"
        files.mkdir(parents=True)
        layout, left_out = unpack_into(files)
        content = read_folder(layout)
        text = json.dumps(_record(content, files, left_out, _entry_points(files, layout)))
        (made / UNPACKED / CONTENT).write_text(text, encoding="utf-8")
        put_in_place(made / UNPACKED, home / UNPACKED)


def _unpack_archive(archive: Path, files: Path) -> tuple[Layout, tuple[Problem, ...]]:
    problems = unpack(archive, files)
    return _layout(files), problems


def _layout(files: Path) -> Layout:
    """A wheel holds packages side by side; an sdist or a zipped project holds them in one folder of the project's name."""
    tops = [path for path in files.iterdir() if path.is_dir()]
    if not any(files.glob("*.dist-info/WHEEL")):
        if is_project(files):
            return layout_of(files)
        if len(tops) == 1 and not is_package(tops[0]) and (is_project(tops[0]) or not tops[0].name.isidentifier()):
            return layout_of(tops[0])
    return Layout(files, files)


def _entry_points(files: Path, layout: Layout) -> tuple[EntryPointName, ...]:
    names = sorted(files.glob("*.dist-info/entry_points.txt")) or sorted(files.glob("**/*.egg-info/entry_points.txt"))
    found = [entry_points_of_text(path.read_text(encoding="utf-8", errors="replace")) for path in names]
    project = layout.root
    while not found and project != files.parent:
        found = [entry_points_of_folder(project)] if is_project(project) else []
        project = project.parent
    return tuple(sorted({entry for entries in found for entry in entries}))


def _record(
    content: FolderContent, files: Path, left_out: tuple[Problem, ...], entry_points: tuple[EntryPointName, ...]
) -> dict[str, list[object]]:
    rows: list[object] = [[file.path, file.digest, os.path.relpath(file.location, files)] for file in content.files]
    problems: list[object] = [[each.where, each.what, each.fix] for each in (*left_out, *content.problems)]
    return {"files": rows, "entry_points": [list(each) for each in entry_points], "problems": problems}
