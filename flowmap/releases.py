"""Releases side by side: each is opened and read once, and compared once with its neighbour; then the ledger answers."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from flowmap.drift.changed import by_symbol
from flowmap.drift.fields import match_fields
from flowmap.drift.history import Line
from flowmap.drift.ledger import Ledger, open_ledger
from flowmap.drift.matching import match_definitions
from flowmap.extract.sketch import sketch_file
from flowmap.gather import collector_off
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.progress import Progress
from flowmap.model.sketch import pack_sketch
from flowmap.model.source import OpenedSource, SourceFile
from flowmap.source.cache_places import drift_folder, record_use
from flowmap.source.facts import facts_key
from flowmap.source.open import open_source
from flowmap.source.read import read_bytes
from flowmap.source.ready import kept_identity
from flowmap.warm import own_files

FEW_FILES = 64  # are read in this process: others would take longer to start
FILES_A_CHUNK = 24
MAKES_SKETCHES = ("extract", "model", "drift/ledger.sql")  # what decides which rows of a release a ledger has
MAKES_PAIRS = ("drift",)  # and what became of it in another
MOST_LEDGERS = 2  # of several versions of flowmap

Packed = tuple[str, bytes]  # a file's key, and its sketch


@dataclass(frozen=True, slots=True)
class Compared:
    """The line of the releases that could be opened, their names in its order, and what is wrong with the others."""

    line: Line
    labels: tuple[str, ...]
    problems: tuple[Problem, ...]


@contextlib.contextmanager
def compared(sources: Sequence[str], excludes: tuple[str, ...], progress: Progress) -> Iterator[Compared]:
    """All releases that can be opened, in the order in which they are named, each read and compared with the one before.

    Errors: FlowmapError when none can be opened.
    """
    path = drift_folder() / f"{making_of(MAKES_SKETCHES)}.sqlite"
    with open_ledger(path, making_of(MAKES_PAIRS)) as ledger:
        drop_older(path)
        numbers: list[int] = []
        labels: list[str] = []
        problems: list[Problem] = []
        for source in sources:
            try:
                numbers.append(entered(ledger, source, excludes, progress))
                labels.append(source)
            except FlowmapError as error:
                problems += error.problems
        if not numbers:
            raise FlowmapError(*dict.fromkeys(problems))
        pairs = tuple(pair_of(ledger, *both, progress) for both in pairwise(numbers))
        record_use(drift_folder(), "")
        yield Compared(Line(ledger, tuple(numbers), pairs), tuple(labels), tuple(dict.fromkeys(problems)))


def entered(ledger: Ledger, source: str, excludes: tuple[str, ...], progress: Progress) -> int:
    """The number of a release in the ledger; it is read now where it is not there yet."""
    identity = None if excludes else kept_identity(source)
    known = ledger.release(identity) if identity else None
    if known is not None:
        return known
    opened = open_source(source, excludes, progress)
    known = ledger.release(opened.identity)
    return known if known is not None else read_release(ledger, opened, progress)


def read_release(ledger: Ledger, opened: OpenedSource, progress: Progress) -> int:
    """Reads those files of a release that no release in the ledger holds."""
    files = {facts_key(file): file for file in opened.files}
    known = ledger.files(files)
    missing = {key: file for key, file in files.items() if key not in known}
    progress.start(f"reading {opened.label}", len(missing))
    try:
        made = list(drawn(missing, progress))  # before the ledger is written: others may want to write it, too
        with collector_off():
            return ledger.add_release(opened.identity, list(files), made)
    finally:
        progress.finish()


def drawn(files: dict[str, SourceFile], progress: Progress) -> Iterator[Packed]:
    """The packed sketches of files by key, made by several processes where they are many."""
    rows = list(files.items())
    chunks = [rows[start : start + FILES_A_CHUNK] for start in range(0, len(rows), FILES_A_CHUNK)]
    workers = os.cpu_count() or 1
    if len(rows) <= FEW_FILES or workers == 1:
        yield from told(map(sketched, chunks), progress)
        return
    try:
        with ProcessPoolExecutor(workers) as executor:
            yield from told(executor.map(sketched, chunks), progress)
    except BrokenProcessPool:
        what = "a process that reads them was killed, most likely because memory ran out"
        fix = "Leave files out with --exclude GLOB, or give it more memory, and try again."
        raise FlowmapError(Problem(f"{len(rows)} files", what, fix)) from None


def told(done: Iterator[list[Packed]], progress: Progress) -> Iterator[Packed]:
    """What comes back, chunk by chunk."""
    for packed in done:
        progress.advance(len(packed))
        yield from packed


def sketched(files: Sequence[tuple[str, SourceFile]]) -> list[Packed]:
    """The packed sketches of files; runs in a worker."""
    with collector_off():
        return [(key, zlib.compress(pack_sketch(sketch_file(file, read_bytes(file))), 1)) for key, file in files]


def pair_of(ledger: Ledger, before: int, after: int, progress: Progress) -> int:
    """The number of two neighbours that were compared; they are compared now where that was not done yet."""
    known = ledger.pair(before, after)
    if known is not None:
        return known
    progress.start("comparing two releases", 0)
    try:
        with collector_off():
            files = ledger.only_in(before, after), ledger.only_in(after, before)
            sides = by_symbol(files[0]), by_symbol(files[1])
            matching = match_definitions(*sides)
            fields = tuple([one for file in side for one in file.fields] for side in files)
            return ledger.add_pair(before, after, (matching, match_fields(sides, (fields[0], fields[1]), matching)))
    finally:
        progress.finish()


@cache
def making_of(names: tuple[str, ...]) -> str:
    """Names some code of flowmap, and the Python whose parser it uses."""
    digest = hashlib.blake2b(".".join(map(str, sys.version_info[:3])).encode(), digest_size=8)
    for own in own_files(Path(__file__).parent, names):
        digest.update(" ".join(map(str, own)).encode())
    return digest.hexdigest()


def drop_older(path: Path) -> None:
    """Removes the ledgers of all but the last versions of flowmap."""
    others = sorted((one for one in path.parent.glob("*.sqlite") if one != path), key=lambda one: -one.stat().st_mtime)
    for one in others[MOST_LEDGERS - 1 :]:
        for part in one.parent.glob(f"{one.name}*"):
            part.unlink(missing_ok=True)
