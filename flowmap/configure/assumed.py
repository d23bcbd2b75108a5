"""Which fields, functions and globals of the program the assumptions speak of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from flowmap.configure.values import Value, constant, member
from flowmap.configure.world import World, ends_in
from flowmap.model.assumption import Assumption
from flowmap.model.facts import Binding, ScopeKind
from flowmap.model.problem import FlowmapError, Problem
from flowmap.solve.lookup import is_enum

CALLED = "()"
MOST_NEAREST = 3
TRUTHS = (True, False, None)  # 1 and 0 are equal to the first two; None stands in many fields before they have a value


@dataclass(slots=True)
class Assumed:
    """The assumptions by what they speak of in the program."""

    fields: dict[tuple[int, str], Value] = field(default_factory=dict)  # (class, name)
    functions: dict[int, Value] = field(default_factory=dict)
    globals: dict[tuple[int, str], Value] = field(default_factory=dict)  # (scope of the module, name)


def find_assumed(world: World, assumptions: Iterable[Assumption]) -> Assumed:
    """What the assumptions speak of. Errors: FlowmapError with every one that is wrong."""
    found = Assumed()
    problems = [problem for one in assumptions for problem in add(found, world, one)]
    if problems:
        raise FlowmapError(*problems)
    return found


def add(found: Assumed, world: World, one: Assumption) -> Iterator[Problem]:
    """Adds one assumption, or says that it matches nothing, or that its value cannot be."""
    value = value_of(world, one)
    if one.subject.endswith(CALLED):
        matches = functions_named(world, one.subject.removesuffix(CALLED))
        found.functions.update(dict.fromkeys(matches, value))
    else:
        owner, _, name = one.subject.rpartition(".")
        owners = [cls for cls in world.classes_named(owner) if has_field(world, cls, name)] if owner else []
        modules = modules_with(world, owner, name)
        found.fields.update(dict.fromkeys(((cls, name) for cls in owners), value))
        found.globals.update(dict.fromkeys(((module, name) for module in modules), value))
        matches = [*owners, *modules]
    if matches and all(is_bool(world, match, one.subject) for match in matches) and one.value not in TRUTHS:
        yield Problem(str(one), "is annotated as bool", f"Write {one.subject}=true or {one.subject}=false.")
    if not matches:
        near = nearest(world, one.subject)
        fix = f"Did you mean {' or '.join(near)}?" if near else "Write Class.field=VALUE, function()=VALUE or module.NAME=VALUE."
        yield Problem(str(one), "nothing of the subject bears this name", fix)


def is_bool(world: World, match: int, subject: str) -> bool:
    """Whether the annotation of what an assumption speaks of, in a class or of a function, says bool."""
    name, scopes = subject.rpartition(".")[2], world.layout.scopes
    run = [match] if scopes[match].kind == ScopeKind.FUNCTION else properties(world, match, name)
    if run:
        return all(scopes[each].signature.endswith("-> bool") for each in run)
    owner = world.declaring(match, name)
    kind, *operands = world.layout.scopes[owner].declared.get(name, ("any",))
    payloads = world.state.values.payloads
    return kind == "name" and [payloads[value] for value in world.values(owner, operands[0])] == ["builtins.bool"]


def properties(world: World, cls: int, name: str) -> list[int]:
    """The functions that a class, or the one of its order that counts, defines under a name."""
    owner = world.program_classes.provides[cls].get(name, cls)
    base = world.layout.scope_base[world.layout.scope_file[owner]]
    bindings = world.layout.scopes[owner].bindings.get(name, ())
    return [row[0] + base for kind, *row in bindings if kind == Binding.DEFINITION]


def value_of(world: World, one: Assumption) -> Value:
    """The assumed value; text that names a member of an enumeration is that member."""
    because = frozenset((str(one),))
    if isinstance(one.value, str) and "." in one.value:
        owner, _, name = one.value.rpartition(".")
        for cls in world.classes_named(owner):
            if is_enum(world.state, cls) and name in world.layout.scopes[cls].names:
                return member(cls, name, because)
    return constant(one.value, because)


def functions_named(world: World, name: str) -> list[int]:
    """The functions whose symbol ends in a name."""
    rows = enumerate(world.layout.scopes)
    return [n for n, row in rows if row.kind == ScopeKind.FUNCTION and ends_in(world.layout.symbol(n), name)]


def modules_with(world: World, module: str, name: str) -> list[int]:
    """The scopes of the modules whose name ends so and that bind a name."""
    rows = enumerate(world.layout.scopes)
    modules = [n for n, row in rows if row.kind == ScopeKind.MODULE and ends_in(world.layout.symbol(n), module)]
    return [number for number in modules if name in world.layout.scopes[number].bindings]


def has_field(world: World, cls: int, name: str) -> bool:
    """Whether a class, or one that it inherits from, has a field of its own or a property of that name."""
    classes = world.program_classes
    return any(isinstance(one, int) and name in classes.fields[one] for one in classes.order[cls])


def nearest(world: World, subject: str) -> list[str]:
    """The names most like one that matches nothing: fields of the class, else of the classes named like it."""
    owner, _, name = subject.removesuffix(CALLED).rpartition(".")
    owners = world.classes_named(owner) if owner else []
    if owners:
        fields = sorted({field for cls in owners for field in world.program_classes.fields[cls]})
        return [f"{owner}.{each}" for each in get_close_matches(name, fields, MOST_NEAREST)]
    classes = sorted({row.name for row in world.layout.scopes if row.kind == ScopeKind.CLASS})
    return similar(name, owner, classes)


def similar(name: str, owner: str, classes: Sequence[str]) -> list[str]:
    """Classes named like the owner, with the field that was asked for."""
    return [f"{each}.{name}" for each in get_close_matches(owner.rpartition(".")[2], classes, MOST_NEAREST)]
