"""Chains out of the index: the evidence for a target, the way to what is unknown, and where flow was let go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flowmap.model.program import Confidence, LetGo, Site, Step, StepKind
from flowmap.store.index import Index, as_json

_CHAIN = """WITH RECURSIVE chain (depth, parent, file, line, step, name) AS (
    SELECT 0, parent, file, line, step, name FROM evidence WHERE id = ?
    UNION ALL
    SELECT depth + 1, e.parent, e.file, e.line, e.step, e.name FROM chain JOIN evidence e ON e.id = chain.parent WHERE depth < 200
) SELECT file, line, step, name FROM chain ORDER BY depth"""
_STRENGTHS = (Confidence.PROVEN, Confidence.INFERRED)


def evidence_chain(index: Index, first: int | None) -> tuple[Step, ...]:
    """The evidence that begins with step `first`, followed to its end. The last step known comes first."""
    return tuple(step_of(index, row) for row in index.rows(_CHAIN, first))


def stopped_chain(index: Index, site: Site) -> tuple[Step, ...]:
    """The way from a site without a target back to what is unknown; empty where none is kept."""
    return tuple(
        step
        for (first,) in index.rows("SELECT evidence FROM stopped WHERE site = ?", site.id)
        for step in evidence_chain(index, first)
    )


def let_go_at(index: Index, sites: Iterable[Site]) -> Mapping[int, tuple[LetGo, ...]]:
    """For the ids of those among these sites that are concerned: where flow was let go."""
    query = "SELECT site, file, line, step, name FROM widened WHERE site IN (SELECT value FROM json_each(?))"
    found: dict[int, tuple[LetGo, ...]] = {}
    for site, file, line, step, name in index.rows(query, as_json({site.id for site in sites})):
        found[site] = (*found.get(site, ()), _let_go(index, (site, file, line, step, name)))
    return found


def let_go(index: Index) -> tuple[LetGo, ...]:
    """Every place where flow was let go, by file and line; the calls that this concerns are left out."""
    query = "SELECT site, file, line, step, name FROM widened WHERE site IS NULL ORDER BY file, line, step, name"
    return tuple(_let_go(index, row) for row in index.rows(query))


def n_sites_let_go(index: Index) -> int:
    """The number of calls that are concerned."""
    ((number,),) = index.rows("SELECT COUNT(DISTINCT site) FROM widened")
    return int(number)


def step_of(index: Index, row: tuple[int | None, int, int, str]) -> Step:
    """A step from file, line, packed kind and name. What is builtin stands on no line."""
    file, line, step, name = row
    return Step(index.place(file, line) if line else None, StepKind(step >> 1), name, _STRENGTHS[step & 1])


def _let_go(index: Index, row: tuple[int | None, int, int, int, str]) -> LetGo:
    site, file, line, step, name = row
    place = index.place(file, line)
    assert place is not None, "flow is let go in the indexed code"
    return LetGo(site, place, StepKind(step), name)
