"""The arrows of the architecture as one function: source → facts → program → solution → index."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from flowmap.extract.extract import extract
from flowmap.extract.text import expression_at, parsed_text
from flowmap.kept import index_path, locations_of, open_kept, open_subject
from flowmap.link.link import link
from flowmap.model.facts import FileFacts, pack, unpack
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.progress import Progress
from flowmap.model.source import OpenedSource, SourceFile, SubjectChoice
from flowmap.model.typed import encodable
from flowmap.solve.rules import RULES, Rule
from flowmap.solve.solve import Options, solve
from flowmap.solve.state import State
from flowmap.source.cache import drop_older_indexes, record_use
from flowmap.source.read import read_bytes
from flowmap.store.index import Index, index_in_memory, open_file
from flowmap.store.tables import Subject, tables_of
from flowmap.store.write import IndexTables, write_index
from flowmap.stubs import read_stub

FEW_FILES = 64  # are extracted in this process: others would take longer to start
MOST_INDEXES = 3  # kept of one subject
CHUNKS_A_WORKER = 12  # so that no worker waits long for the last one


def open_index(choice: SubjectChoice, progress: Progress) -> Index:
    """The index of a subject: the one that is kept, if nothing has changed since, else a new one."""
    opened = open_subject(choice, progress)
    return open_kept(opened) or make_index(opened, progress)


def make_index(opened: OpenedSource, progress: Progress) -> Index:
    """A new index, kept for the next time; from memory, with a word about it, where nothing can be kept."""
    return keep_index(build_tables(opened, progress), index_path(opened), opened.label, locations_of(opened))


def keep_index(tables: IndexTables, path: Path, label: str, locations: Mapping[str, str]) -> Index:
    """An index, written where it is kept; from memory, with a word about it, where nothing can be written."""
    try:
        write_index(path, tables)
        record_use(path, label)
        drop_older_indexes(label, MOST_INDEXES)
    except OSError as error:
        note = Problem(
            str(path.parent), f"the index cannot be kept there: {error.strerror}", "Name another folder in FLOWMAP_CACHE."
        )
        return index_in_memory(with_problem(tables, note), locations)
    return open_file(path, locations)


def with_problem(tables: IndexTables, problem: Problem) -> IndexTables:
    """The same rows and one problem more."""
    row = tuple(map(encodable, (problem.where, problem.what, problem.fix)))
    return replace(tables, problem=[*tables.problem, row])


def build_tables(opened: OpenedSource, progress: Progress, rules: tuple[Rule, ...] = RULES) -> IndexTables:
    """The rows of a subject's index. The collector rests meanwhile: what is made here lives until the end."""
    with collector_off():
        facts = extract_all(opened.files, progress)
        progress.start("linking and solving", 0)
        state = solve(link(facts), Options(rules, hints=opened.hints, read_stub=read_stub))
        progress.finish()
        tables = tables_for(state, opened)
        state.let_go()
        return tables


def tables_for(state: State, opened: OpenedSource) -> IndexTables:
    """The rows of an index, from the solved program."""
    texts = Texts({file.path: file for file in opened.files})
    subject = Subject(
        digests={file.path: file.digest for file in opened.files},
        entry_points=opened.entry_points,
        problems=opened.problems,
        text_of=texts.of,
        expression_at=texts.expression,
        cut=texts.cut,
        meta={"source": opened.label, "identity": opened.identity, "hints": "\n".join(hint.where for hint in opened.hints)},
    )
    return tables_of(state, subject)


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


@dataclass(slots=True)
class Texts:
    """The texts of the subject's files, read when first asked for; the lines of the last file are kept."""

    files: Mapping[str, SourceFile]
    last: tuple[str, list[bytes]] = ("", [])

    def of(self, path: str) -> bytes:
        """A file's text in UTF-8, line for line as the parser counts."""
        return parsed_text(read_bytes(self.files[path]))

    def expression(self, path: str, start: tuple[int, int], end: tuple[int, int]) -> str:
        """The unparsed text of an expression."""
        return expression_at(self.lines(path), start, end)

    def cut(self, path: str, start: tuple[int, int], end: tuple[int, int]) -> str:
        """The text between two positions, on one line."""
        (first, col), (last, end_col) = start, end
        lines = self.lines(path)
        if first == last:
            return lines[first - 1][col:end_col].decode("utf-8", "replace")
        rows = [lines[first - 1][col:], *lines[first : last - 1], lines[last - 1][:end_col]]
        return " ".join(b" ".join(rows).decode("utf-8", "replace").split())

    def lines(self, path: str) -> list[bytes]:
        """The lines of a file."""
        if self.last[0] != path:
            self.last = (path, self.of(path).split(b"\n"))
        return self.last[1]


# ---------------------------------------------------------------- extraction


def extract_all(files: Sequence[SourceFile], progress: Progress) -> Iterable[FileFacts]:
    """The facts of all files, in processes of their own where there are many."""
    workers = os.cpu_count() or 1
    if len(files) <= FEW_FILES or workers == 1:
        return extract_here(files, progress)
    try:
        with ProcessPoolExecutor(workers) as executor:
            return extract_in(executor, files, workers, progress)
    except BrokenProcessPool:
        progress.finish()
        what = "a process that reads them was killed, most likely because memory ran out"
        fix = "Leave files out with --exclude GLOB, or give it more memory, and try again."
        raise FlowmapError(Problem(f"{len(files)} files", what, fix)) from None


def extract_here(files: Sequence[SourceFile], progress: Progress) -> list[FileFacts]:
    """The facts of files, in this process."""
    progress.start("reading files", len(files))
    facts = []
    for file in files:
        facts.append(extract(file, read_bytes(file)))
        progress.advance(1)
    progress.finish()
    return facts


def extract_in(executor: Executor, files: Sequence[SourceFile], workers: int, progress: Progress) -> list[FileFacts]:
    """The facts of files, by an executor. The order of the result does not hang on who was faster."""
    chunks = [files[start :: workers * CHUNKS_A_WORKER] for start in range(workers * CHUNKS_A_WORKER)]
    progress.start("reading files", len(files))
    facts: list[FileFacts] = []
    for chunk, packed in zip(chunks, executor.map(extract_packed, chunks), strict=True):
        facts.extend(unpacked(packed))
        progress.advance(len(chunk))
    progress.finish()
    return facts


def extract_packed(files: Sequence[SourceFile]) -> list[bytes]:
    """The packed facts of files; runs in a worker."""
    with collector_off():
        return [pack(extract(file, read_bytes(file))) for file in files]


def unpacked(packed: Iterable[bytes]) -> Iterator[FileFacts]:
    """Facts as they were before they were packed."""
    for one in packed:
        facts = unpack(one)
        assert facts is not None, "a worker packs in this version's format"
        yield facts
