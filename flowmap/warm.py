"""The index of a subject that was made before, found by what it was made from. Imports little: every run begins here."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from flowmap.model.assumption import Configuration
from flowmap.model.source import OpenedSource, SubjectChoice
from flowmap.source.cache_places import cache_folder, record_use
from flowmap.source.hints import with_hints
from flowmap.source.merge import merge_sources
from flowmap.source.ready import open_ready
from flowmap.store.format import FORMAT, IndexOutdated
from flowmap.store.index import Index, open_file

EVERYTHING = Configuration()
MAKES_INDEX = (
    *("configure", "extract", "flow", "link", "model", "solve", "source", "store", "subject"),
    *("configured.py", "edited.py", "gather.py", "kept.py", "pipeline.py", "stubs.py", "warm.py"),
)  # what decides the content of an index; the other rooms only read it


def ready_index(choice: SubjectChoice, configuration: Configuration = EVERYTHING) -> Index | None:
    """The index that is kept for a subject none of whose sources has to be fetched or unpacked; None where that is not so.

    Errors: FlowmapError when a source does not exist or holds no Python file.
    """
    opened = []
    for name in choice.sources:
        source = open_ready(name, choice.excludes)
        if source is None:
            return None
        opened.append(source)
    return open_kept(with_hints(merge_sources(tuple(opened)), choice.hints), configuration)


def open_kept(opened: OpenedSource, configuration: Configuration = EVERYTHING) -> Index | None:
    """The index that is kept for exactly this content, made by exactly this flowmap; None when there is none."""
    path = index_path(opened, configuration)
    with contextlib.suppress(IndexOutdated, FileNotFoundError):
        index = open_file(path, locations_of(opened))
        record_use(path, label_of(opened, configuration))
        return index
    return None


def index_path(opened: OpenedSource, configuration: Configuration = EVERYTHING) -> Path:
    """Where the index of a subject is kept, in one configuration where one is given."""
    name = fingerprint(opened)
    if configuration.assumptions:
        assumed = "\n".join(map(str, (configuration.name, *configuration.assumptions)))
        name += f"-{hashlib.blake2b(assumed.encode(), digest_size=8).hexdigest()}"
    return cache_folder() / "index" / f"{name}.sqlite"


def locations_of(opened: OpenedSource) -> Mapping[str, str]:
    """Where the files of a subject lie, by path, but for those that flowmap itself keeps in its cache."""
    cache = os.path.join(cache_folder(), "")
    return {file.path: os.path.abspath(file.location) for file in opened.files if not file.location.startswith(cache)}


def label_of(opened: OpenedSource, configuration: Configuration) -> str:
    """A subject as a user names it, with the configuration."""
    return f"{opened.label} under {configuration.name}" if configuration.assumptions else opened.label


def fingerprint(opened: OpenedSource) -> str:
    """Changes with the subject's content, with the code of flowmap that makes indexes and with the format."""
    digest = hashlib.blake2b(f"{opened.identity} {opened.label} {FORMAT}".encode(), digest_size=16)
    for name, size, changed in own_files(Path(__file__).parent, MAKES_INDEX):
        digest.update(f"{name} {size} {changed}".encode())
    return digest.hexdigest()


def making_of(opened: OpenedSource) -> str:
    """Changes with all that decides an index but the content of the subject's files."""
    beside = (opened.label, FORMAT, opened.entry_points, opened.problems, opened.hints)
    digest = hashlib.blake2b(repr(beside).encode("utf-8", "surrogatepass"), digest_size=16)
    for own in own_files(Path(__file__).parent, MAKES_INDEX):
        digest.update(repr(own).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def own_files(folder: Path, names: Iterable[str]) -> list[tuple[str, int, int]]:
    """The files of some modules and packages of flowmap, sorted: (path, size in bytes, time of change in ns)."""
    return sorted(own for name in names for own in _files_of(folder / name))


def _files_of(place: Path) -> Iterator[tuple[str, int, int]]:
    if place.is_file():
        yield _stamp(str(place), place.stat())
        return
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files_of(Path(entry.path))
            elif entry.name.endswith((".py", ".sql", ".toml")):
                yield _stamp(entry.path, entry.stat())


def _stamp(path: str, stat: os.stat_result) -> tuple[str, int, int]:
    return path, stat.st_size, stat.st_mtime_ns
