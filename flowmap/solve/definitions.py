"""The functions and classes among the values at a node."""

from __future__ import annotations

from flowmap.solve.state import State
from flowmap.solve.values import Kind


def definitions_at(state: State, node: int) -> dict[int, int]:
    """Scope numbers in their order, each with the first value at the node that stands for it. Node -1 holds nothing."""
    found: dict[int, int] = {}
    for value in (state.points[node] if node >= 0 else None) or ():
        kind, payload = state.values.kinds[value], state.values.payloads[value]
        if kind == Kind.BOUND:
            payload = state.values.payloads[payload[0]]
        if kind in (Kind.FUNCTION, Kind.BOUND):
            found.setdefault(payload[0], value)
        elif kind == Kind.CLASS_FAMILY:
            for one in state.families.each(value):
                found.setdefault(state.values.payloads[one], value)
        elif kind == Kind.CLASS:
            found.setdefault(payload, value)
    return dict(sorted(found.items()))
