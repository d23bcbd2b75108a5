"""The standard library as its stubs describe it: classes, members and signatures by dotted name.

Trees that are given out are settled: names are canonical, aliases expanded, type variables of a class replaced by the slots
of the receiver that hold them.
"""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.model.stubs import STARS, Entry, FunctionFlag, ReadStub, Said, StubEntry, StubModule, StubTree
from flowmap.solve.slots import AWAITED, FURTHER, KEYS, Key
from flowmap.solve.stub_members import ANY, Member, Signature, StubClass

RENAMED = {
    **{
        f"{module}.{name}": f"builtins.{name.lower()}"
        for module in ("typing", "typing_extensions")
        for name in ("List", "Dict", "Set", "FrozenSet", "Tuple", "Type")
    },
    **{f"typing.{name}": f"collections.{name}" for name in ("Counter", "ChainMap", "OrderedDict")},
    "typing.DefaultDict": "collections.defaultdict",
    "typing.Deque": "collections.deque",
}
HOMES = {
    **{name: f"builtins.{name}" for name in ("list", "dict", "set", "tuple")},
    "generator": "typing.Generator",
    "coroutine": "typing.Coroutine",
}
GENERICS = frozenset(("typing.Generic", "typing.Protocol", "typing_extensions.Protocol"))
DEEPEST = 12  # bases above bases, aliases in aliases
MOST_ALIASES = 24  # followed for one name: some modules import each other's names in a circle


Found = tuple[str, StubEntry]  # (canonical dotted name, entry)
Mapping = dict[str, StubTree]  # dotted name of a type variable → what stands for it


