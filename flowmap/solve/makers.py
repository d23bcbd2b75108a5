"""Which row of the facts makes a node, and what the node is in the text. Read once solving is over."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from flowmap.link.program import Layout
from flowmap.model.facts import Op, Row, ScopeKind

UNMADE = -1
SCOPE_BITS = 32  # a row's number is that of its scope in the file and, below these bits, its own in the scope
ROW_MASK = (1 << SCOPE_BITS) - 1
SECOND = frozenset((Op.ANNOTATE,))  # rows whose second operand is what they make
NONE = frozenset((Op.SETATTR, Op.SETITEM, Op.STAR))  # rows that make no node
CALLS = frozenset((Op.CALL, Op.DECORATE))


@dataclass(slots=True)
class FileMakers:
    """The numbers of the rows that make a file's nodes, and of those that call at its sites. The first one counts."""

    nodes: array[int]
    sites: array[int]
    firsts: list[int] = field(default_factory=list)  # where the nodes of each function begin
    functions: list[int] = field(default_factory=list)  # and which scope of the file that is


class Makers:
    """The makers of all nodes of the text. Nodes and sites go by their program numbers."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.files = [read_file(layout, file) for file in range(len(layout.files))]
        self.rows: dict[int, tuple[Row, ...]] = {}  # of the scopes asked for: evidence goes to and fro between them

    def place(self, node: int) -> tuple[int, int]:
        """The file of a node of the text, and its number there."""
        file = bisect_right(self.layout.node_base, node) - 1
        return file, node - self.layout.node_base[file]

    def row(self, node: int) -> Row | None:
        """The row that makes a node, its operands in the numbers of its file."""
        file, local = self.place(node)
        return self.row_at(file, self.files[file].nodes[local])

    def row_at(self, file: int, number: int) -> Row | None:
        """A row by its number."""
        if number == UNMADE:
            return None
        scope = self.layout.scope_base[file] + (number >> SCOPE_BITS)
        rows = self.rows.get(scope)
        if rows is None:
            rows = self.rows[scope] = self.layout.rows(scope)
        return rows[number & ROW_MASK]

    def callee(self, site: int) -> int | None:
        """The node of what is called at a site; None where nothing is."""
        file, local = self.layout.site_at(site)
        row = self.row_at(file, self.files[file].sites[local])
        return None if row is None else int(row[2]) + self.layout.node_base[file]

    def calling(self, file: int) -> Iterator[int]:
        """The sites of a file that call something."""
        base = self.layout.site_base[file]
        return (base + local for local, number in enumerate(self.files[file].sites) if number != UNMADE)

    def read(self, node: int) -> tuple[int, str] | None:
        """The base and the name of a node that an attribute read makes."""
        row = self.row(node)
        if row is None or row[0] not in (Op.ATTR, Op.METHOD):
            return None
        return row[2] + self.layout.node_base[self.place(node)[0]], row[3]

    def function(self, node: int) -> int:
        """The function that owns a node of the text, by program number; -1 for one that a module or class body owns."""
        file, local = self.place(node)
        made = self.files[file]
        at = bisect_right(made.firsts, local) - 1
        if at < 0:
            return -1
        scope = made.functions[at] + self.layout.scope_base[file]
        return scope if local < self.layout.scopes[scope].end_node else -1


def read_file(layout: Layout, file: int) -> FileMakers:
    """Reads the makers off a file's rows."""
    facts = layout.files[file]
    nodes = array("q", [UNMADE]) * max(facts.n_nodes, 1)
    sites = array("q", [UNMADE]) * facts.n_sites
    for scope, rows in enumerate(facts.ops):
        number = scope << SCOPE_BITS
        for row in rows:
            kind = row[0]
            if kind not in NONE:
                made = row[2] if kind in SECOND else row[1]
                if nodes[made] == UNMADE:
                    nodes[made] = number
                if kind in CALLS and row[-1] >= 0 and sites[row[-1]] == UNMADE:
                    sites[row[-1]] = number
            number += 1
    base = layout.scope_base[file]
    own = ((layout.scopes[base + scope], scope) for scope in range(len(facts.scopes)))
    starts = sorted((row.first_node, scope) for row, scope in own if row.kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA))
    return FileMakers(nodes, sites, [first for first, _ in starts], [scope for _, scope in starts])
