"""The graph of the control flow inside one function: its basic blocks, what has to hold between them, and what each statement
runs. Of a large function what stands below the heads of compound statements is folded, each into one node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from flowmap.extract.control_flow import control_flow
from flowmap.model.control import BasicBlock, BlockRole, Branch, ControlFlow, Statement, Turn
from flowmap.model.graph import (
    CutKind,
    EdgeKind,
    Graph,
    GraphCut,
    GraphEdge,
    GraphKind,
    GraphNode,
    GraphRow,
    NodeKind,
    NodeRole,
    RowKind,
)
from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence, Definition, DefinitionKind, Site, SiteKind, Status, Target
from flowmap.reports.abridged import abridged
from flowmap.reports.control_folds import Part, parts_of
from flowmap.reports.graph_parts import GraphQuestion, at, cut_of, site_details, stable_id
from flowmap.reports.phrases import count, short_name
from flowmap.reports.subjects import find, place_in
from flowmap.store.index import Index
from flowmap.store.sites import sites_of

_ENDS = _ENTRY, _EXIT, _RAISED = 0, 1, 2
_LONGEST_ROW = 64
_LONGEST_LABEL = 30
_KINDS = {
    Turn.NEXT: EdgeKind.NEXT,
    Turn.LEAVES: EdgeKind.NEXT,
    Turn.HOLDS: EdgeKind.HOLDS,
    Turn.FAILS: EdgeKind.FAILS,
    Turn.AGAIN: EdgeKind.AGAIN,
    Turn.RAISES: EdgeKind.RAISES,
    Turn.SUPPRESSED: EdgeKind.RAISES,
}
_TESTED = (EdgeKind.HOLDS, EdgeKind.FAILS)
_NOTE = "drawn as exceptional: `raise`, `assert`, and what may raise inside `try` and `with`; anything else may raise, too"
_Sites = Mapping[int, Sequence[Site]]  # by the number of the statement


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is drawn: the definition, its blocks, the sites of each statement, and the line that was asked about (0 for none)."""

    index: Index
    one: Definition
    flow: ControlFlow
    sites: _Sites
    line: int
    question: GraphQuestion

    @property
    def file(self) -> str:
        """Its path."""
        assert self.one.place, "what stands outside the index has no text"
        return self.one.place.file


def control_graph(index: Index, question: GraphQuestion) -> Graph:
    """The control flow of a function (of a module, a class body or a lambda, too). At `FILE:LINE` what stands around that line is
    drawn statement by statement first. `question.depth`: how deep in compound statements is looked; its wing says nothing.

    Errors: FlowmapError when the name is unknown or ambiguous, or stands outside the index.
    """
    scope = _scope(index, question)
    parts = parts_of(scope.flow, scope.line, question.n_nodes, question.depth)
    kept, n_left_out = _window(parts, scope.line, question.n_nodes)
    holding = {block.number: place for place, part in enumerate(parts) for block in part.blocks}
    nodes = [*_ends(scope), *(_node(scope, parts[place], place, scope.line) for place in kept)]
    ids = {number: _id(scope, parts[place]) for number, place in holding.items()}
    ids |= {number: node.id for number, node in zip((_ENTRY, _EXIT, _RAISED), nodes, strict=False)}
    shown = {node.id for node in nodes}
    nodes = [replace(node, cuts=(*node.cuts, *_cut(scope, node, ids, shown))) for node in nodes]
    edges = tuple(_edges(scope, ids, nodes))
    used = {end for edge in edges for end in (edge.start, edge.end)}
    nodes = [node for node in nodes if node.role not in (NodeRole.EXIT, NodeRole.RAISED) or node.id in used]
    return Graph(
        GraphKind.CONTROL,
        f"control flow of {short_name(scope.one)}",
        tuple(nodes),
        edges,
        (),
        n_left_out,
        _notes(scope, nodes, n_left_out),
    )


def _scope(index: Index, question: GraphQuestion) -> _Scope:
    found = find(index, question.name)
    place = place_in(question.name)
    one = found[-1]
    if one.place is None:
        raise FlowmapError(Problem(question.name, "stands outside the index: its text is not there"), code=ExitCode.FINDING)
    text = "\n".join(index.text_lines(one.place.file)).encode("utf-8", "surrogatepass")
    start = None if one.kind is DefinitionKind.MODULE else (one.place.line, one.place.col)
    flow = control_flow(text, one.place.file, start)
    if flow is None:
        fix = f"flowmap show {one.place.file}:{one.place.line} shows it."
        raise FlowmapError(Problem(question.name, "its text in the index could not be read again", fix), code=ExitCode.FINDING)
    sites = _by_statement(flow, sites_of(index, [one], question.confidence))
    return _Scope(index, one, flow, sites, place[1] if place else 0, question)


