"""Looking a name up on a class, and what a function found there becomes."""

from __future__ import annotations

from flowmap.model.facts import Binding, Row, ScopeFlag, ScopeKind
from flowmap.solve.connect import call_method, connect
from flowmap.solve.families import SILENT_BASES
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind

ENUM_BASES = frozenset(f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"))


def provider(state: State, cls: int, name: str) -> int | None:
    """The class of the order whose body binds a name."""
    return state.variants.classes.provides[cls].get(name)


def member_node(state: State, cls: int, name: str) -> int:
    """The node of a name in a class body."""
    layout = state.layout
    return layout.scopes[cls].names[name] + layout.node_base[layout.scope_file[cls]]


def only_function(state: State, cls: int, name: str) -> int:
    """The function that a class binds to a name when text leaves no doubt: one plain definition. -1 otherwise."""
    layout = state.layout
    bindings = layout.scopes[cls].bindings.get(name, ())
    if len(bindings) != 1 or bindings[0][0] != Binding.DEFINITION:
        return -1
    scope = bindings[0][1] + layout.scope_base[layout.scope_file[cls]]
    row = layout.scopes[scope]
    is_plain = row.kind == ScopeKind.FUNCTION and not row.flags & NOT_ALONE
    return scope if is_plain else -1


NOT_ALONE = ScopeFlag.DECORATED | ScopeFlag.SETTER | ScopeFlag.DELETER | ScopeFlag.CACHED  # whose cached property it is, is open


def is_property(state: State, cls: int, name: str) -> bool:
    """Whether a class body makes a name a property, so that no field of its instances has it."""
    layout = state.layout
    base = layout.scope_base[layout.scope_file[cls]]
    bindings = layout.scopes[cls].bindings.get(name, ())
    return bool(bindings) and all(
        kind == Binding.DEFINITION and (flags := layout.scopes[rest[0] + base].flags) & ACCESSOR and not flags & ScopeFlag.CACHED
        for kind, *rest in bindings
    )


ACCESSOR = ScopeFlag.PROPERTY | ScopeFlag.SETTER | ScopeFlag.DELETER


def deliver(state: State, cls: int, name: str, row: Row) -> None:
    """Brings what a class binds to a name to an access. `row` is (dst, receiver, site, at)."""
    scope = only_function(state, cls, name)
    if scope >= 0:
        bind_function(state, state.values.of(Kind.FUNCTION, (scope, 0)), row)
    else:
        state.watch(member_node(state, cls, name), state.tables["bind"], row)


def bind_function(state: State, value: int, row: Row) -> None:
    """A function read off a class or an instance: bound, called as a property, or itself."""
    dst, receiver, site, at = row
    scope, _ = state.values.payloads[value]
    flags = state.layout.scopes[scope].flags
    on_instance = state.values.kinds[receiver] in (Kind.INSTANCE, Kind.FAMILY) or is_made_by(state, receiver, scope)
    if flags & ScopeFlag.OVERLOAD:
        return
    if flags & (ScopeFlag.SETTER | ScopeFlag.DELETER):
        if not on_instance:
            state.turn(dst, value, at)  # a part of the property that the class gives
        return
    if flags & ScopeFlag.PROPERTY and on_instance:
        state.target(site, scope, at)
        call_method(state, value, receiver, (dst, at[0], (), (), -1))
    elif flags & ScopeFlag.STATIC:
        state.turn(dst, value, at)
    elif flags & ScopeFlag.CLASSMETHOD or state.layout.scopes[scope].name in IMPLICIT_CLASSMETHODS:
        state.turn(dst, bound(state, value, class_of(state, receiver)), at)
    elif on_instance:
        state.turn(dst, bound(state, value, receiver), at)
    else:
        state.turn(dst, value, at)


def is_made_by(state: State, receiver: int, method: int) -> bool:
    """Whether a receiver is a class, and the method stands in its metaclass or above that."""
    meta = metaclass(state, receiver)
    return meta is not None and state.program.methods.get(method, (-1, ""))[0] in state.program.classes.order[meta]


def metaclass(state: State, value: int) -> int | None:
    """The indexed metaclass of a class; None for any other value."""
    if state.values.kinds[value] != Kind.CLASS:
        return None
    return state.program.classes.metaclasses.get(state.values.payloads[value])


def class_asked(state: State, receiver: int) -> int | None:
    """The class where special methods of a receiver are looked up: its own, or a class's metaclass."""
    if state.values.kinds[receiver] in (Kind.INSTANCE, Kind.FAMILY):
        cls: int = state.values.payloads[receiver]
        return cls
    return metaclass(state, receiver)


IMPLICIT_CLASSMETHODS = frozenset(("__init_subclass__", "__class_getitem__"))


def bound(state: State, function: int, receiver: int) -> int:
    """The value of a bound method."""
    return state.values.of(Kind.BOUND, (function, receiver))


def class_of(state: State, value: int) -> int:
    """The value of an instance's class; a class stays itself."""
    if state.values.kinds[value] in (Kind.INSTANCE, Kind.VARIANT):
        return state.values.of(Kind.CLASS, state.variants.base(state.values.payloads[value]))
    if state.values.kinds[value] == Kind.FAMILY:
        return state.families.as_kind(value, Kind.CLASS_FAMILY)
    return value


def outside_base(state: State, cls: int) -> str | None:
    """The first class of the order that is not indexed and may have members of its own."""
    return next((base for base in state.variants.classes.outside_bases(cls) if base not in SILENT_BASES), None)


def is_enum(state: State, cls: int) -> bool:
    """Whether a class is an enumeration."""
    return any(base in ENUM_BASES for base in state.variants.classes.outside_bases(cls))


def defines_member(state: State, cls: int, name: str) -> bool:
    """Whether the body of an enumeration binds a name to a value, and so to a member."""
    bindings = state.layout.scopes[cls].bindings.get(name, ())
    return bool(bindings) and all(kind != Binding.DEFINITION for kind, *_ in bindings)


def call_special(state: State, receiver: int, name: str, row: Row) -> bool:
    """Calls a special method of an instance at a site, as the interpreter does: on the class alone. False when it has none."""
    if state.families.is_family(receiver):
        return call_special_of_family(state, receiver, name, row)
    cls = class_asked(state, receiver)
    found = None if cls is None else provider(state, cls, name)
    if found is None:
        return cls is not None and call_by_mixin(state, receiver, name, row)
    call_found(state, (receiver, found), name, row)
    return True


def call_by_mixin(state: State, receiver: int, name: str, row: Row) -> bool:
    """What a base from outside runs where it provides a special method, as abstract collections do. False when none does."""
    mixins = state.library.mixins.get(name)
    if mixins is None or state.values.kinds[receiver] != Kind.INSTANCE:
        return False
    cls = state.values.payloads[receiver]
    mixin = next((mixins[base] for base in state.variants.classes.outside_bases(cls) if base in mixins), None)
    if mixin is None:
        return False
    for called in mixin.calls:
        found = provider(state, cls, called)
        alone = (state.side_node(row[0], f"{name} {called}", receiver), row[1], (), (), row[4])
        if found is not None:
            call_found(state, (receiver, found), called, row if mixin.hands else alone)
    return True


def call_special_of_family(state: State, receiver: int, name: str, row: Row) -> bool:
    """As `call_special`, for each part of a family that has the method."""
    parts = [(part, found) for found, part in state.families.parts(receiver, name) if isinstance(found, int)]
    for part in parts:
        call_found(state, part, name, row)
    return bool(parts)


def call_found(state: State, part: tuple[int, int], name: str, row: Row) -> None:
    """Calls a special method on (receiver, class that provides it), once a site."""
    receiver, found = part
    key = (row[0], name, receiver, row[4])
    if key not in state.specials:
        state.specials.add(key)
        call_member(state, (found, name), receiver, row)


def call_member(state: State, member: tuple[int, str], receiver: int, row: Row) -> None:
    """Calls what a class, `member` = (class, name), binds to a name, read off a receiver."""
    cls, name = member
    method = state.side_node(row[0], name, receiver)
    deliver(state, cls, name, (method, receiver, -1, (row[1], receiver)))
    state.watch(method, state.tables["call"], row)


def call_with_name(state: State, receiver: int, special: str, row: Row) -> bool:
    """`__getattr__` and its kin, read once for each name that is asked for. Rows (dst, base, name, site). False without one."""
    dst, base, name, site = row
    cls = class_asked(state, receiver)
    found = None if cls is None else provider(state, cls, special)
    if found is None:
        return False
    asked = state.side_node(base, f"name {name}")
    state.add(asked, state.values.of(Kind.STRING, name), SEED)
    call = (dst, base, (asked,), (), site)
    scope = only_function(state, found, special)
    if scope < 0:
        return call_special(state, receiver, special, call)
    state.target(site, scope, (base, receiver))
    activation = state.activations.for_receiver(scope, 0, (receiver, name))
    signature = state.activations.signature(scope, activation)
    if signature.positional:
        state.add(signature.positional[0], receiver, base)
    connect(state, scope, activation, call, 1)
    return True


def only(state: State, origin: int, value: int) -> int:
    """A node beside another that holds one of its values alone."""
    node = state.side_node(origin, "receiver", value)
    state.add(node, value, origin)
    return node


def constructor_fields(state: State, cls: int) -> list[str]:
    """The declared fields of a class, those of its bases first."""
    fields: dict[str, None] = {}
    for one in reversed(state.variants.classes.order[cls]):
        if isinstance(one, int):
            scope = state.layout.scopes[one]
            fields.update(dict.fromkeys(name for name in scope.declared if name not in scope.not_given))
    return list(fields)


def defines_function(state: State, cls: int, name: str) -> bool:
    """Whether a class body binds a name by `def` or `class`."""
    return any(kind == 0 for kind, *_ in state.layout.scopes[cls].bindings.get(name, ()))
