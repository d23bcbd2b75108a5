"""Which files `--exclude` leaves out."""

from __future__ import annotations

from fnmatch import fnmatchcase

from flowmap.model.source import SourceFile


def without_excluded(files: tuple[SourceFile, ...], globs: tuple[str, ...]) -> tuple[SourceFile, ...]:
    """The files whose path no glob matches."""
    return tuple(file for file in files if not any(excludes(glob, file.path) for glob in globs))


def excludes(glob: str, path: str) -> bool:
    """Whether a glob matches a posix path, in full and with case.

    `*` and `?` match any characters, `/` too; `[...]` one of several; `**/` any folders, or none. A glob that matches a
    folder matches all below it: `pkg/tests`, `pkg/tests/` and `pkg/tests/*` say the same.
    """
    folder = glob.rstrip("/") + "/*"
    return any(fnmatchcase(path, variant) for pattern in (glob, folder) for variant in _variants(pattern))


def _variants(pattern: str) -> tuple[str, ...]:
    without_folders = pattern.removeprefix("**/").replace("/**/", "/")
    return pattern, pattern.removeprefix("**/"), without_folders
