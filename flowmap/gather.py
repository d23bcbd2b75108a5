"""The facts of all files: those that are kept, and the others extracted anew, by an executor where there are many."""

from __future__ import annotations

import gc
import hashlib
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flowmap.extract.extract import extract
from flowmap.model.facts import FACTS_FORMAT, FileFacts, pack, unpack
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.progress import Progress
from flowmap.model.source import SourceFile
from flowmap.source.facts import files_seen, keep_facts, kept_facts
from flowmap.source.read import read_bytes
from flowmap.warm import own_files

FEW_FILES = 64  # are extracted in this process, and their facts not kept: all else would take longer
CHUNKS_A_WORKER = 12  # so that no worker waits long for the last one
FILES_A_CHUNK = 16  # of what is sent to workers elsewhere
MAKES_FACTS = ("extract", "model")  # the rooms that decide what the facts of a file are

Packed = tuple[str, bytes]  # a file's path, and its facts
Shipped = tuple[SourceFile, bytes]  # a file with its content, for a worker that cannot read it


@dataclass(frozen=True, slots=True)
class Unseen:
    """How many lines of a subject stand in files that have not been seen before, by their content: what an index has to read."""

    n_lines: int  # of all files
    n_unseen: int

    @property
    def share(self) -> float:
        """Of all lines."""
        return self.n_unseen / self.n_lines if self.n_lines else 0.0

    def __str__(self) -> str:
        return f"{self.n_unseen:,} of {self.n_lines:,} lines ({self.share:.0%}) stand in files not seen before"


def unseen(files: Sequence[SourceFile]) -> Unseen:
    """What has to be read of some files. Errors: FlowmapError when one of them cannot be read."""
    seen = files_seen(files, making_of_facts())
    lines = {file.path: read_bytes(file).count(b"\n") for file in files}
    return Unseen(sum(lines.values()), sum(number for path, number in lines.items() if path not in seen))


def gather_facts(files: Sequence[SourceFile], progress: Progress, executor: Executor | None = None) -> list[FileFacts]:
    """The facts of all files. An `executor` gets the contents of those whose facts are not kept, so its workers share no disk.

    Errors: FlowmapError when a process that extracts is killed.
    """
    if executor is None and len(files) <= FEW_FILES:
        return extract_here(files, progress)
    progress.start("reading files", len(files))
    found = dict(kept_facts(files, making_of_facts()))
    progress.advance(len(found))
    missing = [file for file in files if file.path not in found]
    made = dict(extract_missing(missing, progress, executor))
    progress.finish()
    if made:
        keep_facts(((file, made[file.path]) for file in missing), making_of_facts())
        gc.collect()  # what the processes left behind: nothing is unpacked yet, so there is little to look through
    return [unpacked(found.pop(file.path, b"") or made.pop(file.path)) for file in files]


def extract_here(files: Sequence[SourceFile], progress: Progress) -> list[FileFacts]:
    """The facts of files, in this process."""
    progress.start("reading files", len(files))
    facts = []
    for file in files:
        facts.append(extract(file, read_bytes(file)))
        progress.advance(1)
    progress.finish()
    return facts


def extract_missing(files: Sequence[SourceFile], progress: Progress, executor: Executor | None) -> Iterator[Packed]:
    """The packed facts of files that are not kept: here where they are few, else in processes of their own or by an executor."""
    workers = os.cpu_count() or 1
    if executor is not None:
        yield from extract_afar(executor, files, progress)
    elif len(files) <= FEW_FILES or workers == 1:
        yield from told((([file], extract_packed([file])) for file in files), progress)
    else:
        yield from extract_in_processes(files, workers, progress)


def extract_in_processes(files: Sequence[SourceFile], workers: int, progress: Progress) -> Iterator[Packed]:
    """The packed facts of files, by processes on this machine, which read the files themselves."""
    try:
        with ProcessPoolExecutor(workers) as executor:
            yield from extract_in(executor, files, workers, progress)
    except BrokenProcessPool:
        progress.finish()
        what = "a process that reads them was killed, most likely because memory ran out"
        fix = "Leave files out with --exclude GLOB, or give it more memory, and try again."
        raise FlowmapError(Problem(f"{len(files)} files", what, fix)) from None


def extract_in(executor: Executor, files: Sequence[SourceFile], workers: int, progress: Progress) -> Iterator[Packed]:
    """The packed facts of files, by an executor whose workers read them. The result does not hang on who was faster."""
    chunks = [files[start :: workers * CHUNKS_A_WORKER] for start in range(workers * CHUNKS_A_WORKER)]
    yield from told(zip(chunks, executor.map(extract_packed, chunks), strict=True), progress)


def extract_afar(executor: Executor, files: Sequence[SourceFile], progress: Progress) -> Iterator[Packed]:
    """The packed facts of files, by an executor whose workers get the contents with each call."""
    chunks = [files[start : start + FILES_A_CHUNK] for start in range(0, len(files), FILES_A_CHUNK)]
    shipped = ([(file, read_bytes(file)) for file in chunk] for chunk in chunks)
    waiting = [executor.submit(extract_shipped, contents) for contents in shipped]
    yield from told(zip(chunks, (one.result() for one in waiting), strict=True), progress)


def told(done: Iterable[tuple[Sequence[SourceFile], Sequence[Packed]]], progress: Progress) -> Iterator[Packed]:
    """What comes back, chunk by chunk."""
    for chunk, packed in done:
        progress.advance(len(chunk))
        yield from packed


def extract_packed(files: Sequence[SourceFile]) -> list[Packed]:
    """The packed facts of files; runs in a worker that can read them."""
    return packed_by(read_bytes, files)


def extract_shipped(shipped: Sequence[Shipped]) -> list[Packed]:
    """The packed facts of files that come with their contents; runs in a worker anywhere."""
    contents: Mapping[str, bytes] = {file.path: content for file, content in shipped}
    return packed_by(lambda file: contents[file.path], [file for file, _ in shipped])


def packed_by(content_of: Callable[[SourceFile], bytes], files: Iterable[SourceFile]) -> list[Packed]:
    """The packed facts of files. The collector rests: what is made lives until it is packed."""
    with collector_off():
        return [(file.path, zlib.compress(pack(extract(file, content_of(file))), 1)) for file in files]


def unpacked(packed: bytes) -> FileFacts:
    """Facts as they were before they were packed."""
    facts = unpack(zlib.decompress(packed))
    assert facts is not None, "facts are kept apart by what made them"
    return facts


@cache
def making_of_facts() -> str:
    """Names what decides the facts of a file besides its content: the code that extracts, and the Python whose parser it uses."""
    version = ".".join(map(str, sys.version_info[:3]))
    digest = hashlib.blake2b(f"{FACTS_FORMAT} {version}".encode(), digest_size=8)
    for own in own_files(Path(__file__).parent, MAKES_FACTS):
        digest.update(" ".join(map(str, own)).encode())
    return digest.hexdigest()


@contextmanager
def collector_off() -> Iterator[None]:
    """Runs a block without garbage collection."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
