"""Finds the value that a question about flow names: a field, a parameter, a result, a name on a line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from flowmap.follow.ends import CALL, Named, effects_named, field_named, on_line, parameter_named, result_named, scopes_around
from flowmap.follow.search import Ends
from flowmap.follow.world import World
from flowmap.model.flow import Move
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Definition, DefinitionKind
from flowmap.model.typed import line_number
from flowmap.reports.phrases import a_kind
from flowmap.reports.subjects import find, find_file, with_line
from flowmap.store.accesses import field_names
from flowmap.store.names import named

_ON_LINE = re.compile(r"^(?P<file>.+\.pyi?):(?P<line>\d+)(?::(?P<name>[^:]+))?$")
_PARAMETER = re.compile(r"^(?P<function>[\w.<>]+)\((?P<name>\w*)\)$")
_MEANT_AS_PLACE = re.compile(r"^.+\.pyi?:")
_FUNCTIONS = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY)
_N_NEAREST = 5
_N_OWNERS = 12


def value(world: World, text: str) -> Named:
    """What `text` stands for.

    Errors: FlowmapError when nothing bears the name (with the nearest), or several things do (with all of them).
    """
    if match := _ON_LINE.match(text):
        return _on_line(world, match["file"], line_number(match["line"]), match["name"] or "")
    if match := _PARAMETER.match(text):
        return _of_function(world, text, match["function"], match["name"])
    return _field(world, text)


def changed(world: World, text: str) -> Named:
    """What changes first where `text` changes: of a function its results and the fields that it writes; else as `value`.

    Errors: FlowmapError as `value`.
    """
    name = text.rpartition(".")[2]
    meant = [] if ":" in text or "(" in text or world.touches(name) else named(world.index, text)
    if not meant or any(one.kind not in _FUNCTIONS for one in meant):
        return value(world, text)
    return _joined(text, [effects_named(world, one) for one in find(world.index, text)])


def _on_line(world: World, file: str, line: int, name: str) -> Named:
    path = with_line(find_file(world.index, file, line), line).path
    if name:
        found = on_line(world, path, line, name)
        if found.is_empty:
            raise _not_on_line(world, path, line, name)
        return found
    names = names_on(world, path, line)
    every = [on_line(world, path, line, each) for each in names]
    if not every:
        problem = Problem(f"{path}:{line}", "holds no value that can be followed", f"flowmap show {path}:{line}")
        raise FlowmapError(problem, code=ExitCode.FINDING)
    return _joined(f"{path}:{line}", every)


def _joined(text: str, every: Sequence[Named]) -> Named:
    """Several names as one."""
    starts = {spot: first for one in every for spot, first in one.starts}
    ends = Ends(
        frozenset().union(*(one.ends.nodes for one in every)),
        frozenset().union(*(one.ends.fields for one in every)),
        frozenset().union(*(one.ends.rows for one in every)),
    )
    return Named(text, tuple(starts.items()), ends, tuple(last for one in every for last in one.last))


def names_on(world: World, path: str, line: int) -> list[str]:
    """The names that a question may use for a line: those it binds first, then those that it reads."""
    bound: dict[str, None] = {}
    read: dict[str, None] = {}
    for scope in scopes_around(world, path, line):
        for row in world.scope(scope).moves.rows:
            if row[1] != line:
                continue
            if row[0] == Move.STORE:
                bound[row[3]] = None
            elif row[0] == Move.COPY and world.label(row[2]):
                bound[world.label(row[2])] = None
            elif row[0] == Move.LOAD:
                read[row[4]] = None
            elif row[0] == Move.CALL:
                read[CALL] = None
    bound.pop("return", None)
    return list(bound) or list(read)


def _not_on_line(world: World, path: str, line: int, name: str) -> FlowmapError:
    names = [each for each in names_on(world, path, line) if each != CALL]
    fix = f"On this line: {', '.join(names)}." if names else f"No value on this line can be followed; flowmap show {path}:{line}"
    return FlowmapError(Problem(f"{path}:{line}", f"has no {name}", fix), code=ExitCode.FINDING)


def _of_function(world: World, text: str, function: str, name: str) -> Named:
    """A parameter, or with nothing between the parentheses the result."""
    definitions = find(world.index, function)
    every = [parameter_named(world, one, name) if name else result_named(world, one) for one in definitions]
    found = [one for one in every if one is not None]
    if not found:
        given = [param[0] for one in definitions for param in world.scope(one.id).moves.params]
        what = f"has no parameter {name}" if name else "returns nothing that can be followed"
        fix = f"Its parameters: {', '.join(given)}." if given else f"flowmap where {function}"
        raise FlowmapError(Problem(function, what, fix), code=ExitCode.FINDING)
    return _joined(text, found)


def _field(world: World, text: str) -> Named:
    """`Class.field`; or a field's bare name, where one class alone has it."""
    owner, dot, name = text.rpartition(".")
    if _MEANT_AS_PLACE.match(text):
        raise FlowmapError(Problem(text, "is not FILE:LINE:NAME", "Write the number of a line, and a name that stands on it."))
    if not name or (dot and not owner):
        raise FlowmapError(Problem(text, "names no field", "Write CLASS.FIELD."), code=ExitCode.USAGE)
    definitions = named(world.index, text)
    if definitions and not world.touches(name):
        raise _no_value(world, text, definitions[0])
    if not owner:
        return _bare(world, name)
    classes = [one for one in named(world.index, owner) if one.kind is DefinitionKind.CLASS]
    found = [(one, meant) for one in classes if (meant := field_named(world, one, name)) is not None]
    if len(found) > 1:
        raise _several(text, [one for one, _ in found], name)
    if found:
        return found[0][1]
    raise _no_field(world, text, classes, name)


