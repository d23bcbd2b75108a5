"""The index after an edit that only moved lines: the one that is kept from before, with other lines.

Comments, blank lines and docstrings change nothing of what runs, and most edits of a day are made of little else between two
questions. What is kept is used only where everything that an index is made of is the same but for lines; all other edits
are solved anew, as a whole.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flowmap.extract.extract import extract
from flowmap.extract.text import cut_at, expression_at, parsed_text
from flowmap.kept import index_path, locations_of, making_of
from flowmap.link.moved import moved_lines
from flowmap.model.facts import Scope
from flowmap.model.source import OpenedSource, SourceFile
from flowmap.source.cache import kept_indexes, note_kept
from flowmap.source.read import read_bytes
from flowmap.store.format import IndexOutdated
from flowmap.store.index import Index, open_file
from flowmap.store.moved import KeptFile, MovedFile, is_named_in_problems, kept_files, kept_text, shown_spans, write_moved

ReadText = Callable[[list[bytes], tuple[int, int], tuple[int, int]], str]  # lines, start, end

MOST_EDITED = 16  # files whose edits are looked at
CODING = re.compile(rb"coding[:=]")  # the text that is kept is UTF-8, whatever it says of itself


def moved_index(opened: OpenedSource) -> Index | None:
    """The index of a subject of which an index is kept that differs by lines alone; None where there is none."""
    making = making_of(opened)
    for path in kept_indexes(opened.label):
        try:
            if write_if_moved(path, opened, making):
                return open_file(index_path(opened), locations_of(opened))
        except (OSError, sqlite3.Error, IndexOutdated):
            continue  # it cannot be read, or nothing can be written: the subject is solved anew
    return None


def write_if_moved(path: Path, opened: OpenedSource, making: str) -> bool:
    """Writes the index of a subject, out of another one that is kept, where they differ by lines alone."""
    index = open_file(path)
    try:
        edited = edited_files(index, opened) if index.meta.get("making") == making else None
        moved = edited and moved_files(index, edited)
    finally:
        index.close()
    if not moved:
        return False
    write_moved(index_path(opened), path, opened.identity, moved)
    note_kept(index_path(opened), opened.label)
    return True


@dataclass(frozen=True, slots=True)
class Edited:
    """A file, and as an index knows it."""

    file: SourceFile
    kept: KeptFile


def edited_files(index: Index, opened: OpenedSource) -> list[Edited] | None:
    """The few files that an index knows with another content; None where they are many, or there are other files."""
    kept = kept_files(index)
    files = sorted(opened.files, key=lambda file: file.path)
    if [(file.path, file.module) for file in files] != [(path, each.module) for path, each in kept.items()]:
        return None
    edited = [Edited(file, kept[file.path]) for file in files if file.digest != kept[file.path].digest]
    return edited if len(edited) <= MOST_EDITED else None


def moved_files(index: Index, edited: Sequence[Edited]) -> list[MovedFile] | None:
    """How the lines of all these files have moved; None where one of them says something else."""
    found: list[MovedFile] = []
    for each in edited:
        moved = moved_file(index, each)
        if moved is None:
            return None
        found.append(moved)
    return found


def moved_file(index: Index, edited: Edited) -> MovedFile | None:
    """How the lines of a file have moved; None where it says something else than before."""
    file, number = edited.file, edited.kept.number
    text, before = read_bytes(file), kept_text(index, number)
    if is_named_in_problems(index, file.path) or any(CODING.search(part) for part in (head(text), head(before))):
        return None
    after, known = extract(file, text), extract(file, before)
    lines = moved_lines(known, after)
    shown = parsed_text(text)
    if lines is None or not Shown(before.split(b"\n"), shown.split(b"\n"), lines).are_same(index, number):
        return None
    scopes = [(row.line, row.end_line, row.doc) for row in (Scope(*row) for row in after.scopes)]
    return MovedFile(number, file.digest, after.n_lines, shown, lines, scopes)


def head(text: bytes) -> bytes:
    """The lines in which a file may say how it is encoded."""
    return b"\n".join(text.split(b"\n", 2)[:2])


@dataclass(frozen=True, slots=True)
class Shown:
    """The texts that an index shows of a file, before and after an edit that moved its lines."""

    before: list[bytes]
    after: list[bytes]
    lines: Mapping[int, int]

    def are_same(self, index: Index, file: int) -> bool:
        """Whether each of them reads as it did: a comment may stand within one."""
        shown = ((expression_at, shown_spans(index, "site", file)), (cut_at, shown_spans(index, "access", file)))
        return all(self.is_same(read, span) for read, spans in shown for span in spans)

    def is_same(self, read: ReadText, span: tuple[int, int, int, int]) -> bool:
        """Whether the text between two places is the same."""
        line, col, end_line, end_col = span
        start, end = self.lines[line], self.lines[end_line]
        if self.before[line - 1 : end_line] == self.after[start - 1 : end]:
            return True
        return read(self.before, (line, col), (end_line, end_col)) == read(self.after, (start, col), (end, end_col))
