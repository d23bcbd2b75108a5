"""What solving found out, read off the state: sites with their targets, status and reasons, and chains of evidence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from flowmap.link.names import BUILTIN_NAMES
from flowmap.model.facts import Op, SiteShape
from flowmap.model.program import Confidence, SiteKind, Status
from flowmap.solve.bounds import ANYTHING
from flowmap.solve.state import EDGE_BITS, STAGE_BITS, Found, State
from flowmap.solve.values import Kind

KINDS: dict[int, SiteKind] = {
    SiteShape.CALL: SiteKind.CALL,
    SiteShape.READ: SiteKind.PROPERTY,
    SiteShape.WRITE: SiteKind.PROPERTY,
    SiteShape.AUGWRITE: SiteKind.PROPERTY,
    SiteShape.DELETE: SiteKind.PROPERTY,
    SiteShape.DECORATOR: SiteKind.DECORATOR,
    SiteShape.WITH: SiteKind.WITH,
    SiteShape.OPERATOR: SiteKind.OPERATOR,
    SiteShape.ITERATION: SiteKind.ITERATION,
    SiteShape.AWAIT: SiteKind.AWAIT,
    SiteShape.ITEM: SiteKind.OPERATOR,
}
ALWAYS_SITES = (SiteShape.CALL, SiteShape.DECORATOR)  # the others are sites only where something indexed runs
CONFIDENCE = (Confidence.PROVEN, Confidence.INFERRED)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known of one site."""

    status: Status
    reason: str
    targets: tuple[tuple[int | str, Found], ...]


def outcomes(state: State) -> Iterator[tuple[int, int, int, Outcome]]:
    """(file, index of the site in the file, program number, outcome) of every site that is one."""
    why = Reasons(state)
    for file, base in enumerate(state.layout.site_base):
        for index, row in enumerate(state.layout.sites(file)):
            found = state.targets.get(base + index)
            inside = found is not None and any(isinstance(what, int) for what in found)
            if inside or row[6] in ALWAYS_SITES:
                yield file, index, base + index, outcome(why, base + index, found or {})


def outcome(why: Reasons, site: int, found: dict[int | str, Found]) -> Outcome:
    """The outcome of one site. Targets in the indexed code come first, by symbol number; then those outside, by name."""
    inside = sorted((one for one in found.items() if isinstance(one[0], int)), key=lambda one: one[0])
    outside = sorted((one for one in found.items() if isinstance(one[0], str)), key=lambda one: str(one[0]))
    targets = (*inside, *outside)
    if inside:
        return Outcome(Status.RESOLVED, "", targets)
    if outside:
        builtin = all(str(what).startswith("ext:builtins.") for what, _ in outside)
        return Outcome(Status.BUILTIN if builtin else Status.EXTERNAL, "", targets)
    root = why.state.outside_sites.get(site)
    if root is not None:
        origin = "an object from outside the index" if root == ANYTHING else f"an object from {root}"
        return Outcome(Status.BUILTIN if root == "builtins" else Status.EXTERNAL, f"runs on {origin}", ())
    status, reason = why.of(site)
    return Outcome(status, reason, ())


