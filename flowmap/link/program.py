"""All files' facts under common numbers, with the indexes over them."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from flowmap.model.facts import FileFacts, Op, Row, Scope, ScopeKind, unpack_rows

FEW = 24  # classes that are told apart where many share a method


@dataclass(frozen=True)
class Layout:
    """Where each file's nodes, scopes and sites begin in the program's numbering. Files are sorted by path."""

    files: tuple[FileFacts, ...]
    node_base: tuple[int, ...]
    scope_base: tuple[int, ...]
    site_base: tuple[int, ...]
    n_nodes: int
    n_sites: int
    scopes: tuple[Scope, ...]  # by program number; nodes inside stay the file's own
    scope_file: tuple[int, ...]

    def symbol(self, scope: int) -> str:
        """The exported text of a scope: module and qualified name."""
        module = self.files[self.scope_file[scope]].module
        qualname = self.scopes[scope].qualname
        return f"{module}.{qualname}" if qualname else module

    def nodes_of(self, scope: int) -> int:
        """How many nodes a scope has, those of the scopes inside it left out; one at least."""
        row = self.scopes[scope]
        return max(row.end_node - row.first_node, 1)

    def sites(self, file: int) -> tuple[Row, ...]:
        """The rows of a file's sites. Those of the last few files asked for are kept."""
        return recent_file(self.files[file].packed_sites)

    def rows(self, scope: int) -> tuple[Row, ...]:
        """The rows of a scope, their operands in the numbers of its file. Those of the last scopes asked for are kept."""
        file = self.scope_file[scope]
        return recent_scope(self.files[file].packed_ops[scope - self.scope_base[file]])

    def shared(self, file: int) -> frozenset[int]:
        """The program numbers of a file's nodes that belong to the whole file, wherever they were first met: the names of the
        module, and the literals."""
        return self.shared_nodes[file]

    @cached_property
    def shared_nodes(self) -> tuple[frozenset[int], ...]:
        """`shared` of every file."""
        found = []
        for facts, base in zip(self.files, self.node_base, strict=True):
            names = Scope(*facts.scopes[0]).names.values() if facts.scopes else ()
            literals = (row[1] for rows in islice(facts.ops, 1) for row in rows if row[0] == Op.LITERAL)
            found.append(frozenset(node + base for node in (*names, *literals)))
        return tuple(found)

    def site_at(self, site: int) -> tuple[int, int]:
        """The file of a site, and its index in the file."""
        file = bisect_right(self.site_base, site) - 1
        return file, site - self.site_base[file]

    def parent(self, scope: int) -> int:
        """The program number of the enclosing scope, -1 for a module."""
        parent = self.scopes[scope].parent
        return -1 if parent < 0 else parent + self.scope_base[self.scope_file[scope]]

    @cached_property
    def modules(self) -> dict[str, int]:
        """Files by module name. A stub stands only for a module that has no other text."""
        found: dict[str, int] = {}
        for index, facts in enumerate(self.files):
            if facts.scopes and (facts.module not in found or self.files[found[facts.module]].is_stub):
                found[facts.module] = index
        return found

    @cached_property
    def module_names(self) -> tuple[str, ...]:
        """The names of all modules, sorted."""
        return tuple(sorted(self.modules))

    @cached_property
    def file_at_first(self) -> dict[int, int]:
        """Files by the first of their nodes."""
        return {base: file for file, base in enumerate(self.node_base)}

    @cached_property
    def packages(self) -> frozenset[str]:
        """All dotted prefixes of module names: what can be imported, namespace packages included. A module of the standard
        library comes before a namespace package, so that a folder of its name is none."""
        return frozenset(
            module.rsplit(".", cut)[0]
            for module in self.modules
            for cut in range(module.count(".") + 1)
            if (root := module.partition(".")[0]) in self.modules or root not in sys.stdlib_module_names
        )


recent_file = lru_cache(maxsize=4)(unpack_rows)
recent_scope = lru_cache(maxsize=64)(unpack_rows)


def lay_out(facts: Iterable[FileFacts]) -> Layout:
    """Numbers all nodes, scopes and sites, in the order of paths."""
    files = tuple(sorted(facts, key=lambda one: one.path))
    node_base, scope_base, site_base = [], [], []
    nodes = scopes = sites = 0
    rows: list[Scope] = []
    scope_file: list[int] = []
    for index, file in enumerate(files):
        node_base.append(nodes)
        scope_base.append(scopes)
        site_base.append(sites)
        nodes += file.n_nodes
        scopes += len(file.scopes)
        sites += file.n_sites
        rows.extend(Scope(*row) for row in file.scopes)
        scope_file.extend([index] * len(file.scopes))
    return Layout(files, tuple(node_base), tuple(scope_base), tuple(site_base), nodes, sites, tuple(rows), tuple(scope_file))


