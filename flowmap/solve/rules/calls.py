"""What a call runs, by what is called. Rows: (dst, callee, arguments, keywords, site)."""

from __future__ import annotations

from flowmap.model.facts import Op, Row, ScopeFlag
from flowmap.solve import connect
from flowmap.solve.lookup import (
    call_member,
    call_special,
    constructor_fields,
    deliver,
    is_enum,
    member_node,
    only_function,
    outside_base,
    provider,
)
from flowmap.solve.records import is_named_tuple
from flowmap.solve.rules.bases import construct_parts
from flowmap.solve.rules.callbacks import called_back
from flowmap.solve.rules.functional import enters_on_call
from flowmap.solve.rules.outside import call_outside
from flowmap.solve.rules.registered import register
from flowmap.solve.rules.stdlib import call_known
from flowmap.solve.state import State
from flowmap.solve.values import Kind


def call_of_function(state: State, value: int, row: Row) -> None:
    """A function."""
    scope = state.values.payloads[value][0]
    state.target(row[4], scope, (row[1], value))
    if state.layout.scopes[scope].name in state.library.registering:
        register(state, f".{state.layout.scopes[scope].name}", row)
    state.activations.wrapped.called(value, row)
    connect.call_function(state, value, row)


def call_of_bound(state: State, value: int, row: Row) -> None:
    """A method with its receiver."""
    function, receiver = state.values.payloads[value]
    state.target(row[4], state.values.payloads[function][0], (row[1], value))
    connect.call_method(state, function, receiver, row)


def receiver_is_first_argument(state: State, value: int, row: Row) -> None:
    """`Base.method(obj, ...)`: the method runs for obj's class. Rows (function, call)."""
    function, call = row
    scope, definer = state.values.payloads[function]
    if not state.activations.receives(scope, value):
        return
    alone = not state.activations.is_crowded(scope)
    for one in state.families.each(value) if alone else (value,):
        activation = connect.method_activation(state, scope, definer, (one, call[4]))
        connect.connect(state, scope, activation, call, 0)


def receiver_is_function(state: State, value: int, row: Row) -> None:  # noqa: ARG001 - a rule's signature
    """A function of a class body that is called with a function, as decorators are: it is no method there."""
    function, call = row
    scope, definer = state.values.payloads[function]
    connect.connect(state, scope, state.activations.own(scope, definer, ("function", call[4])), call, 0)


def receiver_is_unknown(state: State, value: int, row: Row) -> None:  # noqa: ARG001 - a rule's signature
    """`Base.method(obj, ...)` where obj is from outside, and a function that a class body calls itself: its own nodes serve."""
    function, call = row
    scope, _ = state.values.payloads[function]
    connect.connect(state, scope, 0, call, 0)


def call_of_class(state: State, value: int, row: Row) -> None:
    """A class: `__call__` of its metaclass runs first, and then, as far as anyone knows, what it replaces."""
    value = class_value(state, value)
    call_special(state, value, "__call__", row)
    if is_enum(state, state.values.payloads[value]):
        look_up_member(state, value, row)
    else:
        construct(state, value, row)


def look_up_member(state: State, value: int, row: Row) -> None:
    """`Enum(value)` is a member; `_missing_` is asked where there is none."""
    dst, callee, arguments, _, site = row
    cls = state.values.payloads[value]
    state.target(site, cls, (callee, value))
    state.turn(dst, state.values.of(Kind.INSTANCE, cls), (callee, value))
    found = provider(state, cls, "_missing_")
    if found is not None:
        call_member(state, (found, "_missing_"), value, (dst, callee, arguments, (), site))


def call_of_constructor(state: State, value: int, row: Row) -> None:
    """`super().__call__()` in a metaclass."""
    construct(state, state.values.payloads[value], row)


def construct(state: State, value: int, row: Row) -> None:
    """A constructor: `__init__` by the class order, else the class itself; then what runs beside it."""
    dst, callee, *_, site = row
    cls = state.values.payloads[value]
    instance = state.values.of(Kind.INSTANCE, state.variants.at(cls, site))
    at = (callee, value)
    new = provider(state, cls, "__new__")
    if new is None or may_make(state, new):
        state.turn(dst, instance, at)
        state.makes(site, cls, at)
    found = written_constructor(state, cls)
    if found is not None:
        construct_by(state, (found, "__init__", instance), row)
    else:
        state.target(site, cls, at)
        if new is None or not is_named_tuple(state, cls):  # a `__new__` fills a named tuple itself
            fill_fields(state, state.values.payloads[instance], row)
        construct_parts(state, instance, row)
        post = provider(state, cls, "__post_init__")
        if post is not None:
            given = arguments_for_post_init(state, cls, row)
            construct_by(state, (post, "__post_init__", instance), (-1, callee, given, (), site))
    if new is not None:
        variant = state.values.payloads[instance]
        maker = value if variant == cls else state.values.of(Kind.VARIANT, variant)
        call_new(state, maker, new, row)


