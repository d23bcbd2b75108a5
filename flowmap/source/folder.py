"""The Python files of a folder."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.source import SourceFile
from flowmap.source.project import MARKERS, import_root, is_package, is_project
from flowmap.source.read import digest_of

_SUFFIXES = (".py", ".pyi")
_NEVER = frozenset({"__pycache__", "node_modules"})
_BUILT = frozenset({"build", "dist"})  # made by a build when they lie at a project's top; elsewhere names like any other
_METADATA = (".egg-info", ".dist-info", ".data")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where reading starts, the folder that paths are relative to, and which folders of the first level are left out."""

    start: Path
    root: Path
    left_out: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class FolderContent:
    """The files of a folder, sorted by path, and what was left out. Problems of the whole source have an empty `where`."""

    files: tuple[SourceFile, ...]
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Found:
    files: list[tuple[str, str]] = field(default_factory=list)  # (path, location)
    problems: list[Problem] = field(default_factory=list)
    n_notebooks: int = 0


def layout_of(folder: Path) -> Layout:
    """How a folder is read: a package of its own name, a project from where its packages are imported, else all that is in it."""
    if is_package(folder):
        return Layout(folder, folder.parent)
    if is_project(folder):
        root = import_root(folder)
        return Layout(root, root, _BUILT if root == folder else frozenset())
    projects = sorted(marker.parent.name for marker in folder.glob(f"*/{MARKERS[0]}") if not is_package(marker.parent))
    return Layout(folder, folder, _BUILT, _projects_below(folder, projects))


def read_folder(layout: Layout) -> FolderContent:
    """Find and digest the files. Links that lead out of the source and files that cannot be read are left out, as problems."""
    found = _find(layout)
    files = [file for path, location in sorted(found.files) if (file := _digested(path, location, found.problems))]
    problems = (*layout.problems, *notebooks_left_out(found.n_notebooks), *sorted(found.problems))
    return FolderContent(tuple(files), problems)


def source_file(path: str, digest: str, location: str) -> SourceFile:
    """A file with the module name that its path gives it. A stub package `name-stubs` declares the modules of `name`."""
    parts = path.rpartition(".")[0].split("/")
    is_package_file = parts[-1] == "__init__" and len(parts) > 1
    parts = parts[:-1] if is_package_file else parts
    is_stub = path.endswith(".pyi")
    if is_stub and len(path.split("/")) > 1:
        parts[0] = parts[0].removesuffix("-stubs")
    return SourceFile(path, ".".join(parts), is_package_file, is_stub, digest, location)


def notebooks_left_out(n_notebooks: int) -> tuple[Problem, ...]:
    """What is said of notebooks: nothing where there are none."""
    if not n_notebooks:
        return ()
    what = "1 notebook is left out" if n_notebooks == 1 else f"{n_notebooks} notebooks are left out"
    return (Problem("", what, "Export what matters with `jupyter nbconvert --to script`."),)


def _projects_below(folder: Path, projects: list[str]) -> tuple[Problem, ...]:
    if not projects:
        return ()
    what = f"is no project itself but holds some: {', '.join(projects)}; modules are named from the folder given"
    return (Problem("", what, f"To index one of them, name it: `--source {folder / projects[0]}`."),)


def _find(layout: Layout) -> _Found:
    found = _Found()
    open_folders = [layout.start]
    while open_folders:
        folder = open_folders.pop()
        left_out = layout.left_out if folder == layout.root else frozenset()
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            if folder == layout.start:
                raise FlowmapError(Problem(str(folder), f"cannot be read: {error.strerror}")) from error
            found.problems.append(Problem(_below(layout, folder), f"cannot be read: {error.strerror}"))
            continue
        for entry in entries:
            if _is_folder(entry):
                open_folders += [Path(entry.path)] if _is_wanted(entry, left_out) else []
            else:
                _sort_in(entry, layout, found)
    return found


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Links to folders are not followed: they may lead out, or in a circle."""
    return entry.is_dir(follow_symlinks=False)


def _is_wanted(entry: os.DirEntry[str], left_out: frozenset[str]) -> bool:
    name = entry.name
    if name.startswith(".") or name in _NEVER or name.endswith(_METADATA):
        return False
    if name in left_out and not is_package(Path(entry.path)):
        return False
    return not os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))


def _sort_in(entry: os.DirEntry[str], layout: Layout, found: _Found) -> None:
    if entry.name.endswith(".ipynb"):
        found.n_notebooks += 1
    elif entry.is_symlink() and entry.is_dir():
        found.problems.append(Problem(_below(layout, Path(entry.path)), "is a link to a folder and is left out"))
    elif entry.name.endswith(_SUFFIXES):
        if problem := _why_not(entry, layout):
            found.problems.append(Problem(_below(layout, Path(entry.path)), problem))
        else:
            found.files.append((_below(layout, Path(entry.path)), entry.path))


def _why_not(entry: os.DirEntry[str], layout: Layout) -> str:
    """Why a file cannot be part of the source, "" when it can."""
    if not entry.is_file():
        return "is not a plain file and is left out"
    if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(layout.start.resolve()):
        return "is a link that leads out of the source and is left out"
    path = Path(entry.path).relative_to(layout.root).as_posix()
    return "" if path.isprintable() else "has a name that is not text and is left out"


def _below(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.root).as_posix().encode("utf-8", "backslashreplace").decode("utf-8")


def _digested(path: str, location: str, problems: list[Problem]) -> SourceFile | None:
    try:
        content = Path(location).read_bytes()
    except OSError as error:
        problems.append(Problem(path, f"cannot be read: {error.strerror}"))
        return None
    return source_file(path, digest_of(content), location)
