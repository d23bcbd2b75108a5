"""Definitions, call sites and targets, as the index gives them back.

A symbol is kept as its exported text: `module + "." + __qualname__`, by definition and not by how it is reached. It is
never split again: what a reader needs of it (module, name, owner) stands beside it. A symbol outside the indexed code is
its dotted name with `ext:` before it. Most nouns here are named tuples: the classes of dataclasses take Python seven times as
long, at the start of each command.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import NamedTuple

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
    ATTRIBUTE = "attribute"  # a name that a class body assigns


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
    PRUNED = "pruned"  # does not run in the configuration that is asked about


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

    @property
    def short(self) -> str:
        """The name that a reader knows it by: without its module, `.<locals>` left out."""
        if self.kind is DefinitionKind.MODULE:
            return self.symbol
        return self.symbol.removeprefix("ext:").removeprefix(f"{self.module}.").replace(".<locals>", "")


class Held(StrEnum):
    """What a class holds under a name that its body assigns."""

    FUNCTION = "function"
    PROPERTY = "property"
    CLASS = "class"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Attribute(Definition):
    """A name that a class body assigns: no definition of its own, but what the class provides under that name. Its id is
    negative, its symbol that of the class, a dot and the name; `definitions` are those that it holds."""

    holds: Held
    definitions: tuple[Definition, ...]


class StepKind(IntEnum):
    """What a value was at one step of its way. The index keeps the numbers: a new kind gets a new one."""

    EXPRESSION = 0
    NAME = 1  # a variable
    PARAMETER = 2
    RECEIVER = 3  # the first parameter of a method: the name is that of the class it stands for
    RESULT = 4  # what a function returns
    YIELD = 5
    ATTRIBUTE = 6  # read off something
    CALL = 7  # what a call gives
    FIELD = 8
    ELEMENT = 9
    IMPORT = 10
    DEFINED = 11  # a `def` or `class`
    DECLARED = 12  # an annotation stands in where nothing flows
    LITERAL = 13
    BUILTIN = 14
    IMPLICIT = 15  # a special method, or what it gives
    # Where a way ends that leads back to what is unknown:
    UNFED = 16  # a parameter to which nothing known is passed
    OUTSIDE = 17  # what code outside the index gives
    NO_VALUE = 18  # an attribute that is known to exist nowhere, or never to hold anything
    UNBOUND = 19  # a name that nothing binds
    NOTHING = 20  # None, and what has no value worth following
    COMPUTED = 21  # a name that is computed
    LET_GO = 22  # flow beyond the bound
    EMPTY = 23  # a container that holds nothing known


class Step(NamedTuple):
    """One link of a chain, the last one first: what is known there (or is not), how surely, and where it stands."""

    place: Place | None
    kind: StepKind
    name: str
    confidence: Confidence


class LetGo(NamedTuple):
    """Where flow was let go because more came together than is followed. `site` is the id of a call that is concerned."""

    site: int | None
    place: Place
    kind: StepKind
    name: str


class Target(NamedTuple):
    """What a site may run, how surely, and why."""

    definition: Definition
    confidence: Confidence
    evidence: int  # id of the first evidence step; the index gives the chain on demand


class Site(NamedTuple):
    """A place where something runs. Guards as in `docs/reference/formats.md`: enclosing, inside the expression, early exits."""

    id: int
    caller: Definition
    place: Place  # first line of the expression
    name_line: int
    expr: str
    kind: SiteKind
    status: Status
    reason: str  # why it is not resolved; of a border, where its targets run; else ""
    guards: tuple[str, ...]
    expr_guards: tuple[str, ...]
    early_exit_guards: tuple[str, ...]
    targets: tuple[Target, ...]
    makes: tuple[Target, ...] = ()  # the classes that it makes an instance of, whichever constructors run for that


class Pruned(NamedTuple):
    """What a site does not run in the configuration that is asked about, and the guard that decides. `place` is the guard's."""

    definition: Definition
    place: Place | None
    why: str


class ClassOrder(NamedTuple):
    """A class's method resolution order, itself first, and for each method and property the definition that wins."""

    symbol: str
    order: tuple[str, ...]
    provides: tuple[tuple[str, str], ...]  # (name, symbol of the definition), by name


class Import(NamedTuple):
    """One imported name. `name` is "" for `import module`, "*" for a star. `target` is its file, "" when that is outside."""

    place: Place
    module: str
    name: str
    alias: str
    target: str


class TableRow(NamedTuple):
    """A row of a table from a key to a class or function: `{"npu": NpuRunner}` or `(RequestType, self.handle)`."""

    place: Place
    table: str  # the name that the table is assigned to, or the dispatcher's class
    key: str
    targets: tuple[Definition, ...]


class EntryPoint(NamedTuple):
    """A function that nothing in the indexed code calls and something outside can, with the reason."""

    definition: Definition
    why: str


class FileEntry(NamedTuple):
    """A file of the subject. `problem` says why it gave no facts, "" when it did. A named tuple: each run makes all of them."""

    path: str
    module: str
    n_lines: int
    problem: str
