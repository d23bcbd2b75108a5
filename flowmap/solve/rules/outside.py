"""What functions from outside do with what they are given: builtins, the standard library, and what the library table says."""

from __future__ import annotations

from collections.abc import Callable

from flowmap.model.facts import Row
from flowmap.solve.rules import functional, iterators, modules, named_tuples, specials
from flowmap.solve.rules.borders import hand_over
from flowmap.solve.rules.registered import register, run_named
from flowmap.solve.rules.stdlib import call_named
from flowmap.solve.slots import KEYS, NAMESPACE
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind

Rule = Callable[[State, Row], None]


def call_outside(state: State, value: int, row: Row) -> None:
    """A call of something outside."""
    dst, callee, arguments, _, site = row
    dotted = state.values.payloads[value]
    state.target(site, f"ext:{dotted}", (callee, value))
    hand_over(state, border_name(state, dotted), row)
    register(state, dotted, row)
    run_named(state, dotted, row)
    specials.call_specials(state, dotted, row)
    rule = OUTSIDE.get(dotted) or (new_object if dotted.endswith(".__new__") else None)
    if rule is not None:
        rule(state, row)
        return
    if dotted in state.library.transparent:
        if arguments and arguments[0] >= 0:
            state.flow(arguments[0], dst)
        else:
            state.turn(dst, state.values.of(Kind.REGISTRAR, ""), (callee, value))
    elif call_named(state, dotted, row, (callee, value)):
        return
    last = dotted.rpartition(".")[2]
    turned = dotted if last[:1].isupper() else dotted.partition(".")[0]
    if dotted.startswith("builtins."):
        turned = f"builtins.{last}" if last in BUILTIN_TYPES else "builtins"
    state.turn(dst, state.values.of(Kind.THING, turned), (callee, value))


def border_name(state: State, dotted: str) -> str:
    """A method as the table of borders names it: by any class of its package that has it."""
    if dotted in state.library.borders:
        return dotted
    package, name = dotted.partition(".")[0], dotted.rpartition(".")[2]
    return state.library.by_package.get((package, name), dotted) if state.stubs.callable(dotted) is not None else dotted


BUILTIN_TYPES = frozenset(("str", "int", "float", "bool", "bytes", "bytearray", "complex", "object", "range", "memoryview"))


def plain(row: Row) -> tuple[int, ...]:
    """The positional arguments before any starred one."""
    found = []
    for argument in row[2]:
        if argument < 0:
            break
        found.append(argument)
    return tuple(found)


def keyword(row: Row, name: str) -> int:
    """The node of a keyword argument, -1 when it is not given."""
    return next((node for key, node in row[3] if key == name), -1)


def iterate(state: State, src: int, dst: int, site: int = -1) -> None:
    """Lets the elements of what is at a node flow to another; `site` is the call that iterates."""
    state.watch(src, state.tables["element"], (dst, src, site))


def make(state: State, row: Row, type_name: str) -> int:
    """A new container as the call's result."""
    container = state.slots.made(type_name, row[0])
    state.add(row[0], container, row[1])
    return container


def collect(type_name: str) -> Rule:
    """`list(x)` and its kin: a container of x's elements."""

    def rule(state: State, row: Row) -> None:
        container = make(state, row, type_name)
        for argument in plain(row)[:1]:
            state.watch(argument, state.tables["element"], (state.slots.node(container, None), argument, row[4]))
        key = keyword(row, "key")
        if key >= 0:
            call_with_element(state, row, key)

    return rule


def copy_of(type_name: str) -> Rule:
    """`list(x)`, `tuple(x)`: x's elements where they are."""

    def rule(state: State, row: Row) -> None:
        container = make(state, row, type_name)
        for argument in plain(row)[:1]:
            state.watch(argument, state.tables["copy"], (container, argument, row[4]))

    return rule


def call_with_element(state: State, row: Row, function: int) -> None:
    """`key=f`: f is called with the elements of the first argument."""
    for argument in plain(row)[:1]:
        element = state.side_node(row[0], "element")
        iterate(state, argument, element)
        state.watch(function, state.tables["call"], (state.side_node(row[0], "key"), function, (element,), (), row[4]))


