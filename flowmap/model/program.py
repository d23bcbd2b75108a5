"""Definitions, call sites and targets, as the index gives them back.

A symbol is kept as its exported text: `module + "." + __qualname__`, by definition and not by how it is reached. It is
never split again: what a reader needs of it (module, name, owner) stands beside it. A symbol outside the indexed code is
its dotted name with `ext:` before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.place import Place


class DefinitionKind(StrEnum):
    """What a definition defines."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    PROPERTY = "property"
    LAMBDA = "lambda"
    EXTERNAL = "external"


class SiteKind(StrEnum):
    """What at a call site makes something run (see `docs/reference/formats.md`)."""

    CALL = "call"
    PROPERTY = "property"
    DECORATOR = "decorator"
    WITH = "with"
    OPERATOR = "operator"
    ITERATION = "iteration"
    AWAIT = "await"
    DISPATCH = "dispatch"
    BORDER = "border"


class Status(StrEnum):
    """How much is known of what a site runs."""

    RESOLVED = "resolved"  # at least one target in the indexed code
    EXTERNAL = "external"  # runs code outside the index
    BUILTIN = "builtin"
    UNRESOLVED = "unresolved"
    DYNAMIC = "dynamic"  # a computed name without a constant part


class Confidence(StrEnum):
    """How strong the weakest step of the evidence is, strongest first."""

    PROVEN = "proven"
    INFERRED = "inferred"
    POSSIBLE = "possible"


@dataclass(frozen=True, slots=True)
class Definition:
    """A module, class or function. `owner` is the symbol of the enclosing class, function or module ("" for a module)."""

    id: int
    symbol: str
    name: str
    kind: DefinitionKind
    place: Place | None  # None outside the indexed code
    end_line: int
    owner: str
    module: str
    signature: str  # "(self, batch: ScheduleBatch) -> None"; bases of a class: "(Base, Mixin)"; "" for a module
    decorators: tuple[str, ...]
    doc: str  # first line of the docstring


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the evidence for a target, the last one first: what is known there, and where it stands."""

    place: Place | None
    what: str


@dataclass(frozen=True, slots=True)
class Target:
    """What a site may run, how surely, and why."""

    definition: Definition
    confidence: Confidence
    evidence: int  # id of the first evidence step; the index gives the chain on demand


@dataclass(frozen=True, slots=True)
class Site:
    """A place where something runs. Guards as in `docs/reference/formats.md`: enclosing, inside the expression, early exits."""

    id: int
    caller: Definition
    place: Place  # first line of the expression
    name_line: int
    expr: str
    kind: SiteKind
    status: Status
    reason: str  # why it is not resolved, "" when it is
    guards: tuple[str, ...]
    expr_guards: tuple[str, ...]
    early_exit_guards: tuple[str, ...]
    targets: tuple[Target, ...]
    makes: tuple[Target, ...] = ()  # the classes that it makes an instance of, whichever constructors run for that


@dataclass(frozen=True, slots=True)
class ClassOrder:
    """A class's method resolution order, itself first, and for each method and property the definition that wins."""

    symbol: str
    order: tuple[str, ...]
    provides: tuple[tuple[str, str], ...]  # (name, symbol of the definition), by name


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name. `name` is "" for `import module`, "*" for a star. `target` is its file, "" when that is outside."""

    place: Place
    module: str
    name: str
    alias: str
    target: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table from a key to a class or function: `{"npu": NpuRunner}` or `(RequestType, self.handle)`."""

    place: Place
    table: str  # the name that the table is assigned to, or the dispatcher's class
    key: str
    targets: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A function that nothing in the indexed code calls and something outside can, with the reason."""

    definition: Definition
    why: str


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of the subject. `problem` says why it gave no facts, "" when it did."""

    path: str
    module: str
    n_lines: int
    problem: str
