"""The arrows of the architecture as one function: source → facts → program → solution → index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from flowmap.edited import moved_index
from flowmap.extract.text import cut_at, expression_at, parsed_text
from flowmap.gather import collector_off, gather_facts
from flowmap.kept import index_path, locations_of, making_of, open_kept, open_subject
from flowmap.link.link import link
from flowmap.model.facts import FileFacts
from flowmap.model.problem import Problem
from flowmap.model.progress import Progress
from flowmap.model.source import OpenedSource, SourceFile, SubjectChoice
from flowmap.model.typed import encodable
from flowmap.solve.rules import RULES, Rule
from flowmap.solve.solve import Options, solve
from flowmap.solve.state import State
from flowmap.source.cache import note_kept
from flowmap.source.read import read_bytes
from flowmap.store.index import Index, open_file
from flowmap.store.memory import index_in_memory
from flowmap.store.tables import Subject, tables_of
from flowmap.store.write import IndexTables, write_index
from flowmap.stubs import read_stub


def open_index(choice: SubjectChoice, progress: Progress, executor: Executor | None = None) -> Index:
    """The index of a subject: the one that is kept, if nothing has changed since, else a new one."""
    opened = open_subject(choice, progress)
    return open_kept(opened) or make_index(opened, progress, executor)


def make_index(opened: OpenedSource, progress: Progress, executor: Executor | None = None) -> Index:
    """A new index, kept for the next time; from memory, with a word about it, where nothing can be kept. Where an edit has only
    moved lines, it is the one from before with other lines."""
    moved = moved_index(opened)
    if moved is not None:
        return moved
    tables = build_tables(opened, progress, executor)
    progress.start("writing the index", 0)
    index = keep_index(tables, index_path(opened), opened.label, locations_of(opened))
    progress.finish()
    return index


def keep_index(tables: IndexTables, path: Path, label: str, locations: Mapping[str, str]) -> Index:
    """An index, written where it is kept; from memory, with a word about it, where nothing can be written."""
    try:
        write_index(path, tables)
        note_kept(path, label)
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


def build_tables(opened: OpenedSource, progress: Progress, executor: Executor | None = None) -> IndexTables:
    """The rows of a subject's index; an `executor` extracts the facts."""
    with collector_off():
        return solved_tables(gather_facts(opened.files, progress, executor), opened, progress)


def solved_tables(
    facts: Sequence[FileFacts], opened: OpenedSource, progress: Progress, rules: tuple[Rule, ...] = RULES
) -> IndexTables:
    """The rows of a subject's index, from its facts. The collector rests meanwhile: what is made here lives until the end."""
    with collector_off():
        progress.start("linking and solving", 0)
        state = solve(link(facts), Options(rules, hints=opened.hints, read_stub=read_stub))
        progress.finish()
        progress.start("collecting what was found", 0)
        tables = tables_for(state, opened)
        state.let_go()
        progress.finish()
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
        meta={
            "source": opened.label,
            "identity": opened.identity,
            "hints": "\n".join(hint.where for hint in opened.hints),
            "making": making_of(opened),
        },
    )
    return tables_of(state, subject)


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
        return cut_at(self.lines(path), start, end)

    def lines(self, path: str) -> list[bytes]:
        """The lines of a file."""
        if self.last[0] != path:
            self.last = (path, self.of(path).split(b"\n"))
        return self.last[1]