def may_make(state: State, cls: int) -> bool:
    """Whether the `__new__` of a class may make an instance: it calls another `__new__`. One that never does gives what it
    returns, and nothing else."""
    scope = only_function(state, cls, "__new__")
    if scope < 0:
        return True
    layout = state.layout
    rows = layout.rows(scope)
    return any(row[0] in (Op.ATTR, Op.METHOD) and row[3] == "__new__" for row in rows)


def written_constructor(state: State, cls: int) -> int | None:
    """The class of the order whose `__init__` stands in the text, unless a dataclass before it has a generated one."""
    found = provider(state, cls, "__init__")
    if found is None:
        return None
    order = state.variants.classes.order[cls]
    before = (one for one in order[: order.index(found)] if isinstance(one, int))
    return None if any(generates_constructor(state, one) for one in before) else found


def generates_constructor(state: State, cls: int) -> bool:
    """Whether a class is a dataclass that gets its `__init__` from there."""
    scope = state.layout.scopes[cls]
    generates = bool(scope.flags & ScopeFlag.DATACLASS)
    return generates and not any("init=False" in text.replace(" ", "") for text in scope.decorators)


def arguments_for_post_init(state: State, cls: int, row: Row) -> tuple[int, ...]:
    """The nodes of what `InitVar` fields are given, in their order."""
    _, _, arguments, keywords, _ = row
    by_name = dict(keywords)
    named: list[int] = []
    for index, name in enumerate(constructor_fields(state, cls)):
        if is_init_only(state, cls, name):
            given = arguments[index] if index < len(arguments) else by_name.get(name, -1)
            named.append(given if given >= 0 else state.layout.node_base[0])
    return tuple(named)


def is_init_only(state: State, cls: int, name: str) -> bool:
    """Whether a declared name is an `InitVar`."""
    order = state.variants.classes.order[cls]
    return any(isinstance(one, int) and name in state.layout.scopes[one].init_only for one in order)


def field_of_default(state: State, value: int, row: Row) -> None:
    """`field(default=x, default_factory=f)`: where nothing is given, f is called. Rows (field, site of the constructor)."""
    field, site = row
    default, factory = state.values.payloads[value]
    if default >= 0:
        state.flow_weakly(default, field)
    if factory >= 0:
        made = state.side_node(field, "made by default", site)
        state.watch(factory, state.tables["call"], (made, factory, (), (), site))
        state.flow_weakly(made, field)


def replace_fields(state: State, value: int, row: Row) -> None:
    """`dataclasses.replace(obj, name=value)`: another one of obj's class."""
    dst, base, _, keywords, site = row
    cls = state.values.payloads[value]
    state.turn(dst, value, (base, value))
    post = provider(state, cls, "__post_init__")
    inner = (dst, base, (), keywords, site)
    fill_fields(state, cls, inner)
    if post is not None:
        given = arguments_for_post_init(state, cls, inner)
        call_member(state, (post, "__post_init__"), value, (state.side_node(dst, "replaced"), base, given, (), site))


def construct_by(state: State, method: tuple[int, str, int], row: Row) -> None:
    """Runs a method of the new instance with the call's arguments."""
    cls, name, instance = method
    _, callee, arguments, keywords, site = row
    result = state.side_node(row[0] if row[0] >= 0 else callee, name, instance)
    scope = only_function(state, cls, name)
    inner = (result, callee, arguments, keywords, site)
    if scope >= 0:
        state.target(site, scope, (callee, class_value(state, instance)))
        connect.call_method(state, state.values.of(Kind.FUNCTION, (scope, 0)), instance, inner)
    else:
        found = state.side_node(result, name)
        deliver(state, cls, name, (found, instance, -1, (callee, class_value(state, instance))))
        state.watch(found, state.tables["call"], (result, found, arguments, keywords, site))


