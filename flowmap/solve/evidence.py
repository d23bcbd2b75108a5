"""Chains of evidence: from what a site runs back to what the text says, and from what is unknown back to where that begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flowmap.model.hint import HINT
from flowmap.model.program import StepKind
from flowmap.solve.bounds import ANYTHING
from flowmap.solve.describe import describe
from flowmap.solve.makers import Makers
from flowmap.solve.state import EDGE_BITS, SEED, Found, State
from flowmap.solve.steps import NodeStep, Steps
from flowmap.solve.stopped import Unknown
from flowmap.solve.stored_over import how_surely
from flowmap.solve.values import Kind

EvidenceRow = tuple[int, int | None, int, int, int, str]  # id, parent id or None, file, line, step, name
Key = tuple[int, int]  # node, value
Link = tuple[Key, NodeStep, int]  # of a chain: the step of a key, and its stage
LONGEST_CHAIN = 24
MADE = (Kind.INSTANCE, Kind.CLASS, Kind.CONTAINER)  # what annotations and receivers stand for


class Evidence:
    """Chains as rows that share their tails."""

    def __init__(self, state: State, makers: Makers) -> None:
        self.state = state
        self.makers = makers
        self.rows: list[EvidenceRow] = []
        self.known: dict[Key, int] = {}
        self.builtins: dict[str, int] = {}
        self.steps = Steps(state, makers)
        self.unknown = Unknown(state, makers, self.steps)

    def chain(self, found: Found) -> int | None:
        """The id of the first step of a target's evidence, the steps behind it made when first asked for."""
        return self.keep(self.walk(found.node, found.value))

    def stopped(self, site: int) -> int | None:
        """The id of the first step from a site without a target back to what is unknown; None where nothing is called."""
        callee = self.makers.callee(site)
        if callee is None:
            return None
        held = self.state.points[callee]
        if held:
            return self.keep(self.walk(callee, next(iter(held))))
        return self.keep([((node, NO_VALUE), step, 0) for node, step in self.unknown.way(callee)])

    def keep(self, steps: list[Link]) -> int | None:
        """The id of the first of these steps, rows made for those that have none yet. That the callee is read off something is
        said by the site itself, so it is left out where more follows."""
        if len(steps) > 1 and steps[0][1].kind == StepKind.ATTRIBUTE:
            steps = steps[1:]
        parent: int | None = None
        for key, step, stage in reversed(steps):
            known = self.known.get(key)
            if known is None:
                known = self.known[key] = self.add(step, parent, stage)
            parent = known
        return parent

    def add(self, step: NodeStep, parent: int | None, stage: int) -> int:
        """The id of a new row; a builtin, which stands on no line, has one row for all files."""
        if step.kind == StepKind.BUILTIN and step.name in self.builtins:
            return self.builtins[step.name]
        number = len(self.rows)
        self.rows.append((number, parent, step.file, step.line, step.kind * 2 + stage, step.name))
        if step.kind == StepKind.BUILTIN:
            self.builtins[step.name] = number
        return number

    def walk(self, node: int, value: int) -> list[Link]:
        """The steps from a target back to what the text says, those that tell nothing left out."""
        steps: list[Link] = []
        for key in self.keys(node, value):
            step = self.ending(key, self.steps.of(key[0]))
            if steps and key not in self.known and tells_less(step, steps[-1][1]):
                continue
            if steps and tells_less(steps[-1][1], step):
                steps.pop()
            steps.append((key, step, self.stage(key)))
        return steps

    def keys(self, node: int, value: int) -> Iterator[Key]:
        """The nodes and values from a target back to where it began, or to what is kept already."""
        for _ in range(LONGEST_CHAIN):
            yield node, value
            before = self.before(node, value)
            if before is None or (node, value) in self.known:
                return
            node, value = before

    def before(self, node: int, value: int) -> Key | None:
        """Where a value at a node came from."""
        parent = self.state.parent_of(node, value)
        if parent < 0:
            return None
        return parent, self.state.changed.get(node << EDGE_BITS | value, self.named(parent, value))

    def named(self, node: int, value: int) -> int:
        """The value as it was at the node that it came from: something from outside loses its name on the way."""
        held = self.state.points[node] or ()
        kinds, payloads = self.state.values.kinds, self.state.values.payloads
        if value in held or kinds[value] != Kind.THING or payloads[value] != ANYTHING:
            return value
        return next((one for one in held if kinds[one] in (Kind.THING, Kind.OUTSIDE)), value)

    def stage(self, key: Key) -> int:
        """How surely a value is at a node: 0 proven, 1 inferred."""
        return how_surely(self.state, *key)

    def sureness(self, found: Found) -> int:
        """How surely a site runs a target: 0 proven, 1 inferred."""
        return max(found.stage, how_surely(self.state, found.node, found.value))

    def ending(self, key: Key, step: NodeStep) -> NodeStep:
        """The step, said more exactly where the value began there: a receiver, or what an annotation stands for."""
        node, value = key
        begins = value in (self.state.points[node] or ()) and self.state.parent_of(node, value) == SEED
        if not begins or step.kind == StepKind.DEFINED or self.state.values.kinds[value] not in MADE:
            return step
        if step.kind == StepKind.PARAMETER and self.is_receiver(node):
            return replace(step, kind=StepKind.RECEIVER, name=describe(self.state, value))
        if self.state.values.kinds[value] == Kind.INSTANCE and not step.name.startswith(HINT):
            return replace(step, kind=StepKind.DECLARED, name=describe(self.state, value))
        return step

    def is_receiver(self, node: int) -> bool:
        """Whether a node is the first parameter of a method."""
        origin, _ = self.state.origin(node)
        function = self.makers.function(origin)
        if function not in self.state.program.methods:
            return False
        file, local = self.makers.place(origin)
        params = self.state.layout.scopes[function].params
        return bool(params) and params[0][0] == self.state.layout.files[file].labels.get(local)


NO_VALUE = -1  # the value of a key that stands for a node where nothing is known


def tells_less(step: NodeStep, other: NodeStep) -> bool:
    """Whether a step says nothing beside another one on its line: the same, no name, or the name of what is defined there."""
    if (step.file, step.line) != (other.file, other.line):
        return False
    named = step.kind == StepKind.NAME and other.kind == StepKind.DEFINED and step.name == other.name
    return step == other or step.kind == StepKind.EXPRESSION or named
