"""Call sites out of the index: by caller, by place, by what they run.

Each question takes the weakest confidence that counts. A site whose targets are all weaker is given back as unresolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, Pruned, Site, SiteKind, Status, Target
from flowmap.store.index import Index, Row, as_json

BY_NAME_ONLY = "only a possible target, by its name"

_COLUMNS = """s.id, s.caller, s.file, s.line, s.col, s.name_line, s.expr, s.kind, s.status, s.reason,
    s.guards, s.expr_guards, s.early_exit_guards"""
_IN = "IN (SELECT value FROM json_each(?))"
_OF_CALLERS = f"""SELECT {_COLUMNS} FROM site s WHERE s.caller {_IN}
    ORDER BY s.caller, s.rank, s.kind IN ('dispatch', 'border'), s.id"""
_RUNNING = f"SELECT {_COLUMNS} FROM site s WHERE s.id {_IN} ORDER BY s.file, s.line, s.col, s.id"
_ON_LINES = f"SELECT {_COLUMNS} FROM site s WHERE s.file = ? AND s.line BETWEEN ? AND ? ORDER BY s.line, s.col, s.id"
_COVERING = f"SELECT {_COLUMNS} FROM site s WHERE s.file = ? AND s.line <= ? AND s.end_line >= ? ORDER BY s.line, s.col, s.id"
_RUNS = "site, symbol, confidence, evidence FROM target"
_MAKES = "site, class, confidence, evidence FROM made"
_ORDER = tuple(Confidence)  # strongest first


def at_least(confidence: Confidence) -> tuple[Confidence, ...]:
    """This confidence and the stronger ones."""
    return _ORDER[: _ORDER.index(confidence) + 1]


def sites_of(index: Index, callers: Iterable[Definition], confidence: Confidence) -> tuple[Site, ...]:
    """The sites inside these definitions' own bodies, one body after the other, each in the order in which Python runs it where
    nothing branches: arguments before the call that they are passed to, a test before what it decides, a value before what it
    is assigned to."""
    return _sites(index, index.rows(_OF_CALLERS, as_json({caller.id for caller in callers})), confidence)


def sites_running(index: Index, definitions: Iterable[Definition], confidence: Confidence) -> tuple[Site, ...]:
    """The sites that may run any of these definitions, or make one of these classes, by file, line and column."""
    ids = as_json({definition.id for definition in definitions})
    texts = _texts(confidence)
    query = f"""SELECT site FROM target WHERE symbol {_IN} AND confidence IN ({texts})
        UNION SELECT site FROM made WHERE class {_IN} AND confidence IN ({texts})"""
    found = [row[0] for row in index.rows(query, ids, ids)]
    return _sites(index, index.rows(_RUNNING, as_json(found)), confidence) if found else ()


def sites_pruned(index: Index, definitions: Iterable[Definition]) -> tuple[Site, ...]:
    """The sites that run none of these definitions in this configuration, and do in another."""
    ids = as_json({definition.id for definition in definitions})
    found = [row[0] for row in index.rows(f"SELECT DISTINCT site FROM pruned WHERE symbol {_IN}", ids)]
    return _sites(index, index.rows(_RUNNING, as_json(found)), Confidence.POSSIBLE) if found else ()


def pruned_at(index: Index, sites: Iterable[Site]) -> Mapping[int, tuple[Pruned, ...]]:
    """For each site's id what it does not run in this configuration; nothing where the index is of no configuration."""
    query = f"""SELECT p.site, p.symbol, w.file, w.line, w.what FROM pruned p JOIN why w ON w.id = p.why
        WHERE p.site {_IN} ORDER BY p.site, p.symbol"""
    rows = list(index.rows(query, as_json({site.id for site in sites})))
    known = index.known({row[1] for row in rows})
    grouped: dict[int, list[Pruned]] = {}
    for site, symbol, file, line, what in rows:
        grouped.setdefault(site, []).append(Pruned(known[symbol], Place(file, line) if file else None, what))
    return {site: tuple(found) for site, found in grouped.items()}


def sites_on(index: Index, path: str, lines: range, confidence: Confidence) -> tuple[Site, ...]:
    """The sites that begin on one of these lines of a file."""
    file = index.file_ids.get(path)
    return () if file is None or not lines else _sites(index, index.rows(_ON_LINES, file, lines[0], lines[-1]), confidence)


def sites_by_id(index: Index, sites: Iterable[int], confidence: Confidence) -> tuple[Site, ...]:
    """The sites with these ids, by file, line and column."""
    return _sites(index, index.rows(_RUNNING, as_json(sites)), confidence)


def sites_covering(index: Index, place: Place, confidence: Confidence) -> tuple[Site, ...]:
    """The sites whose expression covers a line: a traceback may name any line of a long call."""
    file = index.file_ids.get(place.file)
    return () if file is None else _sites(index, index.rows(_COVERING, file, place.line, place.line), confidence)


def callees(index: Index, callers: Iterable[int], confidence: Confidence) -> Mapping[int, tuple[int, ...]]:
    """For each caller's id the ids of what it may run, each once: the bare graph, for searches that see much of it."""
    query = f"""SELECT s.caller, t.symbol FROM site s JOIN target t ON t.site = s.id
        WHERE s.caller {_IN} AND t.confidence IN ({_texts(confidence)}) ORDER BY s.id, t.position"""
    return _grouped(index.rows(query, as_json(callers)))


