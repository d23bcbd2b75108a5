"""What solving found out, read off the state: sites with their targets, status and reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flowmap.model.facts import SiteShape
from flowmap.model.program import Confidence, SiteKind, Status
from flowmap.solve.bounds import ANYTHING
from flowmap.solve.describe import describe
from flowmap.solve.makers import Makers
from flowmap.solve.state import Found, State

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
    SiteShape.CREATE: SiteKind.CALL,
    SiteShape.MUTATE: SiteKind.PROPERTY,
    SiteShape.DECLARE: SiteKind.PROPERTY,
}
ALWAYS_SITES = (SiteShape.CALL, SiteShape.DECORATOR)  # the others are sites only where something indexed runs
CONFIDENCE = (Confidence.PROVEN, Confidence.INFERRED)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known of one site."""

    status: Status
    reason: str
    targets: tuple[tuple[int | str, Found], ...]


def outcomes(state: State, makers: Makers) -> Iterator[tuple[int, int, int, Outcome]]:
    """(file, index of the site in the file, program number, outcome) of every site that is one."""
    why = Reasons(state, makers)
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

    def __init__(self, state: State, makers: Makers) -> None:
        self.state = state
        self.makers = makers

    def of(self, site: int) -> tuple[Status, str]:
        """Status and reason of a site without a target."""
        callee = self.makers.callee(site)
        if callee is None:
            return Status.UNRESOLVED, "nothing is known of what is called"
        read = self.makers.read(callee)
        if read is None:
            return self.unread(callee)
        base, name = read
        held = self.state.points[base]
        if not held:
            return Status.UNRESOLVED, "the receiver is unknown"
        receiver = describe(self.state, next(iter(held)))
        return Status.UNRESOLVED, f"{receiver} has no {name} that is known"

    def unread(self, callee: int) -> tuple[Status, str]:
        """The reason for a callee that is no attribute."""
        held = self.state.points[callee]
        if held:
            return Status.UNRESOLVED, f"{describe(self.state, next(iter(held)))} is not known to be callable"
        if callee in self.state.computed:
            return Status.DYNAMIC, "the name is computed"
        return Status.UNRESOLVED, "what is called is unknown"
