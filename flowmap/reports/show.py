"""`flowmap show`: a slice of the source as it was indexed, and under each line what its calls resolve to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Definition, Site, Status
from flowmap.model.typed import line_number
from flowmap.model.view import Block, Line, Listing, ListingRow, Paragraph, Role, Span, View
from flowmap.reports.phrases import GAP, LEGEND, Detail, blank, count, kind_note, mark, note, place_span, symbol_span
from flowmap.reports.records import SiteRecord, site_record
from flowmap.reports.site_lists import ListQuestion
from flowmap.reports.subjects import find, find_file
from flowmap.store.classes import head_of, whole
from flowmap.store.index import Index
from flowmap.store.sites import sites_on

_SLICE = re.compile(r"^(?P<file>.+\.pyi?)(?::(?P<first>\d+)(?:-(?P<last>\d+))?)?$")
_N_AROUND = 5
_N_TARGETS = 4
_N_BLANK = 3  # lines between two parts of a property, its decorators apart


@dataclass(frozen=True, slots=True)
class ShowRecord:
    """Lines `first` to `last` of a file, and the call sites that begin there. `n_missing`: how many lines that were asked for lie
    past the end of the file."""

    file: str
    first: int
    last: int
    text: tuple[str, ...]
    sites: tuple[SiteRecord, ...]
    n_missing: int = 0


def past_the_end(shown: ShowRecord) -> str:
    """What is to be said of lines that were asked for and are not there; "" where all are."""
    if not shown.n_missing:
        return ""
    return f"{shown.file} ends at line {shown.last}: {count(shown.n_missing, 'line')} that were asked for are not there"


def show(index: Index, question: ListQuestion) -> View:
    """The source of `NAME`, of `FILE:A-B`, around `FILE:A`, or of a whole `FILE`.

    Errors: FlowmapError when the name is unknown or ambiguous, the lines are not there, or the index holds no text of the file.
    """
    file, lines, n_missing = _slice(index, question.name)
    text = index.text_lines(file)
    if not text:
        raise FlowmapError(Problem(file, "the index holds no text of this file"), code=ExitCode.FINDING)
    sites = sites_on(index, file, lines, question.confidence)
    by_line: dict[int, list[Site]] = {}
    for site in sites:
        by_line.setdefault(site.name_line, []).append(site)
    rows = [
        ListingRow(number, text[number - 1], tuple(_margin(index, by_line.get(number, ()), question.detail)))
        for number in lines
        if number <= len(text)
    ]
    record = ShowRecord(file, lines[0], lines[-1], tuple(row.text for row in rows), tuple(map(site_record, sites)), n_missing)
    title = (Span(f"{file}:{lines[0]}-{lines[-1]}", Role.HEADING), GAP, note(count(len(sites), "call site")))
    why = index.files[index.file_ids[file]].problem
    unread = (Paragraph((Span(f"did not parse, so no call in it is known: {why}", Role.WARNING),)),) if why else ()
    blocks: tuple[Block, ...] = (*unread, blank(), Listing(file, tuple(rows)))
    return View(title, blocks, record, index.source, tuple(filter(None, (past_the_end(record), LEGEND))))


def _slice(index: Index, text: str) -> tuple[str, range, int]:
    """The file, the lines of it that are there, and how many further ones were asked for in so many words."""
    match = _SLICE.match(text)
    if not match:
        return *_whole(text, whole(find(index, text))), 0
    entry = find_file(index, match["file"], line_number(match["last"] or match["first"] or "0"))
    first, last = _bounds(match, entry.n_lines)
    if not entry.n_lines:
        raise FlowmapError(Problem(entry.path, "is empty: there is no line to show"), code=ExitCode.FINDING)
    if first > last:
        raise FlowmapError(Problem(text, f"{first} is after {last}", f"Try {match['file']}:{last}-{first}."))
    if not 1 <= first <= last or first > entry.n_lines:
        what = f"has {count(entry.n_lines, 'line')}; lines {first} to {last} are not there"
        raise FlowmapError(Problem(entry.path, what), code=ExitCode.FINDING)
    n_missing = max(0, last - entry.n_lines) if match["last"] else 0
    return entry.path, range(first, min(last, entry.n_lines) + 1), n_missing


def _whole(text: str, parts: Sequence[Definition]) -> tuple[str, range]:
    """The lines of a definition; of a property those of all its parts that follow one another."""
    head = head_of(parts)
    if head.place is None:
        raise FlowmapError(Problem(text, "stands outside the indexed code"), code=ExitCode.FINDING)
    first, last = head.place.line, head.end_line
    for part in parts:
        line = part.place.line if part.place else 0
        last = part.end_line if last < line <= last + _N_BLANK + len(part.decorators) else last
    return head.place.file, range(first, last + 1)


def _bounds(match: re.Match[str], n_lines: int) -> tuple[int, int]:
    if match["first"] is None:
        return 1, n_lines
    first = line_number(match["first"])
    if match["last"] is not None:
        return first, line_number(match["last"])
    return (max(1, first - _N_AROUND), first + _N_AROUND) if 1 <= first <= n_lines else (first, first)


def _margin(index: Index, sites: Iterable[Site], detail: Detail) -> Iterator[Line]:
    for site in sites:
        if site.status is Status.RESOLVED:
            limit = len(site.targets) if detail is Detail.FULL else _N_TARGETS
            for number, target in enumerate(site.targets[:limit]):
                place: Line = (GAP, place_span(index, target.definition.place)) if target.definition.place else ()
                arrow = "→ " if not number else "or "
                yield (note(arrow), *mark(target.confidence), symbol_span(target.definition), *place, *kind_note(site))
            if len(site.targets) > limit:
                yield (note(f"or {len(site.targets) - limit} more"),)
        elif detail is Detail.FULL or site.status in (Status.UNRESOLVED, Status.DYNAMIC):
            yield (note(f"→ {site.status.value}{': ' + site.reason if site.reason else ''}"),)
