"""A file, or lines of it, as it was indexed: with what each call runs, what is defined, and what is done to watched fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from flowmap.model.annotated import AnnotatedLine, AnnotatedSource, CalledName
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence, Definition, DefinitionKind, Site, SiteKind, Status
from flowmap.reports.marks import Watch
from flowmap.store.index import Index
from flowmap.store.modules import definitions_in
from flowmap.store.sites import sites_on
from flowmap.store.spans import NamedSpan, named_spans

MOST_LINES = 12_000
_N_AROUND = 30
_UNNAMED = (SiteKind.OPERATOR, SiteKind.ITERATION, SiteKind.WITH, SiteKind.AWAIT)


def annotated(index: Index, file: str, watch: Watch) -> AnnotatedSource:
    """A whole file, by its path in the index. Of one that is very long only the lines around what is marked.

    Errors: FlowmapError when the index holds no text of the file.
    """
    n_lines = len(_text(index, file))
    if n_lines <= MOST_LINES:
        return annotated_slice(index, file, range(1, n_lines + 1), watch)
    wanted = [line + step for line in watch.marks.get(file, {}) for step in range(-_N_AROUND, _N_AROUND + 1)]
    shown = [*range(1, _N_AROUND + 1), *wanted][:MOST_LINES]
    return _annotated(index, file, sorted({line for line in shown if 1 <= line <= n_lines}), watch)


def annotated_slice(index: Index, file: str, lines: range, watch: Watch) -> AnnotatedSource:
    """Lines of a file, by its path in the index.

    Errors: FlowmapError when the index holds no text of the file.
    """
    n_lines = len(_text(index, file))
    return _annotated(index, file, [line for line in lines if 1 <= line <= n_lines], watch)


def _text(index: Index, file: str) -> tuple[str, ...]:
    text = index.text_lines(file)
    if not text:
        raise FlowmapError(Problem(file, "the index holds no text of this file"), code=ExitCode.FINDING)
    return text if text[-1] else text[:-1]


def _annotated(index: Index, file: str, lines: Sequence[int], watch: Watch) -> AnnotatedSource:
    text = _text(index, file)
    span = range(lines[0], lines[-1] + 1) if lines else range(0)
    calls, runs = _sites(index, file, span)
    defined = _defined(index, file)
    marks = watch.marks.get(file, {})
    rows = tuple(
        AnnotatedLine(
            number,
            text[number - 1],
            tuple(sorted(calls.get(number, ()), key=lambda call: call.start)),
            tuple(runs.get(number, ())),
            tuple(defined.get(number, ())),
            marks.get(number, ()),
        )
        for number in lines
    )
    return AnnotatedSource(file, rows, len(text), index.files[index.file_ids[file]].problem)


def _defined(index: Index, file: str) -> Mapping[int, list[Definition]]:
    """The definitions of a file by the line that they begin on; a module and a lambda have no name there."""
    found: dict[int, list[Definition]] = {}
    for one in definitions_in(index, file):
        if one.place and one.kind not in (DefinitionKind.MODULE, DefinitionKind.LAMBDA):
            found.setdefault(one.place.line, []).append(one)
    return found


def _sites(index: Index, file: str, lines: range) -> tuple[dict[int, list[CalledName]], dict[int, list[Site]]]:
    """The sites that run something of the index, by line: those whose name stands there, and the others."""
    sites = {site.id: site for site in sites_on(index, file, lines, Confidence.INFERRED)}
    calls: dict[int, list[CalledName]] = {}
    runs: dict[int, list[Site]] = {}
    spans = named_spans(index, file, lines)
    found = _names(index.text_lines(file), spans)
    for span in spans:
        site = sites[span.site]
        if site.status is not Status.RESOLVED or not (site.targets or site.makes):
            continue
        if span.site in found and site.kind not in _UNNAMED:
            calls.setdefault(span.name_line, []).append(CalledName(*found[span.site], site))
        else:
            runs.setdefault(span.name_line, []).append(site)
    return calls, runs


def _names(text: Sequence[str], spans: Iterable[NamedSpan]) -> dict[int, tuple[int, int]]:
    """Where on its line the name of each site stands. Of several calls of one name on a line the innermost takes its name first,
    and each the first that is left within its own span."""
    found: dict[int, tuple[int, int]] = {}
    taken: dict[int, set[int]] = {}
    for span in sorted(spans, key=_extent):
        line = text[span.name_line - 1]
        used = taken.setdefault(span.name_line, set())
        free = [at for at in _occurrences(line, span) if at not in used]
        if free:
            used.add(free[0])
            found[span.site] = (free[0], free[0] + len(span.name))
    return found


def _extent(span: NamedSpan) -> tuple[int, int, int]:
    return span.end_line - span.start.line, span.end_col - span.start.col, span.site


def _occurrences(line: str, span: NamedSpan) -> list[int]:
    """Where the name stands on its line within the span, first where it looks called."""
    first = _characters(line, span.start.col) if span.name_line == span.start.line else 0
    last = _characters(line, span.end_col) if span.name_line == span.end_line else len(line)
    if not span.name.isidentifier():
        return []
    found = [match.start() for match in re.compile(rf"\b{re.escape(span.name)}\b").finditer(line, first, max(last, first))]
    return sorted(found, key=lambda at: not line[at + len(span.name) :].lstrip().startswith("("))


def _characters(line: str, n_bytes: int) -> int:
    """How many characters the first bytes of a line are."""
    return n_bytes if line.isascii() else len(line.encode("utf-8")[:n_bytes].decode("utf-8", "ignore"))
