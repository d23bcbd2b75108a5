"""`flowmap export calls`: every call site as a line of JSON, straight from the index, sorted by file, line and column."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from flowmap.model.program import Confidence, SiteKind, Status
from flowmap.reports.steps import step_words
from flowmap.store.chains import step_of
from flowmap.store.index import Index
from flowmap.store.sites import at_least

FORM_VERSION = 1

_SITES = """
SELECT s.id, c.text, f.path, s.line, s.name_line, s.col, s.expr, s.kind, s.status, s.guards, s.expr_guards, s.early_exit_guards
FROM site s JOIN symbol c ON c.id = s.caller JOIN file f ON f.id = s.file WHERE s.kind <> ?
ORDER BY f.path, s.line, s.col, s.end_line, s.end_col, s.id
"""
_PRUNED = """SELECT p.site, s.text, w.file, w.line, w.what FROM pruned p JOIN symbol s ON s.id = p.symbol
JOIN why w ON w.id = p.why ORDER BY p.site, s.text"""
_TARGETS = "SELECT site, symbol, confidence, evidence FROM target ORDER BY site, position"


def export_calls(index: Index, confidence: Confidence) -> Iterator[str]:
    """One line of JSON a call site, without its end. Targets weaker than `confidence` are left out.

    A row of a dispatcher's table is given once for each text by which the dispatcher is called: under the first function
    that calls it so, in the order of files. The index has a site for each.
    """
    dumps = json.JSONEncoder(ensure_ascii=False).encode
    targets = _targets(index, confidence)
    guards: dict[int, str] = dict(index.rows("SELECT id, texts FROM guard_list"))
    given: set[tuple[str, int, int, str]] = set()
    pruned = _pruned(index)
    for number, caller, file, line, name_line, col, expr, kind, status, *lists in index.rows(_SITES, SiteKind.BORDER.value):
        if kind == SiteKind.DISPATCH:
            if (file, line, col, expr) in given:
                continue
            given.add((file, line, col, expr))
        found = targets.get(number, "")
        shown = Status.UNRESOLVED.value if status == Status.RESOLVED and not found else status
        enclosing, inside, early = (guards[each] for each in lists)
        yield (
            f'{{"caller": {dumps(caller)}, "file": {dumps(file)}, "line": {line}, "name_line": {name_line}, "col": {col}, '
            f'"expr": {dumps(expr)}, "kind": "{kind}", "status": "{shown}", "guards": {enclosing}, "expr_guards": {inside}, '
            f'"early_exit_guards": {early}, "targets": [{found}]{pruned.get(number, "")}}}'
        )


def _pruned(index: Index) -> dict[int, str]:
    """For each site what it does not run in the index's configuration, as a further key; nothing for an index of the whole."""
    dumps = json.JSONEncoder(ensure_ascii=False).encode
    grouped: dict[int, list[str]] = {}
    for site, symbol, file, line, what in index.rows(_PRUNED):
        guard = f"{file}:{line}" if file else ""
        grouped.setdefault(site, []).append(f'{{"symbol": {dumps(symbol)}, "guard": {dumps(guard)}, "why": {dumps(what)}}}')
    return {site: f', "pruned": [{", ".join(texts)}]' for site, texts in grouped.items()}


def _targets(index: Index, confidence: Confidence) -> dict[int, str]:
    """For each site its targets as JSON, joined. A target is written once, however many sites run it for the same reason."""
    chosen = {each.value for each in at_least(confidence)}
    evidence = _Evidence(index)
    symbols = _symbols(index)
    grouped: dict[int, list[str]] = {}
    for site, symbol, strength, first in index.rows(_TARGETS):
        if strength in chosen:
            text = f'{{{symbols[symbol]}, "confidence": "{strength}", "evidence": {evidence.chain(first)}}}'
            grouped.setdefault(site, []).append(text)
    return {site: ", ".join(texts) for site, texts in grouped.items()}


def _symbols(index: Index) -> dict[int, str]:
    """The beginning of each symbol's target object. What stands outside the index has no file and line 0."""
    dumps = json.JSONEncoder(ensure_ascii=False).encode
    paths: Mapping[int | None, str] = {None: "", **{number: entry.path for number, entry in index.files.items()}}
    query = "SELECT id, text, file, line FROM symbol"
    rows = index.rows(query)
    return {number: f'"symbol": {dumps(text)}, "file": {dumps(paths[file])}, "line": {line}' for number, text, file, line in rows}


class _Evidence:
    """Evidence chains as JSON arrays of texts; the steps stay rows until a chain is asked for."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._steps = {row[0]: row[1:] for row in index.rows("SELECT id, parent, file, line, step, name FROM evidence")}
        self._chains: dict[int, str] = {}

    def chain(self, first: int | None) -> str:
        """The chain that begins with a step; an empty array for none."""
        if first is None:
            return "[]"
        if first not in self._chains:
            self._chains[first] = json.dumps(list(self._texts(first)), ensure_ascii=False)
        return self._chains[first]

    def _texts(self, first: int | None) -> Iterator[str]:
        seen: set[int] = set()
        while first is not None and first not in seen:
            seen.add(first)
            first, *row = self._steps[first]
            step = step_of(self._index, tuple(row))
            yield f"{step.place}: {step_words(step)}" if step.place else step_words(step)
