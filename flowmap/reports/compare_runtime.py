"""`flowmap compare-runtime`: what share of the calls of a run the index knows, and what the missing ones have in common."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.observed import ObservedEdge
from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence
from flowmap.model.view import Block, Line, Role, Span, Table, Tree, TreeNode, View
from flowmap.reports.constructs import Construct, construct_of
from flowmap.reports.phrases import GAP, Detail, blank, count, heading, note
from flowmap.reports.recall import Judged, Miss, Way, by_package, judge
from flowmap.store.index import Index
from flowmap.store.sites import at_least

_N_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class WayRecord:
    """How many edges went this way, and how many of them the index has."""

    way: Way
    n_edges: int
    n_found: int


@dataclass(frozen=True, slots=True)
class PackageRecord:
    """The edges of one package: recall counts those that went direct or through the standard library.

    `mean_targets`, `median_targets` and `p95_targets` are over the `n_sites` sites at which a recorded edge was found: how many
    targets the index gives there.
    """

    package: str
    n_edges: int
    n_found: int
    ways: tuple[WayRecord, ...]
    n_sites: int
    mean_targets: float
    median_targets: float
    p95_targets: int


@dataclass(frozen=True, slots=True)
class MissingRecord:
    """A call that happened and is not in the index."""

    construct: Construct
    miss: Miss
    way: Way
    caller: str
    file: str
    line: int
    callee: str
    callee_file: str
    callee_line: int
    through: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class RecallRecord:
    """The recall of each package, and every missing call, those of the largest groups first."""

    n_recorded: int
    packages: tuple[PackageRecord, ...]
    missing: tuple[MissingRecord, ...]


def compare_runtime(index: Index, edges: Sequence[ObservedEdge], confidence: Confidence, detail: Detail) -> View:
    """The recall of the index over the edges of a run. Edges with an end outside the indexed files do not count.

    Errors: FlowmapError when that leaves none.
    """
    judged = judge(index, edges, confidence)
    if not judged:
        what = f"none of its {count(len(edges), 'call')} is between functions of {index.source}"
        fix = "Name the code that was recorded with --source, or record it with --only PACKAGE."
        raise FlowmapError(Problem("the record", what, fix), code=ExitCode.FINDING)
    packages = tuple(_package(name, found, confidence) for name, found in by_package(judged))
    groups = _groups([one for one in judged if one.miss is not None])
    missing = tuple(_missing(one, construct, one.miss) for construct, group in groups for one in group if one.miss is not None)
    record = RecallRecord(len(edges), packages, missing)
    title: Line = (Span("Calls of a run", Role.HEADING), note(f"  {count(len(edges), 'different call')} recorded"))
    blocks = [_table(packages), *_missing_blocks(groups, detail)]
    return View(title, tuple(blocks), record, index.source, tuple(_notes(len(edges) - len(judged))))


def _notes(n_elsewhere: int) -> Iterator[str]:
    if n_elsewhere:
        yield f"{count(n_elsewhere, 'call')} from or to files that are not indexed do not count"
    yield "found: proven or inferred, at that very caller and line; recall leaves out what came about through other code"


def _package(name: str, found: Sequence[Judged], confidence: Confidence) -> PackageRecord:
    ways = tuple(_way(way, [one for one in found if one.way is way]) for way in Way)
    counted = [way for way in ways if way.way is not Way.OUTSIDE]
    strong = at_least(confidence)
    sites = {site.id: site for one in found if one.miss is None for site in one.running()}
    numbers = sorted(sum(each.confidence in strong for each in site.targets) for site in sites.values()) or [0]
    return PackageRecord(
        package=name,
        n_edges=sum(way.n_edges for way in counted),
        n_found=sum(way.n_found for way in counted),
        ways=ways,
        n_sites=len(sites),
        mean_targets=round(statistics.fmean(numbers), 2),
        median_targets=statistics.median(numbers),
        p95_targets=numbers[int(0.95 * (len(numbers) - 1))],
    )


def _way(way: Way, edges: Sequence[Judged]) -> WayRecord:
    return WayRecord(way, len(edges), sum(one.miss is None for one in edges))


def _table(packages: Sequence[PackageRecord]) -> Table:
    columns = ("package", "recall", *(way.value for way in Way), "sites", "targets a site: mean", "median", "p95")
    return Table(columns, tuple(_row(each) for each in packages))


def _row(each: PackageRecord) -> tuple[Line, ...]:
    texts = (
        each.package,
        _share(each.n_found, each.n_edges),
        *(f"{way.n_found:,}/{way.n_edges:,}" for way in each.ways),
        f"{each.n_sites:,}",
        f"{each.mean_targets:.2f}",
        f"{each.median_targets:g}",
        str(each.p95_targets),
    )
    return tuple((Span(text),) for text in texts)


def _share(part: int, whole: int) -> str:
    return f"{part:,}/{whole:,} = {part / whole:.1%}" if whole else "nothing recorded"


_Groups = list[tuple[Construct, list[Judged]]]


def _groups(missing: Sequence[Judged]) -> _Groups:
    """The missing calls by construct, the largest group first; those that went through other code last, as they do not count."""
    found: dict[Construct, list[Judged]] = {}
    for one in missing:
        found.setdefault(construct_of(one), []).append(one)
    return sorted(found.items(), key=lambda item: (item[0] is Construct.OUTSIDE, -len(item[1]), item[0].value))


def _missing_blocks(groups: _Groups, detail: Detail) -> list[Block]:
    if not groups:
        return []
    total = sum(len(group) for _, group in groups)
    nodes = tuple(_group(construct, group, detail) for construct, group in groups)
    return [blank(), heading("Missing", count(total, "call")), Tree(nodes)]


def _group(construct: Construct, group: Sequence[Judged], detail: Detail) -> TreeNode:
    counted = Counter(one.miss.value for one in group if one.miss)
    why = ", ".join(f"{what} {number}" for what, number in sorted(counted.items(), key=lambda item: (-item[1], item[0])))
    limit = len(group) if detail is Detail.FULL else _N_EXAMPLES
    children = [TreeNode(_edge(one)) for one in group[:limit]]
    if len(group) > limit:
        children.append(TreeNode((note(f"+ {len(group) - limit} more, all with -v"),)))
    return TreeNode((Span(construct.value), GAP, note(f"{len(group):,} ({why})")), tuple(children))


def _edge(one: Judged) -> Line:
    edge = one.edge
    place = Span(f"{edge.file}:{edge.line}", Role.PLACE, Place(edge.file, edge.line))
    through = (note(f"  through {', '.join(edge.through)}"),) if edge.through else ()
    return (place, GAP, Span(edge.caller), note(" ran "), Span(edge.callee, Role.SYMBOL), *through, note(f"  {edge.n_calls:,}×"))


def _missing(one: Judged, construct: Construct, miss: Miss) -> MissingRecord:
    edge = one.edge
    return MissingRecord(
        construct=construct,
        miss=miss,
        way=one.way,
        caller=edge.caller,
        file=edge.file,
        line=edge.line,
        callee=edge.callee,
        callee_file=edge.callee_file,
        callee_line=edge.callee_line,
        through=edge.through,
        count=edge.n_calls,
    )
