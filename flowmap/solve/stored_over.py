"""How surely a value is what runs: text proves nothing where something else is stored over what it defines."""

from __future__ import annotations

from flowmap.solve.state import INFERRED, STAGE_BITS, STAGE_MASK, State
from flowmap.solve.values import Kind

ON_CLASSES = (Kind.INSTANCE, Kind.CLASS)


def how_surely(state: State, node: int, value: int) -> int:
    """0 proven, 1 inferred."""
    come = state.came(node, value) if value in (state.points[node] or ()) else 0
    return INFERRED if is_stored_over(state, (node, come >> STAGE_BITS), value) else come & STAGE_MASK


def is_stored_over(state: State, nodes: tuple[int, int], value: int) -> bool:
    """Whether some place stores another value where this one comes from: on the module that defines it, on the class or the
    object whose method it is. `nodes`: where the value is, and where it came from."""
    match state.values.kinds[value]:
        case Kind.FUNCTION:
            return not state.imports.patched.isdisjoint(nodes)
        case Kind.BOUND:
            return is_method_stored_over(state, *state.values.payloads[value])
        case _:
            return False


def is_method_stored_over(state: State, function: int, receiver: int) -> bool:
    """Whether a method's name is stored on its object or on a class in front of the one that defines it."""
    scope = state.values.payloads[function][0]
    name = state.layout.scopes[scope].name
    if not state.fields.is_stored(name) or state.values.kinds[receiver] not in ON_CLASSES:
        return False
    cls = state.values.payloads[receiver]
    places = [state.fields.of_instances.get((cls, name), NOWHERE)[0]]
    places += [state.fields.of_classes.get((one, name), -1) for one in state.variants.classes.order[cls] if isinstance(one, int)]
    return any(place >= 0 and state.points[place] for place in places)


NOWHERE = (-1, -1)
