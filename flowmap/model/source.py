"""The subject: which sources were chosen, and the files that they hold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from flowmap.model.hint import Hint
from flowmap.model.problem import Problem


class SourceFile(NamedTuple):
    """One `.py` or `.pyi` file of the subject, without its text. Small enough to be sent to a worker process,
    and a named tuple: each run makes all of them.

    `path` is posix, below the source root, and begins with the package. `digest` follows from the content alone.
    `location` is where `flowmap.source.read.read_bytes` finds the text; a file of an archive has been unpacked to there.
    """

    path: str
    module: str
    is_package: bool
    is_stub: bool  # a .pyi; the .py of the same module, where there is one, is kept beside it
    digest: str
    location: str


EntryPointName = tuple[str, str]  # (name of the command, "package.module:function")


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A source, ready to be read. `files` and `entry_points` are sorted; `identity` changes when any content changes."""

    label: str  # as the user would name it, with the version that was resolved
    identity: str
    files: tuple[SourceFile, ...]
    entry_points: tuple[EntryPointName, ...] = ()
    problems: tuple[Problem, ...] = ()
    hints: tuple[Hint, ...] = ()


@dataclass(frozen=True, slots=True)
class SubjectChoice:
    """What is to be indexed, and who said so."""

    sources: tuple[str, ...]
    excludes: tuple[str, ...]
    why: str  # "named by --source", "from flowmap.toml"
    link: str = ""  # pattern with {path} and {line}, "" when none is configured
    config: Path | None = None  # the configuration file that was found
    is_named: bool = False  # on the command line: whoever asked knows which it is
    beside: tuple[Problem, ...] = ()  # what lies beside the sources and is left out
    hints: tuple[Hint, ...] = ()


class CacheKind(StrEnum):
    """What a cache entry holds."""

    RELEASE = "release"
    INDEX = "index"
    FACTS = "facts"
    STUBS = "stubs"
    DRIFT = "drift"


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One thing that is kept in the user's cache folder and can be made again."""

    kind: CacheKind
    name: str
    source: str  # label of the source that it came from, "" when that was not recorded
    n_bytes: int
    used: float  # seconds since the epoch at which it was last used
    path: Path
