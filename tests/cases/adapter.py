"""The one place where the cases meet the engine."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flowmap.configured import configured_tables
from flowmap.gather import extract_here
from flowmap.model.assumption import Assumption, Configuration, read_assumption
from flowmap.model.program import Confidence
from flowmap.model.progress import SilentProgress
from flowmap.pipeline import solved_tables
from flowmap.reports.export_calls import export_calls
from flowmap.reports.export_mro import export_mro
from flowmap.solve.rules import RULES, Rule
from flowmap.source.config import find_configuration
from flowmap.source.hints import with_hints
from flowmap.source.open import open_source
from flowmap.store.index import Index
from flowmap.store.memory import index_in_memory
from flowmap.store.sites import sites_of
from tests.cases.reading import Case


@dataclass(frozen=True, slots=True)
class Site:
    """A row of `flowmap export calls`, as far as cases ask: its targets are those in the case's files, weak ones left out.

    `status` and the names `outside` tell of the others; only the need of a rule is judged by them.
    """

    file: str
    line: int
    name_line: int
    col: int
    kind: str
    expr: str
    status: str
    targets: frozenset[str]
    outside: frozenset[str]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the engine says of a case. `orders` maps a class to its class order, classes from elsewhere left out; `steps` maps a
    caller to the targets of its sites, in the order in which they are said to run."""

    sites: tuple[Site, ...]
    orders: tuple[tuple[str, tuple[str, ...]], ...]
    steps: tuple[tuple[str, tuple[frozenset[str], ...]], ...]


@cache
def analyze(case: Case) -> Analysis:
    """What the whole engine says, in the configuration that the case assumes."""
    return analyze_with(case, RULES, tuple(map(read_assumption, case.assumes)))


def analyze_with(case: Case, rules: tuple[Rule, ...], assumed: tuple[Assumption, ...] = ()) -> Analysis:
    """What an engine of these rules alone says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        case.write_to(folder)
        hints = find_configuration(folder).hints if case.configuration else ()
        opened = with_hints(open_source(str(folder), (), SilentProgress()), hints)
        index = index_in_memory(solved_tables(extract_here(opened.files, SilentProgress()), opened, SilentProgress(), rules))
        if assumed:
            beside = (index, SilentProgress())
            index = index_in_memory(configured_tables(opened, Configuration("case", assumed), beside))
    rows = [json.loads(line) for line in export_calls(index, Confidence.INFERRED)]
    exported = json.loads("".join(export_mro(index, ())))
    sites = tuple(
        Site(
            file=row["file"],
            line=row["line"],
            name_line=row["name_line"],
            col=row["col"],
            kind=row["kind"],
            expr=row["expr"],
            status=row["status"],
            targets=frozenset(t["symbol"] for t in row["targets"] if not t["symbol"].startswith("ext:")),
            outside=frozenset(t["symbol"] for t in row["targets"] if t["symbol"].startswith("ext:")),
        )
        for row in rows
    )
    sites = (*sites, *borders(index))
    inside = set(exported)
    orders = {name: tuple(base for base in entry["mro"] if base in inside) for name, entry in exported.items()}
    return Analysis(sites, tuple(sorted(orders.items())), steps(index))


def steps(index: Index) -> tuple[tuple[str, tuple[frozenset[str], ...]], ...]:
    """The targets of each caller's sites, in the order in which `callees` lists them."""
    callers = index.definitions(row[0] for row in index.rows("SELECT DISTINCT caller FROM site ORDER BY caller"))
    sites = {one.symbol: sites_of(index, [one], Confidence.INFERRED) for one in callers}
    return tuple(
        (caller, tuple(frozenset(t.definition.symbol for t in site.targets) for site in found)) for caller, found in sites.items()
    )


def borders(index: Index) -> Iterator[Site]:
    """What runs elsewhere: sites of the index that `export calls` leaves out, one for each target."""
    query = """SELECT f.path, s.line, s.name_line, s.col, s.expr, y.text FROM site s JOIN file f ON f.id = s.file
        JOIN target t ON t.site = s.id JOIN symbol y ON y.id = t.symbol WHERE s.kind = 'border' ORDER BY s.id, t.position"""
    for file, line, name_line, col, expr, target in index.rows(query):
        yield Site(file, line, name_line, col, "border", expr, "resolved", frozenset((target,)), frozenset())
