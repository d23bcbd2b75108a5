"""`flowmap fleet`: many sources in one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.problem import Problem
from flowmap.model.program import Status
from flowmap.model.view import Block, Line, Role, Span, Table, Tree, TreeNode, View
from flowmap.reports.phrases import blank, count, heading, note
from flowmap.store.index import Index
from flowmap.store.sites import counts

COLUMNS = ("source", "files", "lines", "sites", "resolved", "seconds", "new")


@dataclass(frozen=True, slots=True)
class Making:
    """What an index took: seconds, and which share of the lines stands in files that had not been seen before."""

    seconds: float
    new: float


@dataclass(frozen=True, slots=True)
class Ship:
    """One source of many: its counts, what its index took (None: it was kept), and `problems` where it has none."""

    source: str
    files: int = 0
    lines: int = 0
    sites: int = 0
    resolved: int = 0
    seconds: float | None = None
    new: float | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class FleetRecord:
    """All sources, in the order of the file that names them."""

    sources: tuple[Ship, ...]
    failed: int


def ship(source: str, index: Index, making: Making | None = None) -> Ship:
    """What an index counts."""
    by_status = counts(index)
    return Ship(
        source=source,
        files=len(index.files),
        lines=sum(entry.n_lines for entry in index.files.values()),
        sites=sum(by_status.values()),
        resolved=by_status[Status.RESOLVED],
        seconds=None if making is None else round(making.seconds, 1),
        new=None if making is None else round(making.new, 3),
    )


def fleet(ships: Sequence[Ship], named: str) -> View:
    """The table, a line for each source, and what went wrong below it."""
    failed = [one for one in ships if one.problems]
    title: Line = (Span(named, Role.HEADING),)
    rows = tuple(tuple((Span(text),) for text in cells(one)) for one in ships)
    blocks: tuple[Block, ...] = (Table(COLUMNS, rows), *refused(failed))
    done = f"{count(len(ships) - len(failed), 'source')} indexed"
    notes = (f"{done}, {len(failed)} failed" if failed else done,)
    return View(title, blocks, FleetRecord(tuple(ships), len(failed)), named, notes)


def cells(one: Ship) -> tuple[str, ...]:
    """The row of a source."""
    if one.problems:
        return (one.source, "", "", "", "failed", "", "")
    share = f"{100 * one.resolved / one.sites:.1f}%" if one.sites else ""
    seconds = "kept" if one.seconds is None else f"{one.seconds:,.1f}"
    new = "" if one.new is None else f"{one.new:.0%}"
    return (one.source, f"{one.files:,}", f"{one.lines:,}", f"{one.sites:,}", share, seconds, new)


def refused(failed: Sequence[Ship]) -> Iterator[Block]:
    """Why some sources have no index."""
    if failed:
        yield blank()
        yield heading("Failed", count(len(failed), "source"))
        yield Tree(tuple(TreeNode((Span(one.source),), tuple(map(told, one.problems))) for one in failed))


def told(problem: Problem) -> TreeNode:
    """What is wrong, and below it what to do."""
    return TreeNode((Span(problem.what),), below=((note(problem.fix),),) if problem.fix else ())
