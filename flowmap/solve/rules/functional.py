"""What `functools` and `contextlib` make of functions: partial calls, dispatch by type, wrappers, stacks of exits."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import only
from flowmap.solve.state import SEED, Partial, State
from flowmap.solve.values import Kind

MADE = "collections.namedtuple().__new__"  # what calling a named tuple's class runs


def partial(state: State, row: Row) -> None:
    """`partial(f, ...)`"""
    given = row[2]
    if given and given[0] >= 0:
        hold(state, row, Partial(given[0], given[1:], row[3], binds=False))


def partialmethod(state: State, row: Row) -> None:
    """`partialmethod(f, ...)`: bound where it is read off an object."""
    given = row[2]
    if given and given[0] >= 0:
        hold(state, row, Partial(given[0], given[1:], row[3], binds=True))


def hold(state: State, row: Row, made: Partial) -> None:
    """Makes a partial call the result of a call."""
    number = len(state.partials)
    state.partials.append(made)
    state.add(row[0], state.values.of(Kind.PARTIAL, number), row[1])


def bind_partial(state: State, value: int, row: Row) -> None:
    """A partial method read off an object holds the function as that object's method. Rows (dst, receiver, site, at)."""
    dst, receiver, _, at = row
    made = state.partials[state.values.payloads[value]]
    if not made.binds or state.values.kinds[receiver] not in (Kind.INSTANCE, Kind.FAMILY):
        state.turn(dst, value, at)
        return
    key = (value, receiver)
    if key not in state.bound_partials:
        function = state.side_node(made.function, "bound", receiver)
        if made.function in state.dispatchers:
            state.dispatchers.add(function)
        state.watch(made.function, state.tables["bind"], (function, receiver, -1, (made.function, value)))
        state.bound_partials[key] = len(state.partials)
        state.partials.append(Partial(function, made.arguments, made.keywords, binds=False))
    state.turn(dst, state.values.of(Kind.PARTIAL, state.bound_partials[key]), at)


def call_of_partial(state: State, value: int, row: Row) -> None:
    """`partial(f, ...)(...)`: f with the arguments of both."""
    dst, _, arguments, keywords, site = row
    key = (dst, "partial", value, site)
    if key in state.specials:
        return  # a partial of itself
    state.specials.add(key)
    made = state.partials[state.values.payloads[value]]
    if made.function in state.dispatchers:
        arguments = dispatched_arguments(state, arguments)
    inner = (dst, made.function, (*made.arguments, *arguments), (*made.keywords, *keywords), site)
    state.watch(made.function, state.tables["call"], inner)


def dispatched_arguments(state: State, arguments: tuple[int, ...]) -> tuple[int, ...]:
    """What is dispatched by its type goes only where an annotation of the implementation lets it, however surely it is given."""
    if not arguments or arguments[0] < 0:
        return arguments
    passed = state.side_node(arguments[0], "dispatched by type")
    state.flow_weakly(arguments[0], passed)
    return (passed, *arguments[1:])


def attribute_of_partial(state: State, value: int, row: Row) -> None:
    """`partial.func`; of a function that dispatches by type: what registers one more."""
    dst, base, name, _ = row
    made = state.partials[state.values.payloads[value]]
    if name == "func":
        state.flow(made.function, dst)
    elif name == "__new__" and makes_named_tuples(state, made):
        state.turn(dst, state.values.of(Kind.OUTSIDE, "collections.namedtuple.__new__"), (base, value))
    elif (name == "register" and made.function in state.dispatchers) or (name == "_make" and makes_named_tuples(state, made)):
        state.turn(dst, state.values.of(Kind.METHOD, (value, name)), (base, value))


def makes_named_tuples(state: State, made: Partial) -> bool:
    """Whether a partial call is what `namedtuple` gave."""
    return any(state.values.payloads[one] == MADE for one in state.points[made.function] or ())


def dispatch_by_type(state: State, row: Row) -> None:
    """`singledispatch(f)`: one of f and those that are registered runs."""
    dispatch(state, row, Partial(state.side_node(row[0], "implementation"), (), (), binds=False))


def dispatch_method_by_type(state: State, row: Row) -> None:
    """`singledispatchmethod(f)`: as a method."""
    dispatch(state, row, Partial(state.side_node(row[0], "implementation"), (), (), binds=True))


def dispatch(state: State, row: Row, made: Partial) -> None:
    """A partial call without arguments of all implementations."""
    if made.function not in state.dispatchers:
        state.dispatchers.add(made.function)
        hold(state, row, made)
    for function in row[2][:1]:
        if function >= 0:
            state.flow_later(function, made.function)  # which one runs, only a type tells


def call_of_register(state: State, value: int, row: Row) -> None:
    """`f.register`: given a function it adds that; given a class it waits for the function."""
    dst, callee, arguments, _, _ = row
    owner, _ = state.values.payloads[value]
    if state.values.kinds[owner] != Kind.PARTIAL:
        return
    made = state.partials[state.values.payloads[owner]]
    if made.function in state.dispatchers:
        state.target(row[4], "ext:functools.singledispatch.register", (callee, value))
    for argument in arguments[:1]:
        state.watch(argument, state.tables["implementation"], (dst, argument, made.function))
    if len(arguments) > 1:
        state.flow_later(arguments[1], made.function)
        state.flow(arguments[1], dst)
    elif arguments:
        state.watch(arguments[0], state.tables["dispatched class"], (dst, callee, value))


def implementation(state: State, value: int, row: Row) -> None:
    """A function that is registered. Rows (dst, node, node of all implementations)."""
    dst, node, function = row
    state.flow_later(only(state, node, value), function)
    state.add(dst, value, node)


