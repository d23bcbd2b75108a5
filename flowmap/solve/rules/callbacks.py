"""What bases and wrappers from outside call on objects of the program, as the table of libraries says."""

from __future__ import annotations

from fnmatch import fnmatchcase

from flowmap.model.facts import Row
from flowmap.solve.state import State


def called_back(state: State, cls: int, name: str) -> list[str]:
    """The methods of a class that a method of a base outside calls: those that the library table names."""
    by_base = state.library.callbacks.get(name)
    if by_base is None:
        return []
    bases = {one for base in state.variants.classes.outside_bases(cls) for one in state.stubs.lineage(base)}
    known = [pattern for base, patterns in by_base.items() if base in bases for pattern in patterns]
    names = state.variants.classes.provides[cls]
    return [one for one in names if any(fnmatchcase(one, pattern) for pattern in known)]


def ask_wrapped(state: State, container: int, name: str, row: Row) -> None:
    """A method of an object that works on another one runs methods of that. Rows (dst, node, arguments, keywords, site).

    What is asked stands beside the wrapper, not beside the call: wrappers may wrap their own kind.
    """
    type_name, _ = state.values.payloads[container]
    asked = state.library.wrapping.get((type_name, name))
    if asked is None or container in state.stubs.dull:
        return
    wrapped = state.slots.node(container, None)
    key = (wrapped, name, container, row[4])
    if key not in state.specials:
        state.specials.add(key)
        reads, calls = asked
        state.watch(wrapped, state.tables["wrapped"], (wrapped, reads, calls, row[4]))


def wrapped_is_asked(state: State, value: int, row: Row) -> None:
    """The object that another one works on: what is read of it, and what is called. Rows (node, attributes, methods, site)."""
    node, reads, calls, site = row
    nowhere = state.layout.node_base[0]
    for name in (*reads, *calls):
        found = state.side_node(node, name, value) if name in calls else nowhere
        for handler in state.tables["attribute"][state.values.kinds[value]]:
            handler(state, value, (found, node, name, site))
        state.watch(found, state.tables["call"], (nowhere, found, (), (), site))