def _by_statement(flow: ControlFlow, sites: Iterable[Site]) -> _Sites:
    """The sites that stand in each statement, but those of what surrounds it."""
    statements = sorted((one for block in flow.blocks for one in block.statements if not one.is_added), key=lambda one: one.start)
    found: dict[int, list[Site]] = {}
    for site in sites:
        spot = (site.place.line, site.place.col)
        holding = [one for one in statements if one.start <= spot < one.end]
        for one in holding[-1:]:
            found.setdefault(one.number, []).append(site)
    return found


def _window(parts: Sequence[Part], line: int, n_nodes: int) -> tuple[range, int]:
    """Which parts are drawn, where folding alone does not make them few enough: those around the line, or the first."""
    if len(parts) <= n_nodes:
        return range(len(parts)), 0
    here = next((place for place, part in reversed(list(enumerate(parts))) if _first(part).start[0] <= line), 0)
    start = min(max(here - n_nodes // 2, 0), len(parts) - n_nodes)
    return range(start, start + n_nodes), len(parts) - n_nodes


def _first(part: Part) -> Statement:
    return part.blocks[0].statements[0]


# ----------------------------------------------------------------------------------------------------------------------- nodes


def _ends(scope: _Scope) -> Iterator[GraphNode]:
    """Where the scope is entered, where it ends well, where an exception leaves it."""
    one = scope.one
    labels = (short_name(one), "end", "raises")
    roles = (NodeRole.SUBJECT, NodeRole.EXIT, NodeRole.RAISED)
    for number, (label, role) in enumerate(zip(labels, roles, strict=True)):
        place = one.place if number == _ENTRY else Place(scope.file, one.end_line)
        own = stable_id("b", one.symbol, str(number))
        where = at(scope.index, one.place) if number == _ENTRY else ""
        level = -1 if number == _ENTRY else len(scope.flow.blocks)
        yield GraphNode(own, one.symbol, label, NodeKind.BLOCK, role, place, where, "", level)


def _id(scope: _Scope, part: Part) -> str:
    return stable_id("b", scope.one.symbol, str(_first(part).number), "folded" if part.head else "")


def _node(scope: _Scope, part: Part, place: int, line: int) -> GraphNode:
    first, last = _first(part), part.blocks[-1].statements[-1]
    is_here = any(one.start[0] <= line <= one.end[0] for block in part.blocks for one in block.statements)
    where = Place(scope.file, first.start[0], first.start[1])
    lines = f"line {first.start[0]}" if first.start[0] == last.end[0] else f"lines {first.start[0]}–{last.end[0]}"
    role = NodeRole.OTHER if any(block.is_reachable for block in part.blocks) else NodeRole.DEAD
    node = GraphNode(
        id=_id(scope, part),
        symbol=scope.one.symbol,
        label=f"#{place + 1} {lines}",
        kind=NodeKind.BLOCK,
        role=NodeRole.SUBJECT if is_here else role,
        place=where,
        at=at(scope.index, where),
        cluster="",
        level=place,
        notes=("unreachable",) if role is NodeRole.DEAD else (),
    )
    if not part.head:
        return replace(node, rows=tuple(_rows(scope, part.blocks[0])))
    command = f"flowmap graph {node.at} --kind control"
    return replace(
        node,
        role=node.role if node.role is NodeRole.DEAD else NodeRole.FOLDED,
        notes=(*node.notes, f"folded: {count(_n_sites(scope, part), 'call')} into the index"),
        cuts=cut_of(CutKind.BLOCKS, len(part.blocks), command),
    )


def _n_sites(scope: _Scope, part: Part) -> int:
    numbers = [one.number for block in part.blocks for one in block.statements]
    return sum(site.status is Status.RESOLVED for number in numbers for site in scope.sites.get(number, ()))


def _rows(scope: _Scope, block: BasicBlock) -> Iterator[GraphRow]:
    """The statements of a block, each with what it runs below it."""
    for one in block.statements:
        own = stable_id("r", scope.one.symbol, str(one.number))
        place = Place(scope.file, *one.start)
        yield GraphRow(own, RowKind.STATEMENT, one.text, abridged(one.text, _LONGEST_ROW), place, at(scope.index, place))
        yield from _called(scope, own, _run_at(scope, one))


def _run_at(scope: _Scope, one: Statement) -> Iterator[tuple[Site, Target]]:
    """What a statement runs inside the index. What leaves a `with` runs at its end, not at its head."""
    at_end = one.is_added and bool(one.inside)
    for site in scope.sites.get(one.inside[-1] if at_end else one.number, ()):
        for target in (*site.makes, *site.targets):
            leaves = site.kind is SiteKind.WITH and target.definition.name in _LEAVING
            if leaves == at_end and target.definition.kind is not DefinitionKind.EXTERNAL:
                yield site, target


def _called(scope: _Scope, statement: str, run: Iterable[tuple[Site, Target]]) -> Iterator[GraphRow]:
    """A line for each function that a statement runs, which leads to it."""
    found: dict[str, tuple[Target, list[Site]]] = {}
    for site, target in run:
        own = found.setdefault(target.definition.symbol, (target, []))[1]
        own += [site] if site not in own else []
    for symbol, (target, sites) in found.items():
        name = short_name(target.definition)
        kinds = [site.kind.value for site in sites if site.kind is not SiteKind.CALL]
        text = f"→ {_MARKS[target.confidence]}{name}{f'  ({kinds[0]})' if kinds else ''}"
        details = tuple(line for site in sites for line in site_details(scope.index, site, target, scope.question.detail))
        place = target.definition.place
        label = abridged(text, _LONGEST_ROW)
        yield GraphRow(stable_id("r", statement, symbol), RowKind.CALL, text, label, place, at(scope.index, place), details)


_LEAVING = ("__exit__", "__aexit__")
_MARKS = {Confidence.PROVEN: "", Confidence.INFERRED: "~ ", Confidence.POSSIBLE: "? "}


# ----------------------------------------------------------------------------------------------------------------------- edges


def _edges(scope: _Scope, ids: Mapping[int, str], nodes: Iterable[GraphNode]) -> Iterator[GraphEdge]:
    """A way for each pair of nodes and each kind, with all that is said of it; where control goes on anyway, an exception that
    leads to the same place is told with it. Out of what is folded control just goes on: its tests are not drawn."""
    roles = {node.id: node.role for node in nodes}
    found: dict[tuple[str, str, EdgeKind], list[Branch]] = {}
    for branch in scope.flow.branches:
        start, end = ids[branch.start], ids[branch.end]
        if start in roles and end in roles and (start != end or branch.start == branch.end):
            kind = _KINDS[branch.turn]
            if roles[start] is NodeRole.FOLDED and kind in _TESTED:
                kind = EdgeKind.AGAIN if len(_ENDS) <= branch.end < branch.start else EdgeKind.NEXT
            found.setdefault((start, end, kind), []).append(branch)
    for (start, end, kind), branches in found.items():
        along = found.get((start, end, EdgeKind.NEXT), ()) if kind is EdgeKind.RAISES else ()
        if not any(not each.label for each in along):
            together = [*branches, *(found.get((start, end, EdgeKind.RAISES), ()) if kind is EdgeKind.NEXT else ())]
            edge = _edge(scope, (start, end, kind), branches, [_told(each) for each in together])
            yield replace(edge, label="") if roles[start] is NodeRole.FOLDED else edge


def _edge(scope: _Scope, key: tuple[str, str, EdgeKind], branches: Sequence[Branch], told: Iterable[str]) -> GraphEdge:
    start, end, kind = key
    labels = list(dict.fromkeys(branch.label for branch in branches if branch.label))
    label = labels[0] if len(labels) == 1 else f"{len(labels)} ways" if labels else ""
    last = [one for block in scope.flow.blocks if block.number == branches[0].start for one in block.statements[-1:]]
    place = Place(scope.file, *last[0].start) if last else scope.one.place
    return GraphEdge(
        id=stable_id("e", start, end, kind),
        start=start,
        end=end,
        kind=kind,
        confidence=Confidence.PROVEN,
        label=_short(label),
        details=tuple(dict.fromkeys(each for each in told if each)),
        place=place,
        at=at(scope.index, place),
    )


def _short(label: str) -> str:
    one_line = " ".join(label.split())
    return abridged(one_line, _LONGEST_LABEL)


def _told(branch: Branch) -> str:
    """Why control goes that way."""
    return f"{branch.turn.value}: {branch.label}" if branch.label else branch.turn.value


def _cut(scope: _Scope, node: GraphNode, ids: Mapping[int, str], shown: set[str]) -> tuple[GraphCut, ...]:
    """What is next to a node and not drawn."""
    near = [
        other
        for branch in scope.flow.branches
        for one, other in ((branch.start, branch.end), (branch.end, branch.start))
        if ids[one] == node.id and ids[other] not in shown
    ]
    lines = [scope.flow.blocks[number].statements[0].start[0] for number in near]
    command = f"flowmap graph {scope.index.short_paths[scope.file]}:{min(lines, default=0)} --kind control"
    return cut_of(CutKind.BLOCKS_BESIDE, len({ids[number] for number in near}), command)


def _notes(scope: _Scope, nodes: Sequence[GraphNode], n_left_out: int) -> tuple[str, ...]:
    n_blocks = sum(block.role is BlockRole.BODY for block in scope.flow.blocks)
    n_statements = sum(not one.is_added for block in scope.flow.blocks for one in block.statements)
    notes = [f"{count(n_statements, 'statement')} in {count(n_blocks, 'block')}"]
    if any(node.role is NodeRole.FOLDED for node in nodes) or n_left_out:
        more = f", and {n_left_out} more" if n_left_out else ""
        notes.append(f"not drawn one by one: what is folded{more}; --nodes draws more, FILE:LINE what stands around a line")
    return (*notes, _NOTE)