def dispatched_class(state: State, value: int, row: Row) -> None:  # noqa: ARG001 - a rule's signature
    """A class for which a function is to be registered. Rows (dst, callee, `register` as a value)."""
    dst, callee, registering = row
    state.add(dst, registering, callee)


def reduce_(state: State, row: Row) -> None:
    """`reduce(f, x, start)`: f is called with its own result, or the start, and an element."""
    match row[2]:
        case [function, source, *start] if function >= 0 and source >= 0:
            element, total = state.side_node(row[0], "element"), state.side_node(row[0], "total")
            state.watch(source, state.tables["element"], (element, source, -1))
            for node in start or (element,):
                state.flow(node, total)
            state.flow(total, row[0])
            result = state.side_node(row[0], "result")
            state.flow(result, total)
            state.watch(function, state.tables["call"], (result, function, (total, element), (), row[4]))
        case _:
            pass


def methodcaller(state: State, row: Row) -> None:
    """`methodcaller(name, ...)`: a function that calls a method of what it is given."""
    later(state, row, "operator.methodcaller.__call__")


def attrgetter(state: State, row: Row) -> None:
    """`attrgetter(name)`: a function that reads an attribute of what it is given."""
    later(state, row, "operator.attrgetter.__call__")


def itemgetter(state: State, row: Row) -> None:
    """`itemgetter(key)`: a function that reads an item of what it is given."""
    later(state, row, "operator.itemgetter.__call__")


def read_item(state: State, row: Row) -> None:
    """What `itemgetter` gives: the item of the last argument under the key; of several keys a tuple."""
    match row[2]:
        case [*keys, thing] if keys and min(keys) >= 0 and thing >= 0:
            found = state.slots.made("tuple", row[0])
            into = [state.slots.node(found, index) for index in range(len(keys))] if len(keys) > 1 else [row[0]]
            for key, dst in zip(keys, into, strict=True):
                state.watch(thing, state.tables["item"], (dst, thing, state.constants.get(key), key, row[4]))
            if len(keys) > 1:
                state.add(row[0], found, row[1])
        case _:
            pass


def later(state: State, row: Row, dotted: str) -> None:
    """A partial call of something outside."""
    function = state.side_node(row[0], dotted)
    state.add(function, state.values.of(Kind.OUTSIDE, dotted), row[1])
    hold(state, row, Partial(function, row[2], row[3], binds=False))


def read_named(state: State, row: Row) -> None:
    """What `attrgetter` gives: the attribute of the last argument that the first one names."""
    match row[2]:
        case [name, *others, thing] if name >= 0 and thing >= 0:
            for one in (name, *others):
                state.read_by_name.setdefault(one, {})[thing] = None
            state.watch(name, state.tables["attribute by name"], (row[0], thing, row[4]))
        case _:
            pass


def call_named(state: State, row: Row) -> None:
    """What `methodcaller` gives: the method of the last argument that the first one names, called with those between."""
    match row[2]:
        case [name, *arguments, thing] if name >= 0 and thing >= 0:
            method = state.side_node(row[0], "method")
            state.watch(name, state.tables["attribute by name"], (method, thing, row[4]))
            state.watch(method, state.tables["call"], (row[0], method, tuple(arguments), row[3], row[4]))
        case _:
            pass


def update_wrapper(state: State, row: Row) -> None:
    """`update_wrapper(wrapper, wrapped)` gives the wrapper back."""
    for wrapper in row[2][:1]:
        if wrapper >= 0:
            state.flow(wrapper, row[0])


def callback(state: State, row: Row) -> None:
    """`stack.callback(f, ...)`, `atexit.register(f, ...)`: f runs with these arguments later on, and is given back."""
    match row[2]:
        case [function, *arguments] if function >= 0:
            state.flow(function, row[0])
            result = state.side_node(row[0], "called back")
            state.watch_later(function, state.tables["call"], (result, function, tuple(arguments), row[3], row[4]))
        case _:
            pass


def enter_context(state: State, row: Row) -> None:
    """`stack.enter_context(manager)`: what entering the manager gives; leaving it runs, too."""
    for manager in row[2][:1]:
        if manager >= 0:
            state.watch(manager, state.tables["enter"], (row[0], manager, row[4]))


def closing(state: State, row: Row) -> None:
    """`closing(x)`: entering gives x; leaving runs its `close`."""
    entering(state, row)
    for thing in row[2][:1]:
        if thing >= 0:
            close, closed = state.side_node(row[0], "close"), state.side_node(row[0], "closed")
            state.watch(thing, state.tables["attribute"], (close, thing, "close", -1))
            state.watch(close, state.tables["call"], (closed, close, (), (), row[4]))


def enters_on_call(state: State, row: Row) -> None:
    """`@manager`: what is decorated enters the manager whenever it is called. Row of a decorator."""
    function = state.side_node(row[0], ENTERED)
    state.add(function, state.values.of(Kind.OUTSIDE, ENTERED), row[1])
    manager = state.side_node(row[0], "manager")
    state.flow(row[1], manager)
    hold(state, row, Partial(function, (manager,), (), binds=False))


ENTERED = "contextlib.ContextDecorator.__call__"


def enter_first(state: State, row: Row) -> None:
    """What a manager made of a function is called: the manager is entered."""
    for manager in row[2][:1]:
        if manager >= 0:
            state.watch(manager, state.tables["enter"], (state.side_node(row[0], "entered"), manager, row[4]))


def entering(state: State, row: Row) -> None:
    """`nullcontext(x)`: entering gives x."""
    manager = state.slots.made("generator", row[0])
    for thing in row[2][:1]:
        if thing >= 0:
            state.flow(thing, state.slots.node(manager, None))
    state.add(row[0], manager, SEED)
