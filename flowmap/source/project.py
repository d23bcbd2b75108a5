"""The Python packages of a project folder, and the folder from which they are imported.

Folders that may not be looked into count as empty: `os.path` answers False there where `pathlib` raises.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from flowmap.source.config import table_at, texts, toml_of_subject

MARKERS = ("pyproject.toml", "setup.py", "setup.cfg")
# Folders that projects keep beside their package: never what the project is about.
_BESIDE = frozenset(
    {"benchmark", "benchmarks", "doc", "docs", "example", "examples", "scripts", "test", "testing", "tests", "tools"},
)


def packages_of_project(folder: Path) -> tuple[Path, ...]:
    """The packages of the project that the folder lies in: folders that can be named as sources; none where there is none."""
    project = _project_around(folder)
    root = import_root(project)
    if root != project:
        return (root,)
    packages = tuple(path for path in _children(project) if is_package(path) and path.name not in _BESIDE)
    named = tuple(path for path in packages if _plain(path.name) == _plain(project_name(project)))
    if packages:
        return named or packages
    return (project,) if is_project(project) and _has_modules(project) else ()


def import_root(project: Path) -> Path:
    """The folder that a project's packages are imported from: what its build configuration says, else `src`, else itself."""
    if not is_project(project):
        return project
    for name in (*_configured_roots(project), "src"):
        root = project / name
        if root.is_dir() and root.resolve().is_relative_to(project.resolve()) and not is_package(root) and _holds_python(root):
            return root if root.resolve() != project.resolve() else project
    return project


def is_project(folder: Path) -> bool:
    """Whether a folder holds the files by which a Python project is built."""
    return any(os.path.isfile(folder / marker) for marker in MARKERS)


def is_package(folder: Path) -> bool:
    """Whether a folder is a regular package."""
    return any(os.path.isfile(folder / name) for name in ("__init__.py", "__init__.pyi"))


def project_name(project: Path) -> str:
    """The name that `pyproject.toml` gives the project, else the folder's."""
    name = _part(project, "project").get("name")
    return name if isinstance(name, str) else project.name


def _project_around(folder: Path) -> Path:
    """The nearest project at or above the folder; without one, the folder itself, or the one that holds its topmost package."""
    for place in (folder, *folder.parents):
        if is_project(place):
            return place
    while is_package(folder) and folder.parent != folder:
        folder = folder.parent
    return folder


def _configured_roots(project: Path) -> tuple[str, ...]:
    setuptools = _part(project, "tool", "setuptools")
    where = texts((table_at(setuptools, "packages", "find") or {}).get("where", [])) or ()
    top = texts((table_at(setuptools, "package-dir") or {}).get("", [])) or ()
    return (*top, *where)


def _part(project: Path, *keys: str) -> Mapping[str, object]:
    path = project / "pyproject.toml"
    return table_at(toml_of_subject(path), *keys) or {}


def _children(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if os.path.isdir(path) and not path.name.startswith("."))


def _has_modules(folder: Path) -> bool:
    return any(path.name not in ("setup.py", "conftest.py", "noxfile.py") for path in folder.glob("*.py"))


def _holds_python(folder: Path) -> bool:
    return next(folder.rglob("*.py"), None) is not None


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()
