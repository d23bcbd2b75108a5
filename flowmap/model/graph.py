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


class NodeRole(StrEnum):
    """What a node is to the question."""

    SUBJECT = "subject"  # what was asked about
    ENTRY = "entry"  # where the program is entered
    OUTSIDE = "outside"  # stands outside the indexed code
    OTHER = "other"


class EdgeKind(StrEnum):
    """What leads from one node to the next."""

    CALL = "call"
    BORDER = "border"  # it runs in another process, thread or task
    INHERITS = "inherits"  # from a class to a base
    PART = "part"  # from a class to one that it ends in
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class GraphCut:
    """What leads on from a node and is not drawn: how much of what, and the command that lists it."""

    number: int
    noun: str  # in the plural where the number is not 1
    command: str

    def __str__(self) -> str:
        return f"+{self.number} {self.noun}"


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A function, class or module. `id` depends on the symbol alone; `at` is its place in short, "" outside the index."""

    id: str
    symbol: str
    label: str
    kind: DefinitionKind
    role: NodeRole
    place: Place | None
    at: str
    cluster: str  # the id of one, "" for none
    level: int  # steps from what was asked: below 0 what leads to it
    notes: tuple[str, ...] = ()
    cuts: tuple[GraphCut, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """What leads from one node to another. `label` is short, `details` say the whole, a line for each place."""

    id: str
    start: str
    end: str
    kind: EdgeKind
    confidence: Confidence
    label: str
    details: tuple[str, ...]
    place: Place | None
    at: str


@dataclass(frozen=True, slots=True)
class GraphCluster:
    """The nodes of one module or package."""

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