def callers(
    index: Index, targets: Iterable[int], confidence: Confidence, left_out: Sequence[SiteKind] = ()
) -> Mapping[int, tuple[int, ...]]:
    """For each target's id the ids of what may run it, or make it where it is a class, each once; not by sites of kinds left
    out."""
    ids, texts, without = as_json(targets), _texts(confidence), ", ".join(f"'{kind}'" for kind in left_out)
    query = f"""SELECT t.symbol, s.caller, s.id FROM target t JOIN site s ON s.id = t.site
        WHERE t.symbol {_IN} AND t.confidence IN ({texts}) AND s.kind NOT IN ({without})
        UNION SELECT m.class, s.caller, s.id FROM made m JOIN site s ON s.id = m.site
        WHERE m.class {_IN} AND m.confidence IN ({texts}) ORDER BY 3"""
    return _grouped((called, caller) for called, caller, _ in index.rows(query, ids, ids))


def counts_of_resolved(index: Index, callers: Iterable[Definition]) -> Mapping[int, int]:
    """For each caller's id the number of its resolved sites, all confidences taken."""
    query = f"SELECT caller, COUNT(*) FROM site WHERE caller {_IN} AND status = 'resolved' GROUP BY caller"
    return dict(index.rows(query, as_json({caller.id for caller in callers})))


def most_called(index: Index, limit: int) -> tuple[Definition, ...]:
    """The functions of the indexed code that most sites may run, the most first."""
    query = f"""SELECT t.symbol, COUNT(*) FROM target t JOIN symbol s ON s.id = t.symbol
        WHERE s.kind IN ('function', 'method', 'property') AND t.confidence IN ({_texts(Confidence.INFERRED)})
        GROUP BY t.symbol ORDER BY 2 DESC, s.text, s.id LIMIT ?"""
    return tuple(index.definitions(row[0] for row in index.rows(query, limit)))


def counts(index: Index) -> Mapping[Status, int]:
    """The number of sites of each status, all confidences taken; what stands behind a border is no site of its own."""
    query = "SELECT status, COUNT(*) FROM site WHERE kind <> 'border' GROUP BY status"
    found: dict[str, int] = dict(index.rows(query))
    return {status: found.get(status.value, 0) for status in Status}


def counts_by_confidence(index: Index) -> Mapping[Confidence, int]:
    """The number of resolved sites by the confidence of their strongest target."""
    query = """SELECT best, COUNT(*) FROM (
        SELECT MIN(CASE t.confidence WHEN 'proven' THEN 0 WHEN 'inferred' THEN 1 ELSE 2 END) AS best
        FROM site s JOIN target t ON t.site = s.id
        WHERE s.status = 'resolved' AND s.kind <> 'border' GROUP BY s.id) GROUP BY best"""
    found: dict[int, int] = dict(index.rows(query))
    return {confidence: found.get(number, 0) for number, confidence in enumerate(_ORDER)}


def _sites(index: Index, found: Iterable[Row], confidence: Confidence) -> tuple[Site, ...]:
    rows = list(found)
    if not rows:
        return ()
    numbers = [row[0] for row in rows]
    targets = _targets(index, _RUNS, numbers, confidence)
    made = _targets(index, _MAKES, numbers, confidence)
    ids = {row[1] for row in rows}
    known = index.known(ids)
    index.guards(number for row in rows for number in row[10:13])
    return tuple(_site(index, row, known, (targets.get(row[0], ()), made.get(row[0], ()))) for row in rows)


def _site(index: Index, row: Row, known: Mapping[int, Definition], run: tuple[tuple[Target, ...], tuple[Target, ...]]) -> Site:
    targets, made = run
    number, caller, file, line, col, name_line, expr, kind, status, reason, *guards = row
    shown = Status(status)
    if shown is Status.RESOLVED and not targets:
        shown, reason = Status.UNRESOLVED, reason or BY_NAME_ONLY
    texts = index.guards(guards)
    return Site(
        id=number,
        caller=known[caller],
        place=Place(index.files[file].path, line, col),
        name_line=name_line,
        expr=expr,
        kind=SiteKind(kind),
        status=shown,
        reason=reason,
        guards=texts[guards[0]],
        expr_guards=texts[guards[1]],
        early_exit_guards=texts[guards[2]],
        targets=targets,
        makes=made,
    )


def _targets(index: Index, table: str, sites: Iterable[int], confidence: Confidence) -> dict[int, tuple[Target, ...]]:
    query = f"""SELECT {table} WHERE site {_IN} AND confidence IN ({_texts(confidence)}) ORDER BY site, position"""
    rows = list(index.rows(query, as_json(sites)))
    known = index.known({row[1] for row in rows})
    grouped: dict[int, list[Target]] = {}
    for site, symbol, strength, evidence in rows:
        grouped.setdefault(site, []).append(Target(known[symbol], Confidence(strength), -1 if evidence is None else evidence))
    return {site: tuple(found) for site, found in grouped.items()}


def _grouped(pairs: Iterable[Row]) -> dict[int, tuple[int, ...]]:
    grouped: dict[int, dict[int, None]] = {}
    for key, value in pairs:
        grouped.setdefault(key, {})[value] = None
    return {key: tuple(values) for key, values in grouped.items()}


def _texts(confidence: Confidence) -> str:
    return ", ".join(f"'{text}'" for text in at_least(confidence))
