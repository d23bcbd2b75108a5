"""What annotations say: they bound what flows, and stand in where nothing does."""

from __future__ import annotations

from dataclasses import dataclass, field

from flowmap.model.facts import Tree
from flowmap.solve.families import SILENT_BASES
from flowmap.solve.slots import ASIDE, AWAITED, KEYS
from flowmap.solve.state import SEED, State, listed
from flowmap.solve.stub_members import SHORT
from flowmap.solve.values import Kind

UNBOUNDED = frozenset(
    (
        *("builtins.object", "builtins.callable", "builtins.any", "collections.abc.Callable"),
        *("typing.Any", "typing.Callable", "typing.Hashable", "typing.Self", "typing_extensions.Any", "typing_extensions.Self"),
    )
)
UNIONS = frozenset(("typing.Union", "typing.Optional"))
WRAPPERS = frozenset(
    f"{module}.{name}"
    for module in ("typing", "typing_extensions")
    for name in ("ClassVar", "Final", "Annotated", "Required", "NotRequired", "ReadOnly", "TypeGuard")
)
TYPES = frozenset(("typing.Type", "builtins.type"))
SEQUENCES = {
    "List": "list", "list": "list", "Sequence": "list", "MutableSequence": "list", "Iterable": "list", "Collection": "list",
    "Set": "set", "set": "set", "FrozenSet": "set", "frozenset": "set", "AbstractSet": "set", "MutableSet": "set",
    "Deque": "list", "deque": "list", "Iterator": "generator", "Generator": "generator", "AsyncIterator": "generator",
    "AsyncGenerator": "generator", "AsyncIterable": "generator", "KeysView": "list", "ValuesView": "list",
}  # fmt: skip
MAPPINGS = frozenset(("Dict", "dict", "Mapping", "MutableMapping", "DefaultDict", "defaultdict", "OrderedDict", "ChainMap"))
ABSTRACT_HOMES = ("typing", "typing_extensions", "collections", "abc", "os", "types", "numbers", "io")  # what has methods is one
HOMES = ("typing", "builtins", "collections", "collections.abc", "typing_extensions")
SHAPES = {
    f"{home}.{name}": method
    for home in ("typing", "collections.abc", "typing_extensions")
    for name, method in (
        *(("Iterable", "__iter__"), ("Iterator", "__next__"), ("Generator", "__next__"), ("Awaitable", "__await__")),
        *(("AsyncIterable", "__aiter__"), ("AsyncIterator", "__anext__"), ("AsyncGenerator", "__anext__")),
    )
}  # the method by which any object is what a protocol asks for


FOREIGN_TO_ALL = frozenset((Kind.THING, Kind.STRING))  # kinds of values of which no annotation speaks
FOREIGN_TO_CLASSES = FOREIGN_TO_ALL | {Kind.CONTAINER}  # and none that names classes alone


@dataclass(slots=True)
class Type:
    """What an annotation stands for. `classes` are as named; their subclasses are meant too."""

    classes: list[int] = field(default_factory=list)
    class_objects: list[int] = field(default_factory=list)  # of Type[C]
    things: list[str] = field(default_factory=list)
    containers: list[tuple[str, dict[str | int | None, Tree]]] = field(default_factory=list)
    calls: list[Tree] = field(default_factory=list)  # what a call of it gives
    shapes: list[str] = field(default_factory=list)  # methods by which an object is what a protocol or interface asks for
    unbounded: bool = False


