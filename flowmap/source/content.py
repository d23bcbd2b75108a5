"""What stands in a kept source's folder of the cache, read without unpacking or fetching anything."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.source import OpenedSource
from flowmap.source.cache_places import in_folder
from flowmap.source.folder import source_file

UNPACKED = "unpacked-1"
CONTENT = "content.json"
HASH_SUFFIX = ".sha256"
_HASH_DIGITS = 64


@dataclass(frozen=True, slots=True)
class KeptArchive:
    """An archive in the cache, and its hash."""

    archive: Path
    sha256: str


def release_address(project: str, version: str) -> str:
    """The folder of a release below `releases/`, the project's name as the package index spells it (PEP 503)."""
    return f"{re.sub(r'[-_.]+', '-', project).lower()}=={version}"


def kept_archive(home: Path) -> KeptArchive | None:
    """The archive whose hash file was written, which is done last."""
    for record in in_folder(home, "*" + HASH_SUFFIX):
        archive = record.with_name(record.name.removesuffix(HASH_SUFFIX))
        digest = text_of(record).partition(" ")[0]
        if os.path.isfile(archive) and len(digest) == _HASH_DIGITS:
            return KeptArchive(archive, digest)
    return None


def is_unpacked(home: Path) -> bool:
    """Whether the folder holds a whole unpacked source."""
    return os.path.isfile(home / UNPACKED / CONTENT)


def read_content(home: Path, label: str, identity: str) -> OpenedSource:
    """The unpacked source in a folder. Problems without a place get the label.

    Errors: FlowmapError when what the folder says of itself is harmed.
    """
    unpacked = home / UNPACKED
    try:
        record = json.loads((unpacked / CONTENT).read_text(encoding="utf-8"))
    except ValueError as error:
        what = f"what the cache keeps of {label} is harmed"
        raise FlowmapError(Problem(str(unpacked / CONTENT), what, "`flowmap cache prune` clears the cache.")) from error
    files = os.path.join(unpacked, "files")
    return OpenedSource(
        label,
        identity,
        tuple(source_file(path, digest, os.path.join(files, below)) for path, digest, below in record["files"]),
        tuple((name, target) for name, target in record["entry_points"]),
        tuple(Problem(where or label, what, fix) for where, what, fix in record["problems"]),
    )


def text_of(path: Path) -> str:
    """A small text of the cache, "" where there is none."""
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""