def make_dict(state: State, row: Row) -> None:
    """`dict(mapping, key=value)`"""
    container = make(state, row, "dict")
    for argument in plain(row)[:1]:
        state.watch(argument, state.tables["spread"], (container, argument, frozenset(), row[4]))
        pair = state.side_node(row[0], "pair")
        state.watch(argument, state.tables["pair"], (pair, argument, -1))
        state.watch(pair, state.tables["item"], (state.slots.node(container, None), pair, 1, pair, -1))
        state.watch(pair, state.tables["item"], (state.slots.node(container, KEYS), pair, 0, pair, -1))
    for name, node in row[3]:
        if name is None:
            state.watch(node, state.tables["spread"], (container, node, frozenset(), -1))
        else:
            state.flow(node, state.slots.node(container, name))


def make_namespace(state: State, row: Row) -> None:
    """`SimpleNamespace(name=x)`: an object of these attributes."""
    container = make(state, row, NAMESPACE)
    for name, node in row[3]:
        if name is not None:
            state.flow(node, state.slots.node(container, name))


def make_defaultdict(state: State, row: Row) -> None:
    """`defaultdict(factory)`: the factory is called where something is read that is not there."""
    for factory in plain(row)[:1]:
        state.slots.factories[state.slots.made("dict", row[0])] = factory
    container = make(state, row, "dict")
    for mapping in plain(row)[1:2]:
        state.watch(mapping, state.tables["spread"], (container, mapping, frozenset(), row[4]))


def put_in(state: State, row: Row) -> None:
    """`heappush(heap, x)`, `insort(items, x)`: the list holds x; what is given back is one of its elements."""
    match plain(row):
        case [container, element, *_]:
            nothing = state.layout.node_base[0]
            state.watch(container, state.tables["store item"], (container, None, element, -1, nothing))
            iterate(state, container, row[0])


def enumerate_(state: State, row: Row) -> None:
    """`enumerate(x)`: pairs of a number and an element."""
    pairs(state, row, (None, *plain(row)[:1]))


def zip_(state: State, row: Row) -> None:
    """`zip(x, y)`: tuples of their elements."""
    pairs(state, row, plain(row))


def pairs(state: State, row: Row, sources: tuple[int | None, ...]) -> None:
    """A container of tuples whose positions hold elements of the sources."""
    container = make(state, row, "list")
    inner = state.side_node(row[0], "tuple")
    pair = state.slots.made("tuple", inner)
    for index, source in enumerate(sources):
        if source is not None:
            iterate(state, source, state.slots.node(pair, index), row[4])
    state.add(state.slots.node(container, None), pair, SEED)


def map_(state: State, row: Row) -> None:
    """`map(f, *xs)`: f is called with their elements."""
    container = make(state, row, "list")
    function, *sources = plain(row) or (-1,)
    if function < 0:
        return
    elements: list[int] = []
    for source in sources:
        element = state.side_node(row[0], f"element of argument {len(elements) + 1}")
        iterate(state, source, element, row[4])
        elements.append(element)
    state.watch(function, state.tables["call"], (state.slots.node(container, None), function, tuple(elements), (), row[4]))


def filter_call(state: State, row: Row) -> None:
    """`filter(f, x)`: f is called with x's elements, which pass."""
    container = make(state, row, "list")
    match plain(row):
        case [function, source, *_]:
            iterate(state, source, state.slots.node(container, None), row[4])
            element = state.slots.node(container, None)
            state.watch(function, state.tables["call"], (state.side_node(row[0], "kept"), function, (element,), (), row[4]))


def choose(state: State, row: Row) -> None:
    """`min`, `max`: an element, or one of the arguments."""
    given = plain(row)
    if len(given) == 1:
        iterate(state, given[0], row[0], row[4])
    for argument in given[1:] and given:
        state.flow(argument, row[0])
    key = keyword(row, "key")
    if key >= 0 and len(given) > 1:
        state.watch(key, state.tables["call"], (state.side_node(row[0], "key"), key, (row[0],), (), row[4]))
    elif key >= 0:
        call_with_element(state, row, key)


def next_(state: State, row: Row) -> None:
    """`next(x, default)`"""
    for argument in plain(row)[:1]:
        iterate(state, argument, row[0])
        state.watch(argument, state.tables["next"], (row[0], argument, row[4]))
    for default in plain(row)[1:2]:
        state.flow(default, row[0])


def same(state: State, row: Row) -> None:
    """Gives back what it is given first."""
    for argument in plain(row)[:1]:
        state.flow(argument, row[0])


def second(state: State, row: Row) -> None:
    """`cast(T, x)`: x."""
    for argument in plain(row)[1:2]:
        state.flow(argument, row[0])


