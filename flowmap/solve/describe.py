"""Values in words."""

from __future__ import annotations

from flowmap.solve.state import State
from flowmap.solve.values import Kind


def describe(state: State, value: int) -> str:
    """A value in words."""
    kind, payload = state.values.kinds[value], state.values.payloads[value]
    layout = state.layout
    match kind:
        case Kind.INSTANCE | Kind.CLASS | Kind.FAMILY | Kind.CLASS_FAMILY:
            return layout.scopes[state.variants.base(payload)].name
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
