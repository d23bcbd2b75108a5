"""A graph that is finished: what is drawn, and what was cut from it. Holds no markup of any format."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from flowmap.model.place import Place
from flowmap.model.program import Confidence, DefinitionKind


class GraphKind(StrEnum):
    """What a graph shows."""

    CALLS = "calls"  # who runs a function, and what it runs
    PATHS = "paths"  # the ways from one function to another
    CLASSES = "classes"  # bases and subclasses
    MIXINS = "mixins"  # the classes that a class ends in, and those that end in it
    MODULES = "modules"  # imports
    CONTROL = "control"  # the control flow inside one function: basic blocks
    STATE = "state"  # a field: who makes, stores, renames and reads its value
    QUERY = "query"  # what a question of `queries/` finds, and the calls between that


class NodeKind(StrEnum):
    """What a node is that is no definition."""

    BLOCK = "block"  # statements that run one after the other
    FIELD = "field"  # a field of a class


class NodeRole(StrEnum):
    """What a node is to the question."""

    SUBJECT = "subject"  # what was asked about
    ENTRY = "entry"  # where the program is entered
    OUTSIDE = "outside"  # stands outside the indexed code
    EXIT = "exit"  # where a scope ends well
    RAISED = "raised"  # where an exception leaves it
    DEAD = "dead"  # nothing leads there
    FOLDED = "folded"  # stands for several that are not drawn one by one
    OTHER = "other"


class EdgeKind(StrEnum):
    """What leads from one node to the next."""

    CALL = "call"
    BORDER = "border"  # it runs in another process, thread or task
    INHERITS = "inherits"  # from a class to a base
    PART = "part"  # from a class to one that it ends in
    IMPORT = "import"
    NEXT = "next"  # control goes on
    HOLDS = "holds"  # where a test holds
    FAILS = "fails"  # where it does not
    AGAIN = "again"  # back to the head of a loop
    RAISES = "raises"  # by an exception
    WRITES = "writes"  # from a function to the field that it gives a value
    READS = "reads"  # from a field to a function that takes its value
    MOVES = "moves"  # a value goes from one place to the next, maybe under another name
    LATER = "later"  # the same in the next iteration, or in a later call


CONTROL_EDGES = (EdgeKind.NEXT, EdgeKind.HOLDS, EdgeKind.FAILS, EdgeKind.AGAIN, EdgeKind.RAISES)  # of these nothing is unsure


class RowKind(StrEnum):
    """What a line inside a node is."""

    STATEMENT = "statement"
    CALL = "call"  # what the statement above it runs; its place is that of the function
    BORN = "born"  # a value is made for a field
    WRITE = "write"
    READ = "read"
    RENAMED = "renamed"  # a value goes on under another name


class CutKind(StrEnum):
    """What it is that is not drawn beside a node."""

    CALLERS = "callers"
    CALLEES = "callees"
    SUBCLASSES = "subclasses"
    HOSTS = "hosts"  # classes that a mixin ends in
    IMPORTERS = "importers"
    IMPORTED = "imported"
    FUNCTIONS = "functions"  # that touch a field
    BLOCKS = "blocks"  # that are folded
    BLOCKS_BESIDE = "blocks beside"


@dataclass(frozen=True, slots=True)
class GraphCut:
    """What leads on from a node and is not drawn: how much of what, and the command that lists it. `names`: those of it, in order
    and in short, where they have names; of very many the first."""

    number: int
    noun: str  # in the plural where the number is not 1
    command: str
    kind: CutKind
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"+{self.number} {self.noun}"


@dataclass(frozen=True, slots=True)
class GraphRow:
    """A line inside a node, to which edges may lead. `text` is the whole, `label` what there is room for. `details` say what has
    to hold there, and why; `at` is the place in short."""

    id: str
    kind: RowKind
    text: str
    label: str
    place: Place | None
    at: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A function, class, module, field or block. `id` depends on the symbol alone (of a block also on its number in its
    function); `at` is its place in short, "" outside the index. `rows` stand below its label, in order."""

    id: str
    symbol: str
    label: str
    kind: DefinitionKind | NodeKind
    role: NodeRole
    place: Place | None
    at: str
    cluster: str  # the id of one, "" for none
    level: int  # steps from what was asked: below 0 what leads to it
    notes: tuple[str, ...] = ()
    cuts: tuple[GraphCut, ...] = ()
    rows: tuple[GraphRow, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """What leads from one node to another. `label` is short, `details` say the whole, a line for each place. `start_row` and
    `end_row`: the ids of the lines that it leads from and to, "" for the whole node."""

    id: str
    start: str
    end: str
    kind: EdgeKind
    confidence: Confidence
    label: str
    details: tuple[str, ...]
    place: Place | None
    at: str
    start_row: str = ""
    end_row: str = ""


@dataclass(frozen=True, slots=True)
class GraphCluster:
    """The nodes of one module or package, or of one process."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by level and edges in the order of the source. `n_left_out`: how many nodes next to these are not among them."""

    kind: GraphKind
    title: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    clusters: tuple[GraphCluster, ...]
    n_left_out: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawer:
    """The program that lays graphs out, and where it comes from."""

    program: Path
    origin: str
