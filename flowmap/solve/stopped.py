"""The way from something unknown back to where the unknown begins."""

from __future__ import annotations

from collections.abc import Iterator

from flowmap.model.facts import Op, Row
from flowmap.model.program import StepKind
from flowmap.solve.describe import describe
from flowmap.solve.makers import Makers
from flowmap.solve.state import State
from flowmap.solve.steps import NodeStep, Steps
from flowmap.solve.values import Kind

LONGEST_WAY = 16
SOURCES = {  # the operand of a row that what it makes comes from
    Op.COPY: 2,
    Op.FILTER: 2,
    Op.ANNOTATE: 1,
    Op.ATTR: 2,
    Op.METHOD: 2,
    Op.CALL: 2,
    Op.CATCH: 2,
    Op.GETITEM: 2,
    Op.ELEMENT: 2,
    Op.AWAIT: 2,
    Op.ENTER: 2,
    Op.OPERATOR: 3,
    Op.DECORATE: 2,
    Op.SUPER: 3,
}
READS = (Op.ATTR, Op.METHOD)
FROM_OUTSIDE = (Kind.OUTSIDE, Kind.THING)


class Unknown:
    """Follows what is unknown. Works on the text's own nodes, where every activation of a function is one."""

    def __init__(self, state: State, makers: Makers, steps: Steps) -> None:
        self.state = state
        self.makers = makers
        self.steps = steps

    def way(self, node: int) -> Iterator[tuple[int, NodeStep]]:
        """The steps from a node of the text where nothing is known, that node first, to the one where that begins."""
        seen: set[int] = set()
        following: int | None = node
        while following is not None and following not in seen and len(seen) < LONGEST_WAY:
            seen.add(following)
            step, before = self.step(following)
            yield following, step
            following = before

    def step(self, node: int) -> tuple[NodeStep, int | None]:
        """The step of a node, and the unknown node that it comes from; None where the unknown begins here."""
        plain = self.steps.of(node)
        if node in self.state.widened:
            return renamed(plain, StepKind.LET_GO, plain.name), None
        if node in self.state.nothing:
            return renamed(plain, StepKind.NOTHING, ""), None
        if node in self.state.computed:
            return renamed(plain, StepKind.COMPUTED, ""), None
        row = self.makers.row(node)
        if row is None or row[0] not in SOURCES:
            return self.end(plain, row), None
        base = self.state.layout.node_base[self.makers.place(node)[0]]
        source = row[SOURCES[row[0]]] + base
        held = self.state.points[source]
        if not held:
            return plain, source
        return self.known_source(plain, row, next(iter(held)))

    def end(self, plain: NodeStep, row: Row | None) -> NodeStep:
        """The step of a node that no other node makes."""
        if row is not None and row[0] == Op.IMPORT:
            return renamed(plain, StepKind.NO_VALUE, f"{row[2]}.{row[3]}".strip("."))
        match plain.kind:
            case StepKind.PARAMETER:
                return renamed(plain, StepKind.UNFED, plain.name)
            case StepKind.NAME | StepKind.BUILTIN:
                return renamed(plain, StepKind.UNBOUND, plain.name)
            case _:
                return plain

    def known_source(self, plain: NodeStep, row: Row, value: int) -> tuple[NodeStep, int | None]:
        """Something known gives nothing known: an attribute that is not there, or a call whose result says nothing."""
        if row[0] in READS:
            return renamed(plain, StepKind.NO_VALUE, f"{describe(self.state, value)}.{row[3]}"), None
        if row[0] in (Op.GETITEM, Op.ELEMENT):
            return renamed(plain, StepKind.EMPTY, describe(self.state, value)), None
        if row[0] == Op.CALL and self.state.values.kinds[value] in FROM_OUTSIDE:
            return renamed(plain, StepKind.OUTSIDE, describe(self.state, value)), None
        return plain, self.result(value)

    def result(self, value: int) -> int | None:
        """The node of what a function returns, as far as nothing is known there."""
        kinds, payloads = self.state.values.kinds, self.state.values.payloads
        if kinds[value] == Kind.BOUND:
            value = payloads[value][0]
        if kinds[value] != Kind.FUNCTION:
            return None
        scope = payloads[value][0]
        layout = self.state.layout
        node = layout.scopes[scope].result + layout.node_base[layout.scope_file[scope]]
        return None if self.state.points[node] else node


def renamed(step: NodeStep, kind: StepKind, name: str) -> NodeStep:
    """The same place, said otherwise."""
    return NodeStep(step.file, step.line, kind, name)
