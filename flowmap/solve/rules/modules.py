"""Modules as objects: their names as a table, their path, and what is found by walking a package."""

from __future__ import annotations

from flowmap.model.facts import COMPUTED, Row
from flowmap.solve.rules.computed import DEEP, LONGEST_TEXT
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind


def file_of_members(state: State, container: int) -> int | None:
    """The module whose names a dict holds; None for any other container."""
    type_name, node = state.values.payloads[container]
    return state.layout.file_at_first.get(node) if type_name == "dict" else None


def members_of_module(state: State, value: int, row: Row) -> None:
    """`vars(module)`. Rows (dst, node)."""
    state.turn(row[0], state.imports.members(state.values.payloads[value]), (row[1], value))


def pairs_of_module(state: State, value: int, row: Row) -> None:
    """`inspect.getmembers(module)`: pairs of a name and what it stands for. Rows (dst, node, predicate or -1)."""
    dst, _, predicate = row
    pair = state.slots.made("tuple", state.side_node(dst, "pair"))
    everything = state.side_node(dst, "members")
    state.slots.read_all(state.imports.members(state.values.payloads[value]), everything)
    if predicate < 0:
        state.flow(everything, state.slots.node(pair, 1))
    else:
        state.watch(predicate, state.tables["predicate"], (state.slots.node(pair, 1), everything))
    state.add(state.slots.node(state.slots.made("list", dst), None), pair, SEED)


def members_that_fit(state: State, value: int, row: Row) -> None:
    """The predicate of `inspect.getmembers`. Rows (dst, node of all members)."""
    dst, everything = row
    table = PREDICATES.get(state.values.payloads[value])
    if table is None:
        state.flow(everything, dst)
    else:
        state.watch(everything, state.tables[table], (dst, everything))


PREDICATES = {"inspect.isclass": "member that is a class", "inspect.isfunction": "member that is a function"}


def member_fits(state: State, value: int, row: Row) -> None:
    """A member of the kind that is asked for. Rows (dst, node of all members)."""
    state.add(row[0], value, row[1])


def modules_in(state: State, value: int, row: Row) -> None:
    """`pkgutil.iter_modules(package.__path__, prefix)`: names of modules below. Rows (node of the names, prefix or -1, part)."""
    name, prefix, part = row
    file = state.values.payloads[value]
    if not state.layout.files[file].is_package:
        return
    if prefix < 0:
        state.add(name, state.values.of(Kind.STRING, part), SEED)
    else:
        state.watch(prefix, state.tables["prefix"], (name, prefix, part))


def modules_with_prefix(state: State, value: int, row: Row) -> None:
    """The prefix of the names that walking a package gives. Rows (node of the names, prefix, part)."""
    name, prefix, part = row
    text = state.values.payloads[value] + part
    if len(text) < LONGEST_TEXT:
        state.turn(name, state.values.of(Kind.STRING, text), (prefix, value))


def argument(row: Row, position: int, name: str) -> int:
    """The node of an argument by position or keyword, -1 when it is not given."""
    given = row[2]
    if len(given) > position and all(one >= 0 for one in given[: position + 1]):
        return int(given[position])
    return next((node for key, node in row[3] if key == name), -1)


def walk(state: State, row: Row, part: str) -> None:
    """Modules found below a path: objects with a `name`, which are tuples, too."""
    dst, path = row[0], argument(row, 0, "path")
    if path < 0:
        return
    found = state.slots.made("tuple", state.side_node(dst, "module found"))
    name = state.slots.node(found, 1)
    state.slots.adopt(found, "name", name)
    listed = state.slots.made("list", dst)
    state.add(state.slots.node(listed, None), found, SEED)
    state.add(dst, listed, row[1])
    state.watch(path, state.tables["path"], (name, argument(row, 1, "prefix"), part))


def iter_modules(state: State, row: Row) -> None:
    """`pkgutil.iter_modules(path, prefix)`"""
    walk(state, row, COMPUTED)


def walk_packages(state: State, row: Row) -> None:
    """`pkgutil.walk_packages(path, prefix)`: all levels."""
    walk(state, row, DEEP)


def getmembers(state: State, row: Row) -> None:
    """`inspect.getmembers(module, predicate)`; of anything else a list of which nothing is known."""
    state.add(row[0], state.slots.made("list", row[0]), row[1])
    node = argument(row, 0, "object")
    if node >= 0:
        state.watch(node, state.tables["members"], (row[0], node, argument(row, 1, "predicate")))


def vars_(state: State, row: Row) -> None:
    """`vars(module)`: its names; `vars(x)`: its fields; of anything else a dict of which nothing is known."""
    state.add(row[0], state.slots.made("dict", row[0]), row[1])
    if row[2] and row[2][0] >= 0:
        state.watch(row[2][0], state.tables["names"], (row[0], row[2][0]))


def globals_(state: State, row: Row) -> None:
    """`globals()`: the names of the module that asks."""
    if row[4] >= 0:
        file, _ = state.layout.site_at(row[4])
        state.add(row[0], state.imports.members(file), row[1])


def dir_(state: State, row: Row) -> None:
    """`dir(x)`: names of which nothing is known."""
    listed = state.slots.made("list", row[0])
    state.add(state.slots.node(listed, None), state.values.of(Kind.STRING, COMPUTED), SEED)
    state.add(row[0], listed, row[1])


def import_module(state: State, row: Row) -> None:
    """`importlib.import_module(name, package)`"""
    node = argument(row, 0, "name")
    if node >= 0:
        state.watch(node, state.tables["module by name"], (row[0], argument(row, 1, "package")))


def loaded_module(state: State, value: int, row: Row) -> None:
    """`sys.modules[name]`. Rows (dst, base, key, index node, site)."""
    if state.values.payloads[value] == "sys.modules":
        state.watch(row[3], state.tables["module by name"], (row[0], -1))


def import_by_name(state: State, row: Row) -> None:
    """`__import__(name)`: the package that the name begins with, when it has dots."""
    node = argument(row, 0, "name")
    if node >= 0:
        state.watch(node, state.tables["first module"], (row[0],))


def first_module(state: State, value: int, row: Row) -> None:
    """What `__import__` gives for a dotted name. Rows (dst,)."""
    text = state.values.payloads[value].partition(".")[0]
    if COMPUTED not in text and text in state.layout.packages:
        state.imports.bring_module(row[0], text)
