"""Which release of which project a subject is, and whether a name is of that release."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from flowmap.model.query import Anchor, Name, Query

VERSION = "{version}"  # in a pattern of links
_PINNED = re.compile(r"\b(?:pypi|dist):(?P<project>[\w.-]+)==(?P<version>[\w.+!-]+)")
_ARCHIVE = re.compile(r"\S+(?:\.whl|\.tar\.gz|\.zip)\b")


@dataclass(frozen=True, slots=True)
class Release:
    """A project and its version."""

    project: str
    version: Version

    def __str__(self) -> str:
        return f"{self.project} {self.version}"


def public_link(pattern: str, release: Release | None) -> str:
    """The pattern of the public source of a release, its `{version}` filled in; "" where that is not known."""
    if release is None:
        return "" if VERSION in pattern else pattern
    return pattern.replace(VERSION, str(release.version))


def release_of(source: str) -> Release | None:
    """The release that the name of a source tells: `pypi:NAME==VERSION`, `dist:NAME==VERSION`, an archive by its name; None where
    none does, as of a folder."""
    if match := _PINNED.search(source):
        version = version_in(match["version"])
        return Release(canonicalize_name(match["project"]), version) if version else None
    archive = _ARCHIVE.search(source)
    return _of_archive(PurePath(archive[0]).name) if archive else None


def is_elsewhere(query: Query, release: Release | None) -> bool:
    """Whether a query is about another project than a release that is known."""
    return is_of_another(query.about, release)


def is_of_another(about: str, release: Release | None) -> bool:
    """Whether a project that is spoken of, "" for any, is another than that of a release that is known."""
    return release is not None and about != "" and canonicalize_name(about) != release.project


def version_in(text: str) -> Version | None:
    """A version; None where a text is none."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


def names_in(anchor: Anchor, release: Release | None) -> tuple[Name, ...]:
    """The names that a thing may have in a release; all of them where the release is not known."""
    return tuple(name for name in anchor.names if release is None or _holds(name, release.version))


def is_tied(anchor: Anchor) -> bool:
    """Whether a thing need not exist in every release."""
    return any(name.since or name.until for name in anchor.names)


def _holds(name: Name, version: Version) -> bool:
    return not (name.since and version < Version(name.since)) and not (name.until and version > Version(name.until))


def _of_archive(name: str) -> Release | None:
    try:
        if name.endswith(".whl"):
            project, version, *_ = parse_wheel_filename(name)
        else:
            project, version = parse_sdist_filename(name)
    except (InvalidWheelFilename, InvalidSdistFilename):
        return None
    return Release(project, version)
