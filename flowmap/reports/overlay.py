"""What is laid over a trace: beside each call how often it happened in a run, beside each function what it does to fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flowmap.model.program import DefinitionKind, Site, Target
from flowmap.model.view import Line
from flowmap.reports.phrases import GAP, note
from flowmap.reports.watched import NOT_WATCHED, Watch

if TYPE_CHECKING:
    from flowmap.model.observed import ObservedEdge

_NEVER_RECORDED = (DefinitionKind.CLASS, DefinitionKind.MODULE, DefinitionKind.EXTERNAL)
_Call = tuple[str, int, str]  # caller, line, callee


@dataclass(frozen=True, slots=True)
class Overlay:
    """How often each call happened, empty where no run is laid over; and the fields that are watched."""

    n_calls: Mapping[_Call, int] = field(default_factory=dict)
    ran: frozenset[str] = frozenset()  # what called something, or was called from anywhere
    watch: Watch = NOT_WATCHED

    def beside(self, site: Site, target: Target) -> Line:
        """What is said of a target of a site; nothing without a run, nor of what no record holds: classes, code outside."""
        if not self.n_calls or target.definition.kind in _NEVER_RECORDED:
            return ()
        lines = {site.place.line, site.name_line}
        number = sum(self.n_calls.get((site.caller.symbol, line, target.definition.symbol), 0) for line in lines)
        unseen = "not observed from here" if target.definition.symbol in self.ran else "never ran"
        return (GAP, note(f"ran {number:,}×" if number else unseen))


NO_RUN = Overlay()


def overlay_of(edges: Iterable[ObservedEdge]) -> Overlay:
    """The counts of a record."""
    counted: dict[_Call, int] = {}
    for edge in edges:
        key = (edge.caller, edge.line, edge.callee)
        counted[key] = counted.get(key, 0) + edge.n_calls
    return Overlay(counted, frozenset(name for caller, _, callee in counted for name in (caller, callee)))