def type_(state: State, row: Row) -> None:
    """`type(x)`"""
    for argument in plain(row)[:1]:
        state.watch(argument, state.tables["type"], (row[0], argument))


def type_of_instance(state: State, value: int, row: Row) -> None:
    """An instance's class. Rows (dst, node)."""
    cls = state.variants.base(state.values.payloads[value])
    state.turn(row[0], state.values.of(Kind.CLASS, cls), (row[1], value))


def getattr_(state: State, row: Row) -> None:
    """`getattr(x, name, default)`"""
    match plain(row):
        case [base, name, *default]:
            state.computed.add(row[0])
            state.watch(name, state.tables["attribute by name"], (row[0], base, row[4]))
            for node in default:
                state.flow(node, row[0])


def hasattr_(state: State, row: Row) -> None:
    """`hasattr(x, name)` reads the attribute, so that a property or `__getattr__` runs; what it gives is let go."""
    match plain(row):
        case [base, name, *_]:
            state.watch(name, state.tables["attribute by name"], (state.layout.node_base[0], base, row[4]))


def setattr_(state: State, row: Row) -> None:
    """`setattr(x, name, value)`"""
    match plain(row):
        case [base, name, src, *_]:
            state.watch(name, state.tables["store by name"], (base, src))


def super_call(state: State, row: Row) -> None:
    """`super(C, self)`"""
    match plain(row):
        case [cls, receiver]:
            state.watch(cls, state.tables["super class"], (row[0], receiver))


def super_of_class(state: State, value: int, row: Row) -> None:
    """The class in `super(C, self)`. Rows (dst, receiver node)."""
    dst, receiver = row
    state.watch(receiver, state.tables["super"], (dst, receiver, state.values.payloads[value]))


def new_object(state: State, row: Row) -> None:
    """`object.__new__(cls)`"""
    for argument in plain(row)[:1]:
        state.watch(argument, state.tables["instance of"], (row[0], argument))
        state.watch(argument, state.tables["record"], (row[0], argument, row[2][1:], row[3], -1))


def new_class(state: State, row: Row) -> None:
    """`type.__new__(meta, ...)`: the classes that the metaclass makes."""
    for argument in plain(row)[:1]:
        state.watch(argument, state.tables["classes of"], (row[0], argument))


def classes_of_metaclass(state: State, value: int, row: Row) -> None:
    """The classes that a metaclass makes. Rows (dst, node)."""
    for cls in state.program.classes.made_by.get(state.values.payloads[value], ()):
        state.turn(row[0], state.values.of(Kind.CLASS, cls), (row[1], value))


def construct(state: State, row: Row) -> None:
    """`type.__call__(cls, ...)`"""
    dst, _, arguments, keywords, site = row
    for argument in plain(row)[:1]:
        state.watch(argument, state.tables["construct"], (dst, argument, arguments[1:], keywords, site))


def field_(state: State, row: Row) -> None:
    """`field(default=x, default_factory=f)` of dataclasses and their kin."""
    factory = max(keyword(row, "default_factory"), keyword(row, "factory"))
    state.add(row[0], state.values.of(Kind.FIELD, (keyword(row, "default"), factory)), row[1])


def replace(state: State, row: Row) -> None:
    """`dataclasses.replace(obj, name=value)`"""
    dst, _, arguments, keywords, site = row
    for argument in plain(row)[:1]:
        state.watch(argument, state.tables["replace"], (dst, argument, arguments, keywords, site))


def static_method(state: State, row: Row) -> None:
    """`staticmethod(f)`: f, which takes no receiver."""
    functional.partial(state, row)


def class_method(state: State, row: Row) -> None:
    """`classmethod(f)`: f, which takes the class."""
    for argument in plain(row)[:1]:
        state.add(row[0], state.values.of(Kind.CLASSMETHOD, argument), row[1])


def property_(state: State, row: Row) -> None:
    """`property(read, write, delete)`"""
    given = dict(zip(("fget", "fset", "fdel"), plain(row), strict=False))
    parts = tuple(given.get(name, keyword(row, name)) for name in ("fget", "fset", "fdel"))
    state.add(row[0], state.values.of(Kind.PROPERTY, parts), row[1])


def instance_of_class(state: State, value: int, row: Row) -> None:
    """An instance of a class. Rows (dst, node)."""
    state.turn(row[0], state.values.of(Kind.INSTANCE, state.values.payloads[value]), (row[1], value))