def _bare(world: World, name: str) -> Named:
    owners = world.owning(name)
    if len(owners) == 1:
        found = field_named(world, world.definition(owners[0]), name)
        if found is not None:
            return found
    if not owners:
        raise _no_field(world, name, [], name)
    raise _several(name, [world.definition(owner) for owner in owners], name)


def _no_value(world: World, text: str, meant: Definition) -> FlowmapError:
    """Says what of a class, function or module can be followed."""
    if meant.kind is DefinitionKind.CLASS:
        names = [f"{text}.{name}" for name in world.constructed(meant.id)[:_N_OWNERS]]
        fix = f"Give one of its fields: {', '.join(names)}." if names else f"Give a field: {text}.NAME"
    else:
        fix = f'"{text}()" is what it returns, "{text}(NAME)" a parameter of it; FILE:LINE:NAME a name on a line.'
    return FlowmapError(Problem(text, f"is {a_kind(meant)} and no value", fix))


def _several(text: str, owners: Iterable[Definition], name: str) -> FlowmapError:
    lines = [f"{one.symbol}.{name}" for one in owners]
    rest = [f"… {len(lines) - _N_OWNERS} more"] if len(lines) > _N_OWNERS else []
    fix = "\n    ".join(["Name one of them:", *lines[:_N_OWNERS], *rest])
    return FlowmapError(Problem(text, f"{len(lines)} classes have a field of this name", fix))


def _no_field(world: World, text: str, classes: Sequence[Definition], name: str) -> FlowmapError:
    """Says what there is instead: the same name of other classes, or the nearest names."""
    owners = world.owning(name)[:_N_NEAREST]
    nearest = [f"{world.definition(owner).name}.{name}" for owner in owners]
    if not nearest:
        nearest = [one for one in difflib.get_close_matches(name, field_names(world.index), _N_NEAREST) if one != name]
    fix = f"Did you mean {', '.join(nearest)}?" if nearest else "Give Class.field, function(parameter) or FILE:LINE:NAME."
    what = f"{classes[0].symbol} has no field of this name" if classes else "no class has a field of this name"
    return FlowmapError(Problem(text, what, fix), code=ExitCode.FINDING)
