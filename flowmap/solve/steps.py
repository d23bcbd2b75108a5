"""Nodes as steps of a chain: what each is in the text, how it is called, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from flowmap.link.names import BUILTIN_NAMES
from flowmap.model.facts import Op, Row
from flowmap.model.program import StepKind
from flowmap.solve.makers import Makers
from flowmap.solve.state import State


@dataclass(frozen=True, slots=True)
class NodeStep:
    """One step: where, what kind, and how it is called."""

    file: int
    line: int
    kind: StepKind
    name: str


LABELLED = {"return": StepKind.RESULT, "yield": StepKind.YIELD}  # no variable can be called so
MADE_BY = {
    Op.IMPORT: StepKind.IMPORT,
    Op.FUNCTION: StepKind.DEFINED,
    Op.CLASS: StepKind.DEFINED,
    Op.LITERAL: StepKind.LITERAL,
    Op.STRING: StepKind.LITERAL,
    Op.GETITEM: StepKind.ELEMENT,
    Op.ELEMENT: StepKind.ELEMENT,
}
ELEMENT = "element"


class Steps:
    """The steps of all nodes, read when first asked for."""

    def __init__(self, state: State, makers: Makers) -> None:
        self.state = state
        self.makers = makers
        self.known: dict[int, NodeStep] = {}

    def of(self, node: int) -> NodeStep:
        """The step of a node of the text or of one made while solving."""
        found = self.known.get(node)
        if found is None:
            origin, label = self.state.origin(node)
            file, local = self.makers.place(origin)
            kind, name = beside(label) if label else self.of_text(origin, (file, local))
            line = self.state.layout.files[file].node_lines[local] or self.state.imports.star_line(file, name)
            found = self.known[node] = NodeStep(file, line, kind, name)
        return found

    def of_text(self, node: int, at: tuple[int, int]) -> tuple[StepKind, str]:
        """Kind and name of a node of the text; `at` is its file and its number there."""
        file, local = at
        label = self.state.layout.files[file].labels.get(local, "")
        if label in LABELLED:
            return LABELLED[label], self.function_name(node)
        row = self.makers.row(node)
        if row is None:
            return self.unmade(node, at, label)
        match row[0]:
            case Op.ATTR | Op.METHOD:
                return StepKind.ATTRIBUTE, row[3]
            case Op.CALL:
                return StepKind.CALL, self.called(row, file)
            case Op.ANNOTATE if label and self.is_parameter(node, at):
                return StepKind.PARAMETER, label
            case Op.SUPER:
                return StepKind.CALL, "super"
            case _:
                usual = StepKind.NAME if label else StepKind.EXPRESSION
                return MADE_BY.get(row[0], usual), label

    def unmade(self, node: int, at: tuple[int, int], label: str) -> tuple[StepKind, str]:
        """What no row makes: a parameter, a builtin, or a name that comes from elsewhere."""
        file, local = at
        if not label:
            return StepKind.EXPRESSION, ""
        if self.is_parameter(node, at):
            return StepKind.PARAMETER, label
        unbound = self.state.layout.files[file].node_lines[local] == 0
        return (StepKind.BUILTIN if unbound and label in BUILTIN_NAMES else StepKind.NAME), label

    def is_parameter(self, node: int, at: tuple[int, int]) -> bool:
        """Whether a named node is what a parameter receives, before or behind its annotation."""
        function = self.makers.function(node)
        if function < 0:
            return False
        row = self.makers.row(node)
        inward = row[1] if row is not None and row[0] == Op.ANNOTATE else at[1]
        return any(inward == given for _, given, _, _ in self.state.layout.scopes[function].params)

    def function_name(self, node: int) -> str:
        """The name of the function that owns a node."""
        function = self.makers.function(node)
        return "" if function < 0 else self.state.layout.scopes[function].name

    def called(self, row: Row, file: int) -> str:
        """The last name of what a row calls, "" where it has none."""
        callee = row[2] + self.state.layout.node_base[file]
        read = self.makers.read(callee)
        return read[1] if read is not None else self.state.layout.files[file].labels.get(row[2], "")


def beside(label: str) -> tuple[StepKind, str]:
    """Kind and name of a node that a rule made: its label says which."""
    if label.startswith(ELEMENT):
        return StepKind.ELEMENT, label.removeprefix(ELEMENT).strip().lstrip("\0")
    return (StepKind.FIELD if "." in label else StepKind.IMPLICIT), label
