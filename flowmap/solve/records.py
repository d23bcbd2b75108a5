"""Classes that are containers by a base outside: their instances hold what a list, dict, set or tuple holds.

A NamedTuple is a tuple of its fields, a TypedDict a dict of them.
"""

from __future__ import annotations

from flowmap.solve.lookup import constructor_fields
from flowmap.solve.state import State

HOLDERS = {
    "builtins.list": "list",
    "builtins.dict": "dict",
    "builtins.set": "set",
    "builtins.tuple": "tuple",
    "collections.deque": "list",
    "collections.UserList": "list",
    "collections.UserDict": "dict",
    "collections.OrderedDict": "dict",
    "collections.defaultdict": "dict",
    "collections.namedtuple": "tuple",
    "typing.NamedTuple": "tuple",
    "typing.TypedDict": "dict",
    "typing_extensions.NamedTuple": "tuple",
    "typing_extensions.TypedDict": "dict",
}
NAMED = ("collections.namedtuple", "typing.NamedTuple", "typing_extensions.NamedTuple")
KEYED = ("typing.TypedDict", "typing_extensions.TypedDict")
METHODS_OF_NAMED = ("_replace", "_asdict", "_make")
HELD = "\0held"  # stands for the field of what an instance holds as a container


def is_named_tuple(state: State, cls: int) -> bool:
    """Whether a class is written as a NamedTuple, or inherits from one."""
    return any(base in NAMED for base in state.variants.classes.outside_bases(cls))


def held_container(state: State, cls: int) -> int | None:
    """The container that instances of a class are; None for any other class."""
    base = next((one for one in state.variants.classes.outside_bases(cls) if one in HOLDERS), None)
    if base is None:
        return None
    found = state.slots.made(HOLDERS[base], state.fields.instance(cls, HELD)[0])
    if base in (*NAMED, *KEYED) and found not in state.slots.nodes:
        names = constructor_fields(state, cls)
        for index, name in enumerate(names):
            state.slots.adopt(found, index if base in NAMED else name, state.fields.instance(cls, name)[1])
        state.slots.lengths[found] = len(names)
    return found
