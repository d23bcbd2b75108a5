"""What is installed, found by its metadata and never imported."""

from __future__ import annotations

import csv
import json
import os
import sys
from importlib.metadata import Distribution
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit
from urllib.request import url2pathname

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.source import OpenedSource, SourceFile
from flowmap.source.entry_points import entry_points_of_text
from flowmap.source.folder import FolderContent, layout_of, notebooks_left_out, read_folder, source_file
from flowmap.source.identity import identity_of
from flowmap.source.names import SourceName
from flowmap.source.read import digest_of


def open_installed(named: SourceName, folder: Path) -> OpenedSource:
    """Open `dist:NAME`: what the `.venv` of the folder's project has installed, else what this Python has.

    What is installed in editable form is read where it stands. Errors: FlowmapError when it is not installed, or in another
    version than the named one.
    """
    found = _find(named, folder)
    label = f"dist:{named.target}=={found.version}"
    if named.version and named.version != found.version:
        fix = f"Use `dist:{named.target}` or `pypi:{named.target}=={named.version}`."
        raise FlowmapError(Problem(f"dist:{named.target}=={named.version}", f"version {found.version} is installed", fix))
    editable = _editable_folder(found)
    content = read_folder(layout_of(editable)) if editable else _read_record(found, label)
    problems = tuple(Problem(each.where or label, each.what, each.fix) for each in content.problems)
    entry_points = entry_points_of_text(found.read_text("entry_points.txt") or "")
    return OpenedSource(label, identity_of(content.files), content.files, entry_points, problems)


def _find(named: SourceName, folder: Path) -> Distribution:
    places = [*_site_packages(folder), *sys.path]
    found = next(iter(Distribution.discover(name=named.target, path=places)), None)
    if found is None:
        fix = f"Install it, or use `pypi:{named.target}`."
        raise FlowmapError(Problem(f"dist:{named.target}", f"is installed neither for {sys.executable} nor in a .venv here", fix))
    return found


def _site_packages(folder: Path) -> list[str]:
    """The site-packages of the nearest `.venv` or `venv`, in the folder or above it."""
    for place in (folder, *folder.parents):
        for name in (".venv", "venv"):
            if os.path.isfile(place / name / "pyvenv.cfg"):
                found = (*(place / name).glob("lib/python*/site-packages"), place / name / "Lib" / "site-packages")
                return [str(path) for path in found if path.is_dir()]
    return []


def _editable_folder(found: Distribution) -> Path | None:
    try:
        record = json.loads(found.read_text("direct_url.json") or "{}")
        url = urlsplit(record["url"]) if record.get("dir_info", {}).get("editable") else None
    except (ValueError, KeyError, AttributeError):
        return None
    folder = Path(url2pathname(url.path)) if url and url.scheme == "file" else None
    return folder if folder and folder.is_dir() else None


def _read_record(found: Distribution, label: str) -> FolderContent:
    recorded = _recorded(found)
    if recorded is None:
        raise FlowmapError(Problem(label, "has no list of its files", "Install it with pip, or name its folder."))
    inside = [path for path in recorded if ".." not in path.parts and not path.parts[0].endswith((".dist-info", ".egg-info"))]
    files, problems = [], []
    for path in sorted({path.as_posix(): path for path in inside if path.suffix in (".py", ".pyi")}.values()):
        read = _read(path.as_posix(), str(found.locate_file(path.as_posix())))
        files += [read] if isinstance(read, SourceFile) else []
        problems += [read] if isinstance(read, Problem) else []
    n_notebooks = sum(path.suffix == ".ipynb" for path in inside)
    return FolderContent(tuple(files), (*problems, *notebooks_left_out(n_notebooks)))


def _recorded(found: Distribution) -> list[PurePosixPath] | None:
    """The files that the installation wrote down, those that are gone, too: newer Pythons leave them out of `found.files`."""
    text = found.read_text("RECORD")
    if text is None:
        return None if found.files is None else [PurePosixPath(path) for path in found.files]
    return [PurePosixPath(row[0]) for row in csv.reader(text.splitlines()) if row]


def _read(path: str, location: str) -> SourceFile | Problem:
    try:
        return source_file(path, digest_of(Path(location).read_bytes()), location)
    except OSError as error:
        return Problem(path, f"cannot be read: {error.strerror}")
