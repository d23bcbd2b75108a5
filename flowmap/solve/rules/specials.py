"""Builtin functions that run special methods of what they are given."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import call_special
from flowmap.solve.state import State

SPECIALS: dict[str, tuple[str, ...]] = {
    "builtins.len": ("__len__",),
    "builtins.sorted": ("__len__", "__length_hint__"),  # asked how long, so that what is made need not grow
    "itertools.combinations": ("__len__", "__length_hint__"),
    "itertools.permutations": ("__len__", "__length_hint__"),
    "builtins.bool": ("__bool__", "__len__"),
    "builtins.str": ("__str__", "__repr__"),
    "builtins.repr": ("__repr__",),
    "builtins.ascii": ("__repr__",),
    "builtins.print": ("__str__", "__repr__"),
    "builtins.format": ("__format__", "__str__", "__repr__"),
    "builtins.hash": ("__hash__",),
    "builtins.abs": ("__abs__",),
    "builtins.int": ("__int__", "__index__", "__trunc__"),
    "builtins.float": ("__float__", "__index__"),
    "builtins.complex": ("__complex__", "__float__"),
    "builtins.bytes": ("__bytes__", "__iter__"),
    "builtins.round": ("__round__",),
    "builtins.reversed": ("__reversed__", "__len__"),
    "builtins.dir": ("__dir__",),
    "builtins.divmod": ("__divmod__",),
    "builtins.pow": ("__pow__",),
    "copy.copy": ("__copy__", "__reduce_ex__"),
    "copy.deepcopy": ("__deepcopy__", "__reduce_ex__"),
    "math.floor": ("__floor__",),
    "math.ceil": ("__ceil__",),
    "math.trunc": ("__trunc__",),
    "operator.index": ("__index__",),
    "os.fspath": ("__fspath__",),
    "pathlib.Path": ("__fspath__",),
    "builtins.open": ("__fspath__",),
}
OF_ELEMENTS: dict[str, tuple[str, ...]] = {
    "builtins.sorted": ("__lt__", "__gt__"),  # the second where the first is not there
    "builtins.min": ("__lt__", "__gt__"),
    "builtins.max": ("__gt__", "__lt__"),
    "heapq.heapify": ("__lt__", "__gt__"),
    "heapq.heappop": ("__lt__", "__gt__"),
    "heapq.heappush": ("__lt__", "__gt__"),
    "builtins.sum": ("__add__",),
    "builtins.any": ("__bool__", "__len__"),
    "builtins.all": ("__bool__", "__len__"),
}
TEXT_ALONE = frozenset(("builtins.print",))  # all arguments are turned to text
VALUE_GIVEN = frozenset(("builtins.abs", "builtins.round", "builtins.divmod", "builtins.pow", "copy.copy", "copy.deepcopy"))


def call_specials(state: State, dotted: str, row: Row) -> None:
    """Special methods that a call of something outside runs on its arguments."""
    if dotted in OF_ELEMENTS and all(name != "key" for name, _ in row[3]):
        call_on_elements(state, dotted, row)
    names = SPECIALS.get(dotted)
    if names is None:
        return
    dst, _, arguments, _, site = row
    asked = [one for one in arguments if one >= 0][: None if dotted in TEXT_ALONE else 1]
    result = dst if dotted in VALUE_GIVEN else state.side_node(dst, "special")
    rest = tuple(one for one in arguments[1:] if one >= 0) if dotted in VALUE_GIVEN else ()
    for node in asked:
        state.watch(node, state.tables["special"], (result, names, node, rest, site))


def call_on_elements(state: State, dotted: str, row: Row) -> None:
    """Special methods that run on the elements of the first argument, or on several arguments."""
    dst, _, arguments, _, site = row
    given = [one for one in arguments if one >= 0]
    element = state.side_node(dst, "element asked")
    if len(given) == 1:
        state.watch(given[0], state.tables["element"], (element, given[0], site))
    for one in given if len(given) > 1 else ():
        state.flow(one, element)
    result = dst if dotted == "builtins.sum" else state.side_node(dst, "special")
    state.watch(element, state.tables["special"], (result, OF_ELEMENTS[dotted], element, (element,), site))
    if dotted == "builtins.sum":
        state.watch(element, state.tables["special"], (result, ("__radd__",), element, (element,), site))


def special_of_object(state: State, value: int, row: Row) -> None:
    """The first of the special methods that the object's class has. Rows (dst, names, node, arguments, site)."""
    dst, names, node, arguments, site = row
    for name in names:
        if call_special(state, value, name, (dst, node, arguments, (), site)):
            return