class Reasons:
    """Why a call is not resolved."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.callees: dict[int, int] = {}  # site → node of what is called
        self.reads: dict[int, tuple[int, str]] = {}  # node → (node of the base, name)
        self.named: dict[int, str] = {}  # node → builtin that made it
        layout = state.layout
        for file, facts in enumerate(layout.files):
            nodes, sites = layout.node_base[file], layout.site_base[file]
            for rows in facts.ops:
                for row in rows:
                    if row[0] in (Op.CALL, Op.DECORATE):
                        self.callees.setdefault(row[-1] + sites, row[2] + nodes)
                    elif row[0] in (Op.ATTR, Op.METHOD):
                        self.reads[row[1] + nodes] = (row[2] + nodes, row[3])

    def of(self, site: int) -> tuple[Status, str]:
        """Status and reason of a site without a target."""
        callee = self.callees.get(site)
        if callee is None:
            return Status.UNRESOLVED, "nothing is known of what is called"
        read = self.reads.get(callee)
        if read is None:
            return self.unread(callee)
        base, name = read
        held = self.state.points[base]
        if not held:
            return Status.UNRESOLVED, "the receiver is unknown"
        receiver = self.describe(next(iter(held)))
        return Status.UNRESOLVED, f"{receiver} has no {name} that is known"

    def unread(self, callee: int) -> tuple[Status, str]:
        """The reason for a callee that is no attribute."""
        held = self.state.points[callee]
        if held:
            return Status.UNRESOLVED, f"{self.describe(next(iter(held)))} is not known to be callable"
        if callee in self.state.computed:
            return Status.DYNAMIC, "the name is computed"
        return Status.UNRESOLVED, "what is called is unknown"

    def describe(self, value: int) -> str:
        """A value in words."""
        kind, payload = self.state.values.kinds[value], self.state.values.payloads[value]
        layout = self.state.layout
        match kind:
            case Kind.INSTANCE | Kind.CLASS | Kind.FAMILY | Kind.CLASS_FAMILY:
                return layout.scopes[self.state.variants.base(payload)].name
            case Kind.MODULE:
                return str(layout.files[payload].module)
            case Kind.FUNCTION:
                return str(layout.scopes[payload[0]].name)
            case Kind.CONTAINER:
                return f"a {payload[0]}"
            case Kind.STRING:
                return "a string"
            case Kind.OUTSIDE | Kind.THING | Kind.PACKAGE:
                return str(payload)
            case _:
                return "a value"


@dataclass(frozen=True, slots=True)
class EvidenceStep:
    """One step of a chain: where, and what was known there. `file` is -1 where that stands nowhere, as a builtin does."""

    file: int
    line: int
    what: str


LONGEST_CHAIN = 24


class Evidence:
    """Chains of evidence as rows that share their tails: (id, parent id or None, file, line, what)."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.rows: list[tuple[int, int | None, int, int, str]] = []
        self.known: dict[tuple[int, int], int] = {}
        self.places = Places(state)

    def chain(self, found: Found) -> int | None:
        """The id of the first step of a target's evidence, the steps behind it made when first asked for."""
        steps = self.walk(found.node, found.value)
        parent: int | None = None
        for key in reversed(steps):
            known = self.known.get(key)
            if known is None:
                step = self.places.step(key[0])
                known = len(self.rows)
                self.rows.append((known, parent, step.file, step.line, step.what))
                self.known[key] = known
            parent = known
        return parent

    def walk(self, node: int, value: int) -> list[tuple[int, int]]:
        """The (node, value) pairs from a target back to what the text says, steps that tell nothing left out."""
        steps: list[tuple[int, int]] = []
        last: EvidenceStep | None = None
        for _ in range(LONGEST_CHAIN):
            step = self.places.step(node)
            if step != last:
                steps.append((node, value))
                last = step
            if (node, value) in self.known:
                break
            before = self.before(node, value)
            if before is None:
                break
            node, value = before
        return steps

    def before(self, node: int, value: int) -> tuple[int, int] | None:
        """Where a value at a node came from."""
        held = self.state.points[node]
        if held is None or value not in held:
            return None
        parent = held[value] >> STAGE_BITS
        if parent < 0:
            return None
        return parent, self.state.changed.get(node << EDGE_BITS | value, value)


class Places:
    """Nodes as places in the text."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.known: dict[int, EvidenceStep] = {}

    def step(self, node: int) -> EvidenceStep:
        """Where a node stands and what it is called."""
        found = self.known.get(node)
        if found is None:
            found = self.known[node] = self.read(node)
        return found

    def read(self, node: int) -> EvidenceStep:
        """Reads a node's place off the facts."""
        origin, label = self.state.origin(node)
        file = bisect_right(self.state.layout.node_base, origin) - 1
        facts = self.state.layout.files[file]
        local = origin - self.state.layout.node_base[file]
        what = label or facts.labels.get(local, "")
        line = facts.node_lines[local] or self.state.imports.star_line(file, what)
        if line:
            return EvidenceStep(file, line, what)
        return EvidenceStep(-1, 0, f"{what} is a builtin" if what in BUILTIN_NAMES else what)