@dataclass(frozen=True)
class Classes:
    """Class orders and what follows from them. Classes go by the program number of their scope; outside ones by dotted name."""

    order: dict[int, tuple[int | str, ...]]
    below: dict[int, tuple[int, ...]]  # a class and all that inherit from it, in program order
    provides: dict[int, dict[str, int]]  # name → the class of the order whose body binds it
    fields: dict[int, frozenset[str]]  # names that a class declares, binds or assigns through `self`
    problems: tuple[tuple[int, str], ...]  # (class, what is wrong with its order)
    metaclasses: dict[int, int]  # class → its metaclass, where that is indexed

    def field_owner(self, cls: int, name: str) -> int:
        """The nearest class of the order that has the field; the class itself where none has."""
        for one in self.order[cls]:
            if isinstance(one, int) and name in self.fields[one]:
                return one
        return cls

    @cached_property
    def made_by(self) -> dict[int, tuple[int, ...]]:
        """Each metaclass with the classes that it, or one below it, is the metaclass of."""
        found: dict[int, list[int]] = {}
        for cls, meta in sorted(self.metaclasses.items()):
            for one in self.order[meta]:
                if isinstance(one, int):
                    found.setdefault(one, []).append(cls)
        return {meta: tuple(classes) for meta, classes in found.items()}

    @cached_property
    def outside(self) -> dict[int, tuple[str, ...]]:
        """What `outside_bases` has found so far."""
        return {}

    def outside_bases(self, cls: int) -> tuple[str, ...]:
        """The dotted names in a class's order that are not indexed, `object` apart."""
        found = self.outside.get(cls)
        if found is None:
            bases = (one for one in self.order[cls] if isinstance(one, str) and one != "builtins.object")
            found = self.outside[cls] = tuple(bases)
        return found


@dataclass(frozen=True)
class Program:
    """The linked program: everything that the text says without following a value."""

    layout: Layout
    classes: Classes

    @cached_property
    def methods(self) -> dict[int, tuple[int, str]]:
        """Functions that stand in a class body: function → (class, name)."""
        layout = self.layout
        found = {}
        for number, scope in enumerate(layout.scopes):
            if scope.kind == ScopeKind.FUNCTION:
                parent = layout.parent(number)
                if parent >= 0 and layout.scopes[parent].kind == ScopeKind.CLASS:
                    found[number] = (parent, scope.name)
        return found

    @cached_property
    def crowded(self) -> frozenset[int]:
        """The methods that more classes share than are told apart."""
        below = self.classes.below
        return frozenset(
            method for method, (cls, _) in self.methods.items() if len(below[cls]) > FEW and len(self.self_classes(method)) > FEW
        )

    @cached_property
    def member_names(self) -> frozenset[str]:
        """All names that some class binds in its body."""
        return frozenset(name for scope in self.layout.scopes if scope.kind == ScopeKind.CLASS for name in scope.names)

    def implementations(self, cls: int) -> tuple[int, ...]:
        """The classes that do all that a protocol asks for, without inheriting from it; none of any other class."""
        found = self.implemented.get(cls)
        if found is None:
            found = self.implemented[cls] = tuple(self.find_implementations(cls)) if self.is_protocol(cls) else ()
        return found

    @cached_property
    def implemented(self) -> dict[int, tuple[int, ...]]:
        """What `implementations` has found so far."""
        return {}

    def is_protocol(self, cls: int) -> bool:
        """Whether `Protocol` is among the bases that a class names."""
        return any(path.rpartition(".")[2] == "Protocol" for path, _ in self.layout.scopes[cls].bases)

    def find_implementations(self, cls: int) -> Iterator[int]:
        """Looks through all classes."""
        scope = self.layout.scopes[cls]
        asked = [name for name in (*scope.bindings, *scope.declared) if not name.startswith("__") or name == "__call__"]
        below = set(self.classes.below[cls])
        for other, provides in self.classes.provides.items():
            if asked and other not in below and not self.is_protocol(other):
                fields = [self.classes.fields[one] for one in self.classes.order[other] if isinstance(one, int)]
                if all(name in provides or any(name in part for part in fields) for name in asked):
                    yield other

    def self_classes(self, method: int) -> tuple[int, ...]:
        """What `self` stands for in a method: the classes whose order picks that very class for its name."""
        cls, name = self.methods[method]
        provides = self.classes.provides
        return tuple(one for one in self.classes.below[cls] if provides[one].get(name) == cls)
