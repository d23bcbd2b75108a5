"""How a source is named: `pypi:NAME`, `pypi:NAME==VERSION`, `dist:NAME`, `git:PATH@REV`, a folder, an archive."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from packaging.version import InvalidVersion, Version

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.typed import encodable

_PROJECT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
FORMS = "A source is `pypi:NAME`, `pypi:NAME==VERSION`, `dist:NAME`, `git:PATH@REV`, a folder, or a wheel, zip or sdist file."


class SourceKind(Enum):
    """What a source's name names."""

    RELEASE = "pypi"
    INSTALLED = "dist"
    REVISION = "git"
    FOLDER = "folder"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class SourceName:
    """A name, taken apart. `target` is a project or a path; `version` a version or a revision, "" when none is named."""

    kind: SourceKind
    target: str
    version: str = ""


def parse_name(text: str) -> SourceName:
    """Take a source's name apart. Errors: FlowmapError when it has no known form or names a path that is not there."""
    prefix, _, rest = text.partition(":")
    match prefix:
        case "pypi":
            return _project(SourceKind.RELEASE, text, rest)
        case "dist":
            return _project(SourceKind.INSTALLED, text, rest)
        case "git":
            return _revision(text, rest)
        case _:
            return _path(text)


def anchored(text: str, folder: Path) -> str:
    """The same name, seen from the working folder, where `text` was written in `folder`."""
    prefix, _, rest = text.partition(":")
    if prefix in ("pypi", "dist") or folder == Path.cwd():
        return text
    if prefix == "git":
        return f"git:{os.path.join(folder, os.path.expanduser(rest))}"
    return os.path.normpath(os.path.join(folder, os.path.expanduser(text)))


def shown_path(path: Path) -> str:
    """A path as the user would type it: from the working folder where it is below that, else in full."""
    try:
        below = path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)
    return str(path) if below == "." else below


def label_of(path: Path) -> str:
    """A path as it is kept and told: as `shown_path` has it, with an escape for what is not UTF-8."""
    return encodable(shown_path(path))


def label_named(text: str) -> str:
    """The label that indexes of a source are kept under, by its name."""
    return label_of(Path(os.path.abspath(text))) if os.path.exists(text) else text


def _project(kind: SourceKind, text: str, rest: str) -> SourceName:
    name, equals, version = rest.partition("==")
    name, version = name.strip(), version.strip()
    if not _PROJECT.fullmatch(name) or (equals and not version):
        raise FlowmapError(Problem(text, f"is not of the form {kind.value}:NAME or {kind.value}:NAME==VERSION", FORMS))
    if not version:
        return SourceName(kind, name)
    try:
        return SourceName(kind, name, str(Version(version)))
    except InvalidVersion:
        fix = f"Name one version exactly, such as `{kind.value}:{name}==1.0`."
        raise FlowmapError(Problem(text, f"`{version}` is not a version", fix)) from None


def _revision(text: str, rest: str) -> SourceName:
    """Both the path and the revision may hold an `@`: the first folder that is there decides."""
    for position in (match.start() for match in re.finditer("@", rest)):
        path = os.path.abspath(os.path.expanduser(rest[:position]))
        if rest[position + 1 :] and os.path.isdir(path):
            return SourceName(SourceKind.REVISION, path, rest[position + 1 :])
    if "@" not in rest.rstrip("@"):
        raise FlowmapError(Problem(text, "names no revision", f"Try `git:{rest.rstrip('@')}@HEAD`."))
    raise FlowmapError(Problem(text, f"there is no folder `{rest.rpartition('@')[0]}`", "Name the folder of a local clone."))


def _path(text: str) -> SourceName:
    path = os.path.abspath(os.path.expanduser(text))
    if os.path.isdir(path):
        return SourceName(SourceKind.FOLDER, path)
    if path.endswith((".py", ".pyi", ".ipynb")) and os.path.isfile(path):
        fix = f"Name the folder that it lies in: `--source {os.path.dirname(text) or '.'}`."
        raise FlowmapError(Problem(text, "is a single file, and a source is a folder, an archive or a release", fix))
    if os.path.isfile(path):
        return SourceName(SourceKind.ARCHIVE, path)
    if _PROJECT.fullmatch(text.partition("==")[0]):
        raise FlowmapError(Problem(text, "there is no such file or folder", f"Did you mean `pypi:{text}` or `dist:{text}`?"))
    raise FlowmapError(Problem(text, "there is no such file or folder", FORMS))
