"""What is drawn of fields and of those who touch them: functions with the lines where they do, fields, the ways between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from flowmap.follow.blocks import in_one_loop, is_called_in_a_loop
from flowmap.follow.search import Following
from flowmap.follow.slices import Member
from flowmap.follow.world import World
from flowmap.model.access import Access, AccessKind, LifeStage
from flowmap.model.flow import FlowStep, What
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
from flowmap.model.program import Confidence, Definition
from flowmap.reports.abridged import abridged
from flowmap.reports.flow import AGAIN, LATER, UNSEEN
from flowmap.reports.graph_parts import GraphQuestion, at, clusters_of, cut_of, stable_id
from flowmap.reports.phrases import short_name
from flowmap.store.accesses import accesses_of
from flowmap.store.index import Index

_MOST_OWNERS = 6  # that a field without a class is drawn for
_LONGEST_ROW = 60
_MOST_AROUND = 6  # functions around a field that was not asked about
_N_OWNERS_NAMED = 2
_NO_OWNER = "owner unknown"
_ROW_KINDS = {
    What.BORN: RowKind.BORN,
    What.STORED: RowKind.WRITE,
    What.UPDATED: RowKind.WRITE,
    What.DROPPED: RowKind.WRITE,
    What.LOADED: RowKind.READ,
}
COMMANDS = {Following.ORIGIN: "depends", Following.VALUE: "impact"}
_RANK = (RowKind.BORN, RowKind.WRITE, RowKind.READ, RowKind.RENAMED, RowKind.CALL)
_WORDS = {RowKind.BORN: "born", RowKind.WRITE: "store", RowKind.READ: "read", RowKind.RENAMED: "moves", RowKind.CALL: "call"}
_FieldKey = tuple[tuple[str, ...], str]  # the symbols of its owners, and its name
_End = tuple[str, str]  # a node, and a row in it


@dataclass(slots=True)
class _Row:
    """A line of a function, while it is put together."""

    place: Place
    code: str
    kinds: set[RowKind] = field(default_factory=set)
    words: dict[str, None] = field(default_factory=dict)
    details: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class StateDrawing:
    """What is drawn so far. A function or field is drawn while there is room; what is left out is counted at its neighbour."""

    world: World
    question: GraphQuestion
    functions: dict[int, dict[int, _Row]] = field(default_factory=dict)
    fields: dict[_FieldKey, Place | None] = field(default_factory=dict)  # with the place where it is declared
    asked: set[_FieldKey] = field(default_factory=set)
    edges: dict[tuple[_End, _End, EdgeKind], list[tuple[str, str, Confidence, Place]]] = field(default_factory=dict)
    owners: dict[tuple[str, int, str, bool], tuple[str, ...]] = field(
        default_factory=dict
    )  # by place, name, and whether it is written
    left_out: dict[tuple[str, str], set[int]] = field(default_factory=dict)  # functions, by the node next to them and a command

    # ------------------------------------------------------------------ accesses

    def access(self, access: Access) -> None:
        """An access of the field that was asked about."""
        key = (_symbols(access.owners), access.field)
        if key not in self.fields and len(self.asked) >= _MOST_OWNERS:
            key = ((), access.field)
        self.asked.add(key)
        self.fields.setdefault(key, None)
        if access.stage is LifeStage.DECLARED:
            self.fields[key] = self.fields[key] or access.place
            return
        kind = _kind(access)
        own = self.row(access.function.id, access.place, kind, access.stage.value)
        if own is None:
            return
        self.functions[access.function.id][access.place.line].details.update(dict.fromkeys(_guards(access)))
        self.edge(own, _of_field(key), access, kind)

    def iterations(self, accesses: Sequence[Access]) -> None:
        """Where a function reads the field above the line where it writes it, and a loop stands around both or around its call:
        what the one turn writes the next one reads."""
        written: dict[tuple[_FieldKey, int], list[int]] = {}
        for each in accesses:
            if each.kind is not AccessKind.READ and each.stage is not LifeStage.DECLARED:
                written.setdefault((self.asked_key(each), each.function.id), []).append(each.place.line)
        for each in accesses:
            key, line = self.asked_key(each), each.place.line
            below = [other for other in written.get((key, each.function.id), ()) if other > line]
            if each.kind is AccessKind.READ and below and self.repeats(each.function.id, (line, max(below))):
                row = self.row(each.function.id, each.place, RowKind.READ, each.stage.value)
                told = f"what is written on line {max(below)} of one turn is read by the next, where it is the same object"
                if row:
                    ends = (_of_field(key), row, EdgeKind.LATER)
                    self.edges.setdefault(ends, []).append((LATER, told, each.confidence, each.place))

    def repeats(self, function: int, lines: tuple[int, int]) -> bool:
        """Whether a loop stands around two lines of a function, or around a call of it."""
        return in_one_loop(self.world, function, lines) or is_called_in_a_loop(self.world, function)

    def asked_key(self, access: Access) -> _FieldKey:
        """The field that an access is drawn at."""
        key = (_symbols(access.owners), access.field)
        return key if key in self.asked else ((), access.field)

    def line(self, function: Definition, place: Place, word: str) -> None:
        """A line of a function that touches no field."""
        self.row(function.id, place, RowKind.CALL, word)

    def edge(self, row: _End, of_field: _End, access: Access, kind: RowKind) -> None:
        ends = (of_field, row) if kind is RowKind.READ else (row, of_field)
        turn = EdgeKind.READS if kind is RowKind.READ else EdgeKind.WRITES
        self.edges.setdefault((*ends, turn), []).append(("", access.stage.value, access.confidence, access.place))

    def learn(self, names: Iterable[str]) -> None:
        """Whose the fields of these names are, at each place."""
        for access in accesses_of(self.index, sorted(set(names)), Confidence.INFERRED):
            key = (access.place.file, access.place.line, access.field, access.kind is not AccessKind.READ)
            self.owners.setdefault(key, _symbols(access.owners))

    # -------------------------------------------------------------------- slices

    def member(self, member: Member, following: Following) -> None:
        """A step away from the field, and the way between it and the step that brings it in. What hangs on a step that is not
        drawn is not drawn either."""
        step, before = member.step, member.before
        if before and before.what is not What.CARRIED and not self.is_drawn(before):
            return
        own = None if self.is_crowded(step) else self.step(step)
        if own is None:
            self.leave_out(step, before, following)
            return
        if step.what is What.STORED:
            self.join(own, self.field(step), EdgeKind.WRITES, step)
        if step.what is What.LOADED:
            self.join(self.field(step), own, EdgeKind.LATER if step.later or step.again else EdgeKind.READS, step)
        near = self.step(before) if before and before.what is not What.CARRIED else None
        if before and near:
            ends = ((step, own), (before, near)) if following is Following.ORIGIN else ((before, near), (step, own))
            self.way(*ends)

    def is_drawn(self, step: FlowStep) -> bool:
        """Whether the line of a step is."""
        return step.line in self.functions.get(step.function, ())

    def is_crowded(self, step: FlowStep) -> bool:
        """Whether a step loads or stores a field that many functions do already, and its function is not yet drawn."""
        if step.function in self.functions or step.what not in (What.LOADED, What.STORED):
            return False
        key = self.key(step)
        near = {end[0] for ends in self.edges for end in ends[:2] if _of_field(key)[0] in (ends[0][0], ends[1][0])}
        return key not in self.asked and len(near) > _MOST_AROUND

    def leave_out(self, step: FlowStep, before: FlowStep | None, following: Following) -> None:
        """Counts a step at its field, or at the function that it comes from."""
        if step.what in (What.LOADED, What.STORED) and self.key(step) in self.fields:
            number, command = _of_field(self.key(step))[0], f"flowmap state {step.detail}"
        elif before:
            symbol = self.world.definition(before.function).symbol
            number, command = stable_id("n", symbol), f"flowmap {COMMANDS[following]} {self.question.name.strip()}"
        else:
            return
        self.left_out.setdefault((number, command), set()).add(step.function)

    def way(self, start: tuple[FlowStep, _End], end: tuple[FlowStep, _End]) -> None:
        """From one step to the next in the order of the value; between a store and a load there is the field."""
        (first, from_), (second, to) = start, end
        if from_[0] != to[0] and not (first.what is What.STORED and second.what is What.LOADED):
            crosses = first.what is What.PASSED and " " in first.detail
            self.join(from_, to, EdgeKind.BORDER if crosses else EdgeKind.MOVES, first if crosses else second)

    def join(self, start: _End | None, end: _End | None, kind: EdgeKind, step: FlowStep) -> None:
        if start is None or end is None:
            return
        said = [text for text, holds in ((LATER, step.later), (AGAIN, step.again), (UNSEEN, step.unseen)) if holds]
        label = said[0] if said and kind is EdgeKind.LATER else step.detail if kind is EdgeKind.BORDER else ""
        strength = Confidence.INFERRED if step.unseen else Confidence.PROVEN
        told = " ".join(filter(None, (step.what.value, step.detail, *(f"({each})" for each in said))))
        place = Place(step.file, step.line)
        self.edges.setdefault((start, end, kind), []).append((label, told, strength, place))

    def step(self, step: FlowStep) -> _End | None:
        """The line of a step; None where there is no room for its function."""
        kind = _ROW_KINDS.get(step.what, RowKind.RENAMED)
        return self.row(step.function, Place(step.file, step.line), kind, step.what.value)

    def key(self, step: FlowStep) -> _FieldKey:
        """The field that a step loads or stores: one that is drawn, where it shares an owner with that."""
        is_write = step.what is not What.LOADED
        where = (step.file, step.line, step.detail)
        owners = self.owners.get((*where, is_write)) or self.owners.get((*where, not is_write), ())
        shared = (known for known in self.fields if known[1] == step.detail and set(owners) & set(known[0]))
        return next(shared, (owners, step.detail))

    def field(self, step: FlowStep) -> _End | None:
        """The field that a step stores or loads; None where there is no room for it, or it is an element of a container."""
        if not step.detail.isidentifier():
            return None
        key = self.key(step)
        if key not in self.fields:
            if not self.has_room:
                return None
            self.fields[key] = None
        return _of_field(key)

    # --------------------------------------------------------------------- parts

    @property
    def index(self) -> Index:
        """The index that is asked."""
        return self.world.index

    @property
    def has_room(self) -> bool:
        """Whether one more node is drawn."""
        return len(self.functions) + len(self.fields) < self.question.n_nodes

    def row(self, function: int, place: Place, kind: RowKind, word: str) -> _End | None:
        """A line of a function; None where there is no room for the function."""
        if function not in self.functions:
            if not self.has_room:
                return None
            self.functions[function] = {}
        lines = self.index.text_lines(place.file)
        text = lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""
        own = self.functions[function].setdefault(place.line, _Row(place, text))
        own.kinds.add(kind)
        own.words[word] = None
        symbol = self.world.definition(function).symbol
        return stable_id("n", symbol), stable_id("r", symbol, str(place.line))

    def graph(self, title: str, notes: Sequence[str]) -> Graph:
        """All that was drawn."""
        shown = [self.world.definition(number) for number in self.functions]
        nodes = [*(self.function_node(one) for one in shown), *(self.field_node(key) for key in self.fields)]
        levels = _levels(nodes, [(start[0], end[0]) for start, end, _ in self.edges])
        nodes = [replace(node, cuts=self.cuts(node.id)) for node in nodes]
        n_left_out = len({each for found in self.left_out.values() for each in found} - set(self.functions))
        edges = tuple(self.graph_edge(key, told) for key, told in self.edges.items())
        placed = (_at_level(node, levels) for node in nodes)
        ordered = tuple(sorted(placed, key=lambda node: (node.level, node.symbol)))
        return Graph(GraphKind.STATE, title, ordered, edges, clusters_of(shown), n_left_out, tuple(notes))

    def cuts(self, number: str) -> tuple[GraphCut, ...]:
        """What is next to a node and not drawn."""
        found = [(out - set(self.functions), command) for (node, command), out in self.left_out.items() if node == number]
        told = [([short_name(self.world.definition(each)) for each in out], command) for out, command in found]
        return tuple(cut for names, command in told for cut in cut_of(CutKind.FUNCTIONS, len(names), command, names))

    def function_node(self, one: Definition) -> GraphNode:
        rows = [self.graph_row(one, row) for _, row in sorted(self.functions[one.id].items())]
        return GraphNode(
            id=stable_id("n", one.symbol),
            symbol=one.symbol,
            label=short_name(one),
            kind=one.kind,
            role=NodeRole.OTHER,
            place=one.place,
            at=at(self.index, one.place),
            cluster=stable_id("c", one.module) if one.module else "",
            level=0,
            rows=tuple(rows),
        )

    def graph_row(self, one: Definition, row: _Row) -> GraphRow:
        kind = min(row.kinds, key=_RANK.index)
        text, words = f"{row.place.line} {row.code}", ", ".join(row.words)
        label = f"{_WORDS[kind]:5} {abridged(text, _LONGEST_ROW)}"
        own, where = stable_id("r", one.symbol, str(row.place.line)), at(self.index, row.place)
        return GraphRow(own, kind, f"{text}  ({words})", label, row.place, where, (words, *row.details))

    def field_node(self, key: _FieldKey) -> GraphNode:
        owners, name = key
        named = [symbol.rpartition(".")[2] for symbol in owners[:_N_OWNERS_NAMED]]
        more = [f"{len(owners) - _N_OWNERS_NAMED} more"] if len(owners) > _N_OWNERS_NAMED else []
        label = f"{' or '.join([*named, *more])}.{name}" if owners else f".{name}"
        role = NodeRole.SUBJECT if key in self.asked else NodeRole.OTHER
        notes = () if owners else (_NO_OWNER,)
        symbol = f"{owners[0] if owners else ''}.{name}"
        place = self.fields[key]
        return GraphNode(_of_field(key)[0], symbol, label, NodeKind.FIELD, role, place, at(self.index, place), "", 0, notes)

    def graph_edge(self, key: tuple[_End, _End, EdgeKind], told: Sequence[tuple[str, str, Confidence, Place]]) -> GraphEdge:
        (start, start_row), (end, end_row), kind = key
        labels = list(dict.fromkeys(label for label, *_ in told if label))
        strengths = [strength for _, _, strength, _ in told]
        place = told[0][3]
        return GraphEdge(
            id=stable_id("e", start, start_row, end, end_row, kind),
            start=start,
            end=end,
            kind=kind,
            confidence=min(strengths, key=tuple(Confidence).index),
            label=labels[0] if labels else "",
            details=tuple(dict.fromkeys(f"{at(self.index, where)}  {text}" for _, text, _, where in told)),
            place=place,
            at=at(self.index, place),
            start_row=start_row,
            end_row=end_row,
        )


def _kind(access: Access) -> RowKind:
    if access.stage is LifeStage.BORN:
        return RowKind.BORN
    return RowKind.READ if access.kind is AccessKind.READ else RowKind.WRITE


def _symbols(owners: Sequence[Definition]) -> tuple[str, ...]:
    return tuple(sorted(owner.symbol for owner in owners))


def _of_field(key: _FieldKey) -> _End:
    owners, name = key
    return stable_id("f", *owners, name), ""


def _guards(access: Access) -> Iterator[str]:
    if access.guards:
        yield " › ".join(access.guards)
    if access.expr_guards:
        yield f"when {' and '.join(access.expr_guards)}"


def _at_level(node: GraphNode, levels: Mapping[str, int]) -> GraphNode:
    return replace(node, level=levels.get(node.id, 0))


def _levels(nodes: Sequence[GraphNode], ways: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How many steps each node is away from the fields that were asked about: below 0 what leads to them."""
    asked = [node.id for node in nodes if node.role is NodeRole.SUBJECT]
    found = dict.fromkeys(asked, 0)
    for sign, pairs in ((1, ways), (-1, [(end, start) for start, end in ways])):
        following: dict[str, list[str]] = {}
        for start, end in pairs:
            following.setdefault(start, []).append(end)
        border, level = asked, 0
        while border:
            level += 1
            border = list(dict.fromkeys(end for each in border for end in following.get(each, ()) if end not in found))
            found.update(dict.fromkeys(border, sign * level))
    return found
