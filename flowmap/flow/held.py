"""Which functions hold objects of which classes in their parameters and variables: they carry what those objects carry."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from flowmap.flow.owners import MOST_TOLD_APART
from flowmap.flow.receivers import Receivers
from flowmap.model.facts import Scope, ScopeKind
from flowmap.solve.state import State

Held = tuple[int, tuple[int, ...]]  # a function, and the classes that one of its variables may be of
FUNCTIONS = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)
NO_NODE = -1


def held_classes(state: State) -> Iterator[Held]:
    """Every function with the classes of its variables, each set once.

    The object that a method runs on does not count, nor does a variable that may hold objects of more classes than are told
    apart.
    """
    receivers = Receivers(state)
    for file, facts in enumerate(state.layout.files):
        named = sorted(facts.labels)
        base = state.layout.node_base[file]
        for scope in range(state.layout.scope_base[file], state.layout.scope_base[file] + len(facts.scopes)):
            row = state.layout.scopes[scope]
            if row.kind in FUNCTIONS:
                runs_on = receiver_node(state, scope, row)
                own = named[bisect_left(named, row.first_node) : bisect_left(named, row.end_node)]
                found = (receivers.at(scope, node + base).classes for node in own if node != runs_on)
                yield from ((scope, classes) for classes in dict.fromkeys(found) if 0 < len(classes) <= MOST_TOLD_APART)


def receiver_node(state: State, scope: int, row: Scope) -> int:
    """The node of a method's first parameter."""
    return row.params[0][1] if row.params and scope in state.program.methods else NO_NODE