def run_coroutine(state: State, row: Row) -> None:
    """`asyncio.run(c)`: the coroutine's result."""
    for argument in plain(row)[:1]:
        state.watch(argument, state.tables["await"], (row[0], argument, -1))


def silent(state: State, row: Row) -> None:
    """Gives nothing that is followed."""


OUTSIDE: dict[str, Rule] = {
    "builtins.list": copy_of("list"),
    "builtins.tuple": copy_of("tuple"),
    "builtins.set": collect("set"),
    "builtins.frozenset": collect("set"),
    "builtins.sorted": collect("list"),
    "builtins.reversed": iterators.reversed_,
    "builtins.iter": iterators.iter_,
    "builtins.aiter": iterators.aiter_,
    "collections.deque": collect("list"),
    "builtins.dict": make_dict,
    "collections.OrderedDict": make_dict,
    "types.MappingProxyType": make_dict,
    "collections.defaultdict": make_defaultdict,
    "collections.namedtuple": named_tuples.named_tuple,
    "typing.NamedTuple": named_tuples.named_tuple,
    functional.MADE: named_tuples.make_named_tuple,
    "builtins.enumerate": enumerate_,
    "builtins.zip": zip_,
    "builtins.map": map_,
    "builtins.filter": filter_call,
    "builtins.min": choose,
    "builtins.max": choose,
    "builtins.next": next_,
    "builtins.anext": next_,
    "builtins.type": type_,
    "builtins.getattr": getattr_,
    "builtins.setattr": setattr_,
    "builtins.super": super_call,
    "builtins.isinstance": silent,
    "builtins.hasattr": hasattr_,
    "builtins.callable": silent,
    "builtins.print": silent,
    "atexit.register": functional.callback,
    "contextlib.AsyncExitStack.callback": functional.callback,
    "contextlib.AsyncExitStack.enter_async_context": functional.enter_context,
    "contextlib.AsyncExitStack.enter_context": functional.enter_context,
    "contextlib.AsyncExitStack.push_async_callback": functional.callback,
    "contextlib.ExitStack.callback": functional.callback,
    "contextlib.ExitStack.enter_context": functional.enter_context,
    functional.ENTERED: functional.enter_first,
    "contextlib.aclosing": functional.entering,
    "contextlib.closing": functional.closing,
    "contextlib.nullcontext": functional.entering,
    "operator.attrgetter": functional.attrgetter,
    "operator.attrgetter.__call__": functional.read_named,
    "operator.itemgetter": functional.itemgetter,
    "operator.itemgetter.__call__": functional.read_item,
    "operator.methodcaller": functional.methodcaller,
    "operator.methodcaller.__call__": functional.call_named,
    "functools.partial": functional.partial,
    "functools.partialmethod": functional.partialmethod,
    "functools.reduce": functional.reduce_,
    "functools.singledispatch": functional.dispatch_by_type,
    "functools.singledispatchmethod": functional.dispatch_method_by_type,
    "functools.update_wrapper": functional.update_wrapper,
    "types.MethodType": functional.partial,
    "threading.local": make_namespace,
    "types.SimpleNamespace": make_namespace,
    "typing.cast": second,
    "typing.NewType": silent,
    "weakref.proxy": same,
    "asyncio.create_task": same,
    "asyncio.ensure_future": same,
    "asyncio.run": run_coroutine,
    "builtins.object.__new__": new_object,
    "builtins.object.__setattr__": setattr_,
    "builtins.type.__new__": new_class,
    "builtins.type.__call__": construct,
    "builtins.property": property_,
    "builtins.staticmethod": static_method,
    "builtins.classmethod": class_method,
    "dataclasses.field": field_,
    "dataclasses.replace": replace,
    "attr.ib": field_,
    "attr.attrib": field_,
    "attr.field": field_,
    "attrs.field": field_,
    "pydantic.Field": field_,
    **dict.fromkeys(("heapq.heappush", "heapq.heappushpop", "heapq.heapreplace"), put_in),
    **dict.fromkeys(("bisect.insort", "bisect.insort_left", "bisect.insort_right"), put_in),
    "importlib.import_module": modules.import_module,
    "builtins.__import__": modules.import_by_name,
    "builtins.vars": modules.vars_,
    "builtins.globals": modules.globals_,
    "builtins.dir": modules.dir_,
    "inspect.getmembers": modules.getmembers,
    "pkgutil.iter_modules": modules.iter_modules,
    "pkgutil.walk_packages": modules.walk_packages,
}