def class_value(state: State, instance: int) -> int:
    """The value of an instance's class, whatever variant of it that is."""
    return state.values.of(Kind.CLASS, state.variants.base(state.values.payloads[instance]))


def call_new(state: State, value: int, cls: int, row: Row) -> None:
    """`__new__` runs with the class, or the variant of it that is to be made, before the arguments; what it gives is the call's
    result, too."""
    dst, callee, arguments, keywords, site = row
    scope = only_function(state, cls, "__new__")
    if scope >= 0:
        state.target(site, scope, (callee, class_value(state, value)))
        function = state.values.of(Kind.FUNCTION, (scope, 0))
        connect.call_method(state, function, value, (dst, callee, arguments, keywords, site))


def fill_fields(state: State, cls: int, row: Row) -> None:
    """The generated `__init__` of a dataclass, NamedTuple and their kin: arguments become fields, in the order of declaration."""
    _, _, arguments, keywords, site = row
    fields = constructor_fields(state, cls)
    for name, argument in zip(fields, arguments, strict=False):
        if argument < 0:
            break
        state.flow_weakly(argument, state.fields.instance(cls, name)[0])
    for name in fields:
        found = provider(state, cls, name)
        if found is not None:
            state.watch(member_node(state, found, name), state.tables["field"], (state.fields.instance(cls, name)[0], site))
    if is_named_tuple(state, cls) and all(argument >= 0 for argument in arguments):
        fill_in_defaults(state, cls, fields[len(arguments) :], keywords)
    for keyword, node in keywords:
        if keyword is None:
            state.watch(node, state.tables["spread fields"], (cls, tuple(fields)))
        elif keyword in fields:
            state.flow_weakly(node, state.fields.instance(cls, keyword)[0])


def fill_record(state: State, value: int, row: Row) -> None:
    """`super().__new__(cls, ...)` of a named tuple. Rows as of a call, without the class."""
    cls = state.values.payloads[value]
    if is_named_tuple(state, cls):
        fill_fields(state, cls, row)


def fill_in_defaults(state: State, cls: int, names: list[str], keywords: tuple[tuple[str | None, int], ...]) -> None:
    """What the class body gives for the elements of a NamedTuple that a call does not give."""
    given = {name for name, _ in keywords}
    for name in names:
        found = None if name in given else provider(state, cls, name)
        if found is not None:
            state.flow_weakly(member_node(state, found, name), state.fields.instance(cls, name)[0])


def spread_into_fields(state: State, value: int, row: Row) -> None:
    """`C(**mapping)` fills the fields that the mapping names. Rows (class, fields)."""
    cls, fields = row
    for name in fields:
        state.slots.hand(value, name, state.fields.instance(cls, name)[0])


def call_of_instance(state: State, value: int, row: Row) -> None:
    """`__call__`, or what a base from outside calls back."""
    cls = state.values.payloads[value]
    if state.variants.site(cls) >= 0:
        state.dispatched.setdefault(row[4], {}).setdefault(cls, row[1])
    if call_special(state, value, "__call__", row):
        return
    if any(call_special(state, value, name, row) for name in called_back(state, cls, "__call__")):
        return
    outside = outside_base(state, cls)
    if outside is not None:
        state.target(row[4], f"ext:{outside}.__call__", (row[1], value))


def call_of_thing(state: State, value: int, row: Row) -> None:
    """An object from outside, called: what its stub says, or something of the same package, comes back."""
    dst, callee, _, _, site = row
    root = state.values.payloads[value].partition(".")[0]
    if root != state.values.payloads[value]:
        state.target(site, f"ext:{state.values.payloads[value]}.__call__", (callee, value))
        if call_known(state, value, "__call__", row):
            return
    else:
        state.outside_sites.setdefault(site, root)
    state.turn(dst, state.values.of(Kind.THING, root), (callee, value))


def call_of_container(state: State, value: int, row: Row) -> None:
    """An object from outside that holds others, called (`weakref.ref`): what its stub says."""
    type_name, _ = state.values.payloads[value]
    if call_known(state, value, "__call__", row):
        state.target(row[4], f"ext:{type_name}.__call__", (row[1], value))


def call_of_alias(state: State, value: int, row: Row) -> None:  # noqa: ARG001 - a rule's signature
    """`NewType("Name", C)(x)` is x."""
    for argument in row[2][:1]:
        if argument >= 0:
            state.flow(argument, row[0])