class Declared:
    """All annotations met so far, and what each stands for."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.known: dict[Tree, Type] = {}
        self.rows: list[tuple[int, int, Type]] = []  # (inward, outward, type)
        self.held_back: dict[int, list[int]] = {}  # row → values that its annotation excludes
        self.closed: dict[tuple[int, ...], frozenset[int]] = {}
        self.reading: set[int] = set()  # aliases being read
        self.elements: dict[int, Tree] = {}  # container → what its elements are declared to be
        self.done: set[int] = set()  # rows that an annotation has stood in for

    def declare(self, inward: int, outward: int, tree: Tree) -> None:
        """What flows to `inward` goes on to `outward`, bounded by the annotation."""
        found = self.type_of(tree)
        if found.unbounded:
            self.state.flow(inward, outward)
            return
        self.rows.append((inward, outward, found))
        self.state.watch(inward, self.state.tables["bound"], (outward, inward, len(self.rows) - 1))

    def lets_functions_through(self, tree: Tree) -> bool:
        """Whether an annotation of the text may stand for a function or class: it names no class whose instances it means."""
        found = self.type_of(tree)
        return found.unbounded or bool(found.class_objects)

    def type_of(self, tree: Tree) -> Type:
        """What an annotation stands for."""
        found = self.known.get(tree)
        if found is None:
            found = self.known[tree] = Type()
            self.read(tree, found)
        return found

    def read(self, tree: Tree, into: Type) -> None:
        """Adds what a tree says to a type."""
        match tree:
            case ("name", node):
                self.read_name(node, into)
            case ("union", parts):
                for part in parts:
                    self.read(part, into)
            case ("item", ("name", node), parts):
                self.read_item(node, parts, into)
            case ("none",):
                pass
            case ("call", result):
                into.calls.append(result)
            case ("held", type_name, inner):
                into.containers.append((type_name, {None: inner}))
            case _:
                into.unbounded = True

    def read_name(self, node: int, into: Type) -> None:
        """A plain name: a class, something outside, or something unknown, which bounds nothing."""
        held = self.state.points[node]
        aliases = [value for value in held or () if self.state.values.kinds[value] == Kind.ALIAS]
        for value in aliases:
            self.read_alias(value, into)
        for value in () if aliases else held or ():
            match self.state.values.kinds[value]:
                case Kind.CLASS:
                    into.classes.append(self.state.values.payloads[value])
                case Kind.OUTSIDE:
                    self.read_outside(self.state.values.payloads[value], (), into)
                case _:
                    into.unbounded = True
        into.unbounded = into.unbounded or not held

    def read_alias(self, value: int, into: Type) -> None:
        """A name that stands for a type; one that stands for itself bounds nothing."""
        if value in self.reading:
            into.unbounded = True
            return
        self.reading.add(value)
        self.read(self.state.values.payloads[value], into)
        self.reading.discard(value)

    def read_item(self, node: int, parts: tuple[Tree, ...], into: Type) -> None:
        """`Base[parts]`"""
        for value in self.state.points[node] or ():
            if self.state.values.kinds[value] == Kind.OUTSIDE:
                self.read_outside(self.state.values.payloads[value], parts, into)
            else:
                self.read_name(node, into)
        into.unbounded = into.unbounded or not self.state.points[node]

    def read_outside(self, dotted: str, parts: tuple[Tree, ...], into: Type) -> None:
        """Something outside, with what stands in its brackets."""
        module, _, name = dotted.rpartition(".")
        at_home = module in HOMES
        into.shapes.extend((SHAPES[dotted],) if dotted in SHAPES else ())
        if dotted in UNBOUNDED:
            into.unbounded = True
        elif dotted in UNIONS:
            for part in parts:
                self.read(part, into)
        elif dotted in WRAPPERS:
            self.read(parts[0] if parts else ("any",), into)
        elif dotted in TYPES:
            self.read_types(parts, into)
        elif at_home and name in SEQUENCES:
            into.containers.append((SEQUENCES[name], {None: parts[0]} if parts else {}))
        elif at_home and name in MAPPINGS:
            into.containers.append(("dict", {None: parts[1], KEYS: parts[0]} if len(parts) > 1 else {}))
        elif at_home and name in ("Tuple", "tuple"):
            into.containers.append(("tuple", tuple_slots(parts)))
        elif at_home and name in ("Awaitable", "Coroutine") and parts:
            into.containers.append(("coroutine", {AWAITED: parts[-1]}))
        else:
            self.read_stub_class(dotted, parts, into)

    def read_stub_class(self, dotted: str, parts: tuple[Tree, ...], into: Type) -> None:
        """A class from outside; of one that holds others, with what is said of them."""
        stubs = self.state.stubs
        cls = stubs.class_(dotted)
        if cls is None or not cls.parameters:
            into.things.append(dotted)
        else:
            slots = dict(zip(stubs.slot_keys(cls), parts, strict=False))
            if cls.name.startswith("typing."):
                into.shapes.extend(cls.members)
            into.containers.append((SHORT.get(cls.name, cls.name), slots))

    def read_types(self, parts: tuple[Tree, ...], into: Type) -> None:
        """`Type[C]`: the class itself, or one below it."""
        inner = Type()
        for part in parts:
            self.read(part, inner)
        into.class_objects.extend(inner.classes)
        into.unbounded = into.unbounded or inner.unbounded or not parts

    # ---------------------------------------------------------------- meaning

    def admitted(self, found: Type) -> frozenset[int]:
        """The classes that a type admits: those named, and all below them."""
        key = tuple(found.classes)
        classes = self.closed.get(key)
        if classes is None:
            below = self.state.program.classes.below
            classes = self.closed[key] = frozenset(
                one for cls in found.classes for one in (*below[cls], *self.state.program.implementations(cls))
            )
        return classes

    def admits(self, row: int, value: int) -> bool:
        """Whether the annotation of a row lets a value through. Only what it surely excludes is held back."""
        found = self.rows[row][2]
        if self.state.values.kinds[value] != Kind.INSTANCE:
            return True
        cls = self.state.variants.base(self.state.values.payloads[value])
        if found.calls:
            return True
        if not (found.classes or found.containers):
            return not found.things or not self.is_outside(found, cls)
        if cls in self.admitted(found) or any(self.may_be(cls, name) for name, _ in found.containers):
            return True
        provides = self.state.variants.classes.provides[cls]
        return any(name in provides for name in found.shapes)

    def may_be(self, cls: int, type_name: str) -> bool:
        """Whether instances of a class may be containers of a type: by a base from outside."""
        bases = self.state.variants.classes.outside_bases(cls)
        return any(self.state.stubs.is_below(base, type_name) for base in bases if base not in SILENT_BASES)

    def is_outside(self, found: Type, cls: int) -> bool:
        """Whether a type names nothing but concrete classes from outside, and a class inherits from nothing there."""
        concrete = all(dotted.partition(".")[0] not in ABSTRACT_HOMES for dotted in found.things)
        return concrete and not found.class_objects and not self.state.variants.classes.outside_bases(cls)

    def note_elements(self, row: int, value: int) -> None:
        """Keeps what an annotation says of the elements of a container that came."""
        if self.state.values.kinds[value] != Kind.CONTAINER:
            return
        type_name, _ = self.state.values.payloads[value]
        for declared_name, slots in self.rows[row][2].containers:
            if declared_name == type_name and None in slots:
                self.elements.setdefault(value, slots[None])

    def seed_elements(self) -> bool:
        """Lets annotations stand in for the elements of containers that hold nothing. False when there are none."""
        waiting, self.elements = self.elements, {}
        done = False
        for container, tree in waiting.items():
            inner = self.type_of(tree)
            nodes = [node for key, node in self.state.slots.nodes[container].items() if key not in ASIDE]
            if not inner.unbounded and not any(self.state.points[node] for node in nodes):
                self.seed(self.state.slots.node(container, None), inner)
                done = True
        return done

    def admitted_part(self, row: int, value: int) -> int:
        """The part of a family that the annotation of a row lets through; -1 when it excludes all."""
        found = self.rows[row][2]
        if self.state.values.kinds[value] != Kind.FAMILY or not (found.classes or found.containers):
            return value
        root = self.state.families.root(value)
        if any(self.may_be(root, name) for name, _ in found.containers):
            return value
        return self.state.families.within(value, self.admitted(found))

    def hold_back(self, row: int, value: int) -> None:
        """Keeps a value that contradicts the annotation, until it is known whether the annotation lies."""
        self.held_back.setdefault(row, []).append(value)

    # --------------------------------------------------------------- stand-in

    def forget(self) -> None:
        """Lets go of what only the work needed."""
        for part in (self.known, self.rows, self.held_back, self.closed, self.done):
            part.clear()

    def stand_in(self) -> bool:
        """Lets annotations stand in where nothing flows, those first that no other such place feeds. False when all is done."""
        empty = [index for index in range(len(self.rows)) if self.is_empty(index)]
        if not empty:
            return self.seed_elements()
        fed = self.fed_by_others(empty)
        chosen = [index for index in empty if self.rows[index][0] not in fed] or empty
        for index in chosen:
            self.seed_row(index)
        return True

    def is_empty(self, index: int) -> bool:
        """Whether nothing that the annotation speaks of has arrived at a row."""
        if index in self.done:
            return False
        _, outward, found = self.rows[index]
        if not (found.classes or found.class_objects or found.things or found.containers or found.calls):
            return False
        held = self.state.points[outward]
        if held and not (found.classes or found.class_objects or found.containers or found.calls):
            return False
        kinds = self.state.values.kinds
        foreign = FOREIGN_TO_ALL if found.containers else FOREIGN_TO_CLASSES
        return not held or all(kinds[value] in foreign for value in held)

    def fed_by_others(self, empty: list[int]) -> set[int]:
        """All nodes that a value put at one of the rows would reach by the edges known so far."""
        state = self.state
        outward = {self.rows[index][0]: self.rows[index][1] for index in empty}
        seen: set[int] = set()
        stack = [self.rows[index][1] for index in empty]
        while stack:
            node = stack.pop()
            for dst in (*listed(state.edges[node]), *listed(state.weak[node])):
                if dst not in seen:
                    seen.add(dst)
                    stack.append(outward.get(dst, dst))
        return seen

    def seed_row(self, index: int) -> None:
        """Lets what was held back through, since the annotation spoke of nothing that came, and puts what it stands for."""
        self.done.add(index)
        _, outward, found = self.rows[index]
        inward = self.rows[index][0]
        for value in self.held_back.get(index, ()):
            self.state.add(outward, value, inward)
        self.seed(outward, found)

    def seed(self, node: int, found: Type) -> None:
        """Puts what a type stands for at a node."""
        state, values = self.state, self.state.values
        for cls in found.classes:
            state.fields.sum_up(cls)
            for value in state.families.every(Kind.INSTANCE, cls):
                state.add(node, value, SEED)
            for one in state.program.implementations(cls):
                state.add(node, values.of(Kind.INSTANCE, one), SEED)
        for tree in found.calls:
            state.add(node, values.of(Kind.TYPED, tree), SEED)
        for cls in found.class_objects:
            for value in state.families.every(Kind.CLASS, cls):
                state.add(node, value, SEED)
        for dotted in found.things:
            state.add(node, values.of(Kind.THING, dotted), SEED)
        self.seed_containers(node, found)

    def seed_containers(self, node: int, found: Type) -> None:
        """Puts the containers that a type stands for at a node, with what they are declared to hold."""
        state = self.state
        for type_name, slots in found.containers:
            container = state.values.of(Kind.CONTAINER, (type_name, node))
            for key, tree in slots.items():
                inner = self.type_of(tree)
                if not inner.unbounded:
                    self.seed(state.slots.node(container, key), inner)
            state.add(node, container, SEED)


def tuple_slots(parts: tuple[Tree, ...]) -> dict[str | int | None, Tree]:
    """The slots of `Tuple[A, B]`, or of `Tuple[A, ...]`."""
    if len(parts) == 2 and parts[1] == ("any",):  # noqa: PLR2004 - a type and `...`
        return {None: parts[0]}
    return dict(enumerate(parts))