class Stubs:
    """The stubs that were asked for so far."""

    def __init__(self, read: ReadStub) -> None:
        self.read = read
        self.modules: dict[str, StubModule | None] = {}
        self.depth = 0  # aliases of aliases that are being followed
        self.found: dict[str, Found | None] = {}
        self.classes: dict[str, StubClass | None] = {}
        self.members: dict[tuple[str, str], Member | None] = {}
        self.callables: dict[str, Member | None] = {}
        self.orders: dict[str, tuple[tuple[StubClass, Mapping], ...]] = {}
        self.keys: dict[str, tuple[Key, ...]] = {}
        self.lineages: dict[str, frozenset[str]] = {}
        self.dull: set[int] = set()  # containers that hold objects of outside classes and nothing else

    # ------------------------------------------------------------------ names

    def module(self, dotted: str) -> StubModule | None:
        """A module's rows."""
        if dotted not in self.modules:
            self.modules[dotted] = self.read(dotted)
        return self.modules[dotted]

    def find(self, dotted: str) -> Found | None:
        """What a dotted name stands for, through aliases and classes; None for a module, and where no stub says it."""
        dotted = RENAMED.get(dotted, dotted)
        if dotted not in self.found:
            self.found[dotted] = None  # while it is being asked
            self.depth += 1
            self.found[dotted] = self.look_up(dotted) if self.depth < MOST_ALIASES else None
            self.depth -= 1
        return self.found[dotted]

    def look_up(self, dotted: str) -> Found | None:
        """Finds the module, then a name in it, then names in that."""
        first, *rest = dotted.split(".")
        return self.look_in(first, rest)

    def look_in(self, at: str, rest: list[str]) -> Found | None:
        """Names behind a module's. A submodule comes before a name: `unittest.main` is both."""
        module = self.module(at)
        if module is None or not rest:
            return None
        inner = f"{at}.{rest[0]}"
        found = self.look_in(inner, rest[1:]) if len(rest) > 1 else None
        entry = self.named_in(module, rest[0]) if found is None else None
        return found if entry is None else self.follow(inner, entry, rest[1:])

    def named_in(self, module: StubModule, name: str) -> StubEntry | None:
        """A name of a module, its own or taken over by a star."""
        entry = module.get(name)
        if entry is None and STARS in module:
            for other in module[STARS][1]:
                inner = self.module(other)
                entry = self.named_in(inner, name) if inner is not None and inner is not module else None
                if entry is not None and (entry[0] != Entry.ALIAS or entry[2]):
                    return Entry.ALIAS, f"{other}.{name}", 1
            return None
        return entry

    def follow(self, dotted: str, entry: StubEntry, rest: list[str]) -> Found | None:
        """Goes on from an entry: through an alias, and into a class."""
        if entry[0] == Entry.ALIAS:
            return self.find(".".join((entry[1], *rest))) if entry[1] != dotted else None
        if not rest:
            return dotted, entry
        inner = entry[2].get(rest[0]) if entry[0] == Entry.CLASS else None
        return None if inner is None else self.follow(f"{dotted}.{rest[0]}", inner, rest[1:])

    # ---------------------------------------------------------------- classes

    def class_(self, dotted: str) -> StubClass | None:
        """A class by any of its names."""
        if dotted not in self.classes:
            found = self.find(dotted)
            self.classes[dotted] = None
            if found is not None and found[1][0] == Entry.CLASS:
                name, (_, bases, members) = found
                self.classes[dotted] = StubClass(name, self.parameters_of(bases), bases, members)
        return self.classes[dotted]

    def parameters_of(self, bases: tuple[StubTree, ...]) -> tuple[str, ...]:
        """The type variables of a class: those of `Generic` or `Protocol`, else all in its bases."""
        said = [base for base in bases if base[0] == Said.ITEM and base[1] in GENERICS]
        return tuple(dict.fromkeys(name for base in said or bases for name in self.variables_in(base)))

    def variables_in(self, tree: StubTree) -> tuple[str, ...]:
        """The type variables in a tree as written."""
        match tree[0]:
            case Said.NAME:
                found = self.find(tree[1])
                return (found[0],) if found is not None and found[1][0] == Entry.TYPE_VARIABLE else ()
            case Said.ITEM:
                return tuple(name for part in tree[2] for name in self.variables_in(part))
            case Said.UNION:
                return tuple(name for part in tree[1] for name in self.variables_in(part))
            case Said.CALLABLE:
                return tuple(name for part in (*tree[1], tree[3]) for name in self.variables_in(part))
            case _:
                return ()

    def order(self, cls: StubClass) -> tuple[tuple[StubClass, Mapping], ...]:
        """A class and all above it, each with what stands for its type variables, in terms of the receiver's slots."""
        if cls.name not in self.orders:
            own = {name: (Said.SLOT, key) for name, key in zip(cls.parameters, self.slot_keys(cls), strict=True)}
            self.orders[cls.name] = tuple({one.name: (one, m) for one, m in reversed(self.above(cls, own, 0))}.values())[::-1]
        return self.orders[cls.name]

    def above(self, cls: StubClass, mapping: Mapping, depth: int) -> list[tuple[StubClass, Mapping]]:
        """A class and its bases, depth first."""
        found = [(cls, mapping)]
        for base in cls.bases if depth < DEEPEST else ():
            inner = self.class_(base[1]) if base[0] in (Said.NAME, Said.ITEM) and base[1] not in GENERICS else None
            if inner is not None:
                parts = base[2] if base[0] == Said.ITEM else ()
                given = {name: self.settle(part, mapping) for name, part in zip(inner.parameters, parts, strict=False)}
                found += self.above(inner, given, depth + 1)
        return found

    def ancestors(self, cls: StubClass, depth: int = 0) -> frozenset[str]:
        """The canonical names of a class and of all above it."""
        names = {cls.name}
        for base in cls.bases if depth < DEEPEST else ():
            inner = self.class_(base[1]) if base[0] in (Said.NAME, Said.ITEM) and base[1] not in GENERICS else None
            if inner is not None:
                names |= self.ancestors(inner, depth + 1)
        return frozenset(names)

    def lineage(self, dotted: str) -> frozenset[str]:
        """All names by which an outside class, or one above it, is known: as it is written, and as stubs name it."""
        found = self.lineages.get(dotted)
        if found is None:
            cls = self.class_(dotted)
            found = self.lineages[dotted] = frozenset((dotted,)) | (self.ancestors(cls) if cls is not None else frozenset())
        return found

    def slot_keys(self, cls: StubClass) -> tuple[Key, ...]:
        """Which slot of an instance holds what each type variable of its class stands for."""
        if cls.name not in self.keys:
            self.keys[cls.name] = self.choose_keys(cls)
        return self.keys[cls.name]

    def choose_keys(self, cls: StubClass) -> tuple[Key, ...]:
        """A mapping's keys and values, what awaiting gives, else elements."""
        count, names = len(cls.parameters), self.ancestors(cls)
        if count == len(("keys", "values")) and names & KEYED:
            return KEYS, None
        if count == 1 and "typing.Mapping" in names and self.variables_in(first_argument(cls)) == cls.parameters:
            return (KEYS,)
        if names & {"typing.Coroutine", "typing.Generator"} and count > 1:
            return (None, *FURTHER[: count - 2], AWAITED)
        if "typing.Awaitable" in names and count == 1:
            return (AWAITED,)
        return (None, *FURTHER)[:count]

    def is_mapping(self, type_name: str) -> bool:
        """Whether iterating over a container gives its keys."""
        if type_name in HOMES:
            return type_name == "dict"
        cls = self.class_(type_name)
        return cls is not None and "typing.Mapping" in self.ancestors(cls)

    def is_below(self, type_name: str, dotted: str) -> bool:
        """Whether a container of a type is an instance of an outside class."""
        cls, wanted = self.class_(HOMES.get(type_name, type_name)), self.class_(HOMES.get(dotted, dotted))
        return cls is None or wanted is None or wanted.name in self.ancestors(cls)

    def tells(self, dotted: str) -> bool:
        """Whether the class of an object tells what its methods give: no more than that is known of numbers and texts."""
        if dotted.startswith("builtins.") or "." not in dotted:
            return False
        return self.class_(dotted) is not None

    # ---------------------------------------------------------------- members

    def member(self, type_name: str, name: str) -> Member | None:
        """A member of a class, or of a container's type."""
        key = (type_name, name)
        if key not in self.members:
            found = self.look_up_member(self.class_(HOMES.get(type_name, type_name)), name)
            if found is None and type_name == "generator":
                found = self.look_up_member(self.class_("typing.AsyncGenerator"), name)
            self.members[key] = found
        return self.members[key]

    def look_up_member(self, cls: StubClass | None, name: str) -> Member | None:
        """The first class of the order that has the name."""
        for one, mapping in self.order(cls) if cls is not None else ():
            if name in one.members:
                return self.member_of(one.members[name], mapping, f"{one.name}.{name}")
        return None

    def member_of(self, entry: StubEntry, mapping: Mapping, name: str) -> Member | None:
        """An entry of a class body, settled."""
        match entry[0]:
            case Entry.FUNCTION:
                skip = 0 if entry[1] & FunctionFlag.STATIC else 1
                return Member(name, tuple(self.signature(one, mapping, skip) for one in entry[2]), ANY, entry[1])
            case Entry.VARIABLE:
                return Member(name, (), self.settle(entry[1], mapping), 0)
            case Entry.ALIAS:
                found = self.find(entry[1])
                return None if found is None or found[1][0] == Entry.ALIAS else self.member_of(found[1], mapping, found[0])
            case _:
                return None

    def signature(self, row: Row, mapping: Mapping, skip: int) -> Signature:
        """One signature, settled."""
        parameters, result = row
        receiver = self.settle(parameters[0][2], mapping) if skip and parameters else ANY
        if receiver[0] == Said.VARIABLE:  # `def open(self: T) -> T`
            mapping = {**mapping, receiver[1]: (Said.SELF,)}
        kept = tuple((name, kind, self.settle(tree, mapping), default) for name, kind, tree, default in parameters[skip:])
        return Signature(kept, self.settle(result, mapping), receiver)

    def callable(self, dotted: str) -> Member | None:
        """A function, or a method read off a class or a variable, by dotted name."""
        if dotted not in self.callables:
            self.callables[dotted] = self.look_up_callable(dotted)
        return self.callables[dotted]

    def look_up_callable(self, dotted: str) -> Member | None:
        """A function of a module; else a member of what stands before the last dot."""
        found = self.find(dotted)
        owner, _, name = dotted.rpartition(".")
        if found is not None and found[1][0] == Entry.FUNCTION and self.class_(owner) is None:
            return Member(found[0], tuple(self.signature(one, {}, 0) for one in found[1][2]), ANY, FunctionFlag.STATIC)
        if found is not None and found[1][0] == Entry.VARIABLE:
            return self.member_of(found[1], {}, found[0])
        if self.class_(owner) is not None:
            return self.member(owner, name)
        held = self.find(owner) if owner else None
        if held is not None and held[1][0] == Entry.VARIABLE:
            return self.member_of_type(self.settle(held[1][1], {}), name)
        return None

    def member_of_type(self, tree: StubTree, name: str) -> Member | None:
        """A member of what a variable of a module holds."""
        if tree[0] == Said.UNION:
            return next((found for part in tree[1] if (found := self.member_of_type(part, name)) is not None), None)
        found = self.member(tree[1], name) if tree[0] in (Said.NAME, Said.ITEM) else None
        cls = self.class_(tree[1]) if found is not None else None
        if found is None or cls is None or tree[0] == Said.NAME:
            return found
        given = dict(zip(self.slot_keys(cls), tree[2], strict=False))
        signatures = tuple(
            Signature(tuple((n, k, filled(t, given), d) for n, k, t, d in one.parameters), filled(one.result, given))
            for one in found.signatures
        )
        return Member(found.name, signatures, filled(found.said, given), found.flags)

    # ------------------------------------------------------------------ trees

    def settle(self, tree: StubTree, mapping: Mapping, depth: int = 0) -> StubTree:
        """A tree with canonical names, aliases expanded, and type variables replaced."""
        if depth > DEEPEST:
            return ANY
        match tree[0]:
            case Said.NAME:
                return self.settle_name(tree[1], mapping, depth)
            case Said.ITEM:
                return self.settle_item(tree[1], tuple(self.settle(part, mapping, depth + 1) for part in tree[2]), depth)
            case Said.UNION:
                return Said.UNION, tuple(dict.fromkeys(self.settle(part, mapping, depth + 1) for part in tree[1]))
            case Said.CALLABLE:
                fixed = tuple(self.settle(part, mapping, depth + 1) for part in tree[1])
                return Said.CALLABLE, fixed, tree[2], self.settle(tree[3], mapping, depth + 1)
            case _:
                return tree

    def settle_name(self, dotted: str, mapping: Mapping, depth: int) -> StubTree:
        """A name: a class, an alias, or a type variable."""
        found = self.find(dotted)
        match found:
            case (name, (Entry.TYPE_VARIABLE,)):
                return mapping.get(name, (Said.VARIABLE, name))
            case (_, (Entry.TYPE_ALIAS, inner)):
                return self.settle(inner, {}, depth + 1)
            case (name, (Entry.CLASS, *_)):
                return Said.NAME, name
            case _:
                return ANY

    def settle_item(self, dotted: str, parts: tuple[StubTree, ...], depth: int) -> StubTree:
        """`Base[parts]`: a class with arguments, or a generic alias filled in."""
        found = self.find(dotted)
        match found:
            case (_, (Entry.TYPE_ALIAS, inner)):
                names = tuple(dict.fromkeys(self.variables_in(inner)))
                return self.settle(inner, dict(zip(names, parts, strict=False)), depth + 1)
            case (name, (Entry.CLASS, *_)):
                return Said.ITEM, name, parts
            case _:
                return ANY


def first_argument(cls: StubClass) -> StubTree:
    """What stands first in the brackets of a class's first base with brackets: of a mapping, its keys."""
    return next((base[2][0] for base in cls.bases if base[0] == Said.ITEM and base[1] not in GENERICS), ANY)


def filled(tree: StubTree, given: dict[Key, StubTree]) -> StubTree:
    """A settled tree with slots of the receiver replaced by what is known to stand in them."""
    match tree[0]:
        case Said.SLOT:
            return given.get(tree[1], ANY)
        case Said.ITEM:
            return Said.ITEM, tree[1], tuple(filled(part, given) for part in tree[2])
        case Said.UNION:
            return Said.UNION, tuple(filled(part, given) for part in tree[1])
        case Said.CALLABLE:
            return Said.CALLABLE, tuple(filled(part, given) for part in tree[1]), tree[2], filled(tree[3], given)
        case _:
            return tree


KEYED = frozenset(("typing.Mapping", "typing.ItemsView", "_typeshed.SupportsKeysAndGetItem", "_typeshed.SupportsItems"))


def no_stub(module: str) -> StubModule | None:  # noqa: ARG001 - as ReadStub wants it
    """Where no stubs are given: nothing is known of any module."""
    return None