def call_of_typed(state: State, value: int, row: Row) -> None:
    """Something that is declared to be callable gives what is declared."""
    found = state.declared.type_of(state.values.payloads[value])
    if not found.unbounded:
        state.declared.seed(row[0], found)


def decorate_by_outside(state: State, value: int, row: Row) -> None:
    """A decorator from outside is taken to give back what it decorates, unless more is known of it."""
    dst, decorator, (decorated,), _, site = row
    if state.values.kinds[value] == Kind.OUTSIDE and state.values.payloads[value] in CHANGING:
        call_outside(state, value, row)
        return
    if state.values.kinds[value] == Kind.OUTSIDE:
        state.target(site, f"ext:{state.values.payloads[value]}", (decorator, value))
    elif state.values.kinds[value] == Kind.CONTAINER:
        state.target(site, f"ext:{state.values.payloads[value][0]}.__call__", (decorator, value))
    else:
        state.outside_sites.setdefault(site, state.values.payloads[value].partition(".")[0])
    state.flow(decorated, dst)


CHANGING = frozenset(("functools.singledispatch", "functools.singledispatchmethod"))


def decorate_by_generator(state: State, value: int, row: Row) -> None:
    """What `contextmanager` made decorates: the function runs inside."""
    if state.values.payloads[value][0] == "generator":
        state.flow(row[2][0], row[0])
        enters_on_call(state, row)
    else:
        decorate_by_outside(state, value, row)


def decorate_by_call(state: State, value: int, row: Row) -> None:
    """A decorator of the program is called with what it decorates; one whose `__call__` is outside gives that back."""
    if state.values.kinds[value] == Kind.INSTANCE and is_called_outside(state, state.values.payloads[value]):
        state.flow(row[2][0], row[0])
        decorate_by_manager(state, value, row)
    given = state.side_node(row[0], "decorated", value)
    state.watch(given, state.tables["decorated"], (row[0], given, value))
    for handler in state.tables["call"][state.values.kinds[value]]:
        handler(state, value, (given, *row[1:]))


def decorate_by_manager(state: State, value: int, row: Row) -> None:
    """`@Manager()` of a class below `ContextDecorator`: the function runs inside."""
    bases = state.variants.classes.outside_bases(state.values.payloads[value])
    if any("contextlib.ContextDecorator" in state.stubs.lineage(base) for base in bases):
        enters_on_call(state, row)


def decorated(state: State, value: int, row: Row) -> None:
    """What a decorator gives. Rows (dst, node, decorator)."""
    state.add(row[0], value, row[1])


def decorated_later(state: State, value: int, row: Row) -> None:
    """A partial call, unless it is one of the decorator itself: that is what it gives where it gets nothing to decorate."""
    dst, given, decorator = row
    if not called_in(state, decorator) & called_in(state, value):
        state.add(dst, value, given)


def called_in(state: State, value: int) -> set[int]:
    """What a decorator or partial call calls, as far as it is known by now."""
    if state.values.kinds[value] != Kind.PARTIAL:
        return {value}
    return set(state.points[state.partials[state.values.payloads[value]].function] or ())


def is_called_outside(state: State, cls: int) -> bool:
    """Whether calling an instance runs a method of a base that is not indexed."""
    return provider(state, cls, "__call__") is None and outside_base(state, cls) is not None


def call_of_outside(state: State, value: int, row: Row) -> None:
    """A function or class from outside: what the library table knows of it, else an object of its package."""
    call_outside(state, value, row)


def unset_by_property(state: State, value: int, row: Row) -> None:
    """`del obj.name` where the class has a deleter. Rows (receiver, site, base)."""
    receiver, site, base = row
    scope, _ = state.values.payloads[value]
    if state.scope_has(scope, ScopeFlag.DELETER):
        state.target(site, scope, (base, receiver))
        connect.call_method(state, value, receiver, (state.side_node(base, "deleter", value), base, (), (), -1))


def set_by_property(state: State, value: int, row: Row) -> None:
    """`obj.name = src` where the class has a setter. Rows (receiver, src, site, base)."""
    receiver, src, site, base = row
    scope, _ = state.values.payloads[value]
    if state.scope_has(scope, ScopeFlag.SETTER):
        state.target(site, scope, (base, receiver))
        connect.call_method(state, value, receiver, (state.side_node(base, f"setter {src}", value), base, (src,), (), -1))
