"""The state of lowering: what a file has given so far, and the scope that is being read."""

from __future__ import annotations

import ast
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flowmap.extract.bound import Bound
from flowmap.extract.text import SourceText
from flowmap.model.facts import ArgumentPlaces, Binding, Op, Row, Scope, ScopeKind, SiteShape, Tree
from flowmap.model.literals import Position

READS = (SiteShape.READ, SiteShape.MUTATE)
Located = ast.expr | ast.AugAssign | ast.AnnAssign | ast.alias | ast.ClassDef | ast.ImportFrom | ast.pattern
Lower = Callable[["Body", Any], int]  # reads one kind of expression: the node that holds its value
Run = Callable[["Body", Any], None]  # reads one kind of statement
NOTHING = 0  # the node that never holds a value: None, and whatever has no value worth following


@dataclass(slots=True)
class FileLowering:
    """What one file has given so far."""

    path: str
    module: str
    is_package: bool
    text: SourceText
    outside: frozenset[str]  # names that some function declares `global`
    enclosing: frozenset[str]  # names that some function declares `nonlocal`
    has_walrus: bool
    expressions: Mapping[type, Lower]
    statements: Mapping[type, Run]
    decided: Mapping[Position, bool] = field(default_factory=dict)  # tests whose outcome a configuration decides
    node_lines: list[int] = field(default_factory=lambda: [0])
    labels: dict[int, str] = field(default_factory=dict)
    scopes: list[Scope | None] = field(default_factory=list)
    ops: list[list[Row]] = field(default_factory=list)
    sites: list[Row] = field(default_factory=list)
    arguments: ArgumentPlaces = field(default_factory=lambda: ArgumentPlaces(array("I"), array("I")))
    expected: tuple[ast.expr | None, int] = (None, 0)  # an attribute still to be read, and the shape of its site
    guards: dict[tuple[str, ...], int] = field(default_factory=lambda: {(): 0})
    imports: list[Row] = field(default_factory=list)
    tables: list[Row] = field(default_factory=list)
    literals: dict[str, int] = field(default_factory=dict)
    globals: dict[str, int] = field(default_factory=dict)
    made_classes: dict[ast.expr, int] = field(default_factory=dict)  # calls that make classes, with the scopes of these
    dispatchers: set[str] = field(default_factory=set)  # names of functions that dispatch by type
    records: dict[str, ast.Call] = field(default_factory=dict)  # names bound to named tuples, with the calls that make these
    assigned: defaultdict[int, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    waiting: deque[Callable[[], None]] = field(default_factory=deque)
    main_guard: bool = False
    skipped: list[Row] = field(default_factory=list)

    def node(self, line: int, label: str = "") -> int:
        """A new node."""
        number = len(self.node_lines)
        self.node_lines.append(line)
        if label:
            self.labels[number] = label
        return number

    def open_scope(self) -> int:
        """The index of a new scope, its row still to come."""
        self.scopes.append(None)
        self.ops.append([])
        return len(self.scopes) - 1

    def outcome_of(self, test: ast.expr | ast.pattern) -> bool | None:
        """How a test comes out in the configuration; None where that is not decided."""
        return self.decided.get(span(test)) if self.decided else None

    def skip(self, nodes: Sequence[ast.stmt | ast.expr], test: Position) -> None:
        """Notes what a decided test keeps from running."""
        if nodes:
            self.skipped.append((*span(nodes[0])[:2], *span(nodes[-1])[2:], test))

    def global_node(self, name: str) -> int:
        """The node of a module-level name, bound here or not."""
        found = self.globals.get(name)
        if found is None:
            found = self.globals[name] = self.node(0, name)
        return found

    def literal(self, type_name: str) -> int:
        """The node of all instances of a builtin type that literals of this file make."""
        found = self.literals.get(type_name)
        if found is None:
            found = self.literals[type_name] = self.node(0)
            self.ops[0].append((Op.LITERAL, found, type_name))
        return found

    def guard_list(self, texts: tuple[str, ...]) -> int:
        """The index of a list of guards."""
        return self.guards.setdefault(texts, len(self.guards))


def span(node: ast.stmt | ast.expr | ast.pattern) -> Position:
    """Where a node begins and ends."""
    return (node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)


Env = dict[str, int]


@dataclass(slots=True)
class Loop:
    """A loop being read: the environments in which it is left or begun again."""

    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)


@dataclass(slots=True)
class Body:
    """One scope being read.

    `names` gives each name its node for all bindings together. A name bound at several places also has versions: `env` holds
    the one that is current, and narrowed values of names and of attribute chains ("self.worker").
    """

    file: FileLowering
    scope: int
    kind: int  # ScopeKind
    qualname: str
    around: Body | None
    bound: Bound
    names: dict[str, int] = field(default_factory=dict)
    env: Env = field(default_factory=dict)
    versions: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    bindings: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    declared: dict[str, Tree] = field(default_factory=dict)
    not_given: list[str] = field(default_factory=list)
    init_only: list[str] = field(default_factory=list)
    ops: list[Row] = field(default_factory=list)
    guards: list[str] = field(default_factory=list)
    expr_guards: list[str] = field(default_factory=list)
    early: list[list[str]] = field(default_factory=list)
    context: tuple[int, int, int] | None = None
    loops: list[Loop] = field(default_factory=list)
    dead: bool = False
    cut: Position | None = None  # the decided test by which the rest of the block is never reached
    result: int = -1
    yields: int = -1
    first_param: int = -1
    owner_class: int = -1
    is_closure: bool = False
    has_entries: bool = False  # some name holds a display whose entries are followed
    raised: list[list[int]] = field(default_factory=list)  # what is raised in each `try` around, made right there
    many: frozenset[str] = frozenset()  # names with versions

    def prepare(self) -> None:
        """Gives every bound name its node, before the first statement is read."""
        file = self.file
        self.ops = file.ops[self.scope]
        steady = file.outside if self.kind == ScopeKind.MODULE else file.enclosing
        self.many = frozenset(name for name, count in self.bound.counts.items() if count > 1 and name not in steady)
        for name in self.bound.counts:
            if self.kind == ScopeKind.MODULE:
                self.names[name] = file.global_node(name)
            elif name not in self.names:
                self.names[name] = file.node(0, name)

    def node(self, line: int, label: str = "") -> int:
        """A new node of this scope."""
        return self.file.node(line, label)

    def emit(self, *row: object) -> None:
        """One value-flow row of this scope."""
        self.ops.append(row)

    def copy(self, src: int, line: int) -> int:
        """A new node that receives `src`."""
        dst = self.node(line)
        self.ops.append((Op.COPY, dst, src))
        return dst

    def holds_definition(self) -> None:
        """A function, lambda or class stands in this scope, and may see its names."""
        self.is_closure = True

    # ------------------------------------------------------------------ names

    def read(self, name: str) -> int:
        """The node that a name stands for here and now."""
        found = self.env.get(name)
        if found is not None:
            return found
        if name in self.bound.outside:
            return self.file.global_node(name)
        if name in self.names:
            return self.names[name]
        return self.read_around(name)

    def read_around(self, name: str) -> int:
        """The node of a name that this scope does not bind."""
        body = self.around
        while body is not None and body.kind != ScopeKind.MODULE:
            if body.kind != ScopeKind.CLASS and name in body.names:
                return body.names[name]
            body = body.around
        return self.file.global_node(name)

    def bind(self, name: str, src: int, line: int) -> None:
        """Binds a name to the value of a node."""
        if name in self.bound.outside or name in self.bound.enclosing:
            around = self.file.global_node(name) if name in self.bound.outside else self.read_around(name)
            self.ops.append((Op.COPY, around, src))
            return
        if name not in self.names:
            self.names[name] = self.node(line, name)  # bound by an expression that the first look did not see
        self.forget_below(name)
        if name in self.many:
            version = self.node(line, name)
            self.ops.append((Op.COPY, version, src))
            self.env[name] = version
            if not self.dead:
                self.versions[name].append(version)
        else:
            node = self.names[name]
            self.env.pop(name, None)
            self.file.node_lines[node] = line
            self.ops.append((Op.COPY, node, src))

    def unbind(self, name: str) -> None:
        """`del name`."""
        self.forget_below(name)
        if name in self.many:
            self.env[name] = NOTHING

    def forget_below(self, path: str) -> None:
        """Drops what was narrowed of the attributes of a name or chain that is assigned."""
        if self.env:
            start = path + "."
            for key in [key for key in self.env if key.startswith(start)]:
                del self.env[key]

    def note(self, name: str, *binding: object) -> None:
        """Records what text says is bound to a name, for `link`."""
        self.bindings[name].append(binding)

    def private(self, name: str) -> str:
        """An attribute's name as Python has it: inside a class, one that begins with two underscores gets the class's name."""
        if not name.startswith("__") or name.endswith("__"):
            return name
        body: Body | None = self
        while body is not None and body.kind != ScopeKind.CLASS:
            body = body.around
        owner = body.qualname.rpartition(".")[2].lstrip("_") if body is not None else ""
        return f"_{owner}{name}" if owner else name

    def note_field(self, base: int, name: str) -> None:
        """Keeps the fields that a method assigns through its first parameter: they make its class their owner."""
        method: Body | None = self
        while method is not None and method.owner_class < 0:
            method = method.around
        if method is not None and base == method.first_param:
            self.file.assigned[method.owner_class][name] = None

    def note_value(self, name: str) -> None:
        """Records that a name is bound to something that only flow can tell."""
        self.bindings[name].append((Binding.VALUE,))

    # ------------------------------------------------------- sites and guards

    def site(self, node: ast.expr, shape: int, name: str, expr: str) -> int:
        """A new site at an expression."""
        end = node.end_lineno or node.lineno
        return self.site_at(node, shape, (name, end if shape in READS else node.lineno), expr)

    def expect(self, node: ast.expr, shape: int) -> None:
        """Tells what is done to the value of an attribute, before it is read: `shape` is a SiteShape. Of anything else
        nothing is told."""
        if isinstance(node, ast.Attribute) and node is not self.file.expected[0]:
            self.file.expected = (node, shape)

    def site_at(self, node: Located, shape: int, named: tuple[str, int], expr: str) -> int:
        """A new site; `named` is the called name and its line."""
        name, name_line = named
        guards = self.context or self.current_context()
        sites = self.file.sites
        sites.append(
            (
                self.scope,
                node.lineno,
                name_line,
                node.col_offset,
                node.end_lineno,
                node.end_col_offset,
                shape,
                name,
                expr,
                *guards,
            )
        )
        return len(sites) - 1

    def current_context(self) -> tuple[int, int, int]:
        """The indexes of the three guard lists that hold here."""
        early = tuple(text for block in self.early for text in block)
        lists = (tuple(self.guards), tuple(self.expr_guards), early)
        first, second, third = map(self.file.guard_list, lists)
        self.context = (first, second, third)
        return self.context

    def push_guard(self, text: str) -> None:
        self.guards.append(text)
        self.context = None

    def pop_guard(self) -> None:
        self.guards.pop()
        self.context = None

    def push_expr_guard(self, text: str) -> None:
        self.expr_guards.append(text)
        self.context = None

    def pop_expr_guards(self, count: int) -> None:
        del self.expr_guards[len(self.expr_guards) - count :]
        self.context = None

    def leave_early(self, texts: Iterable[str]) -> None:
        """From here on in this block, these hold since their opposites left."""
        self.early[-1].extend(texts)
        self.context = None

    # ------------------------------------------------------------ environments

    def merge(self, first: Env | None, second: Env | None, line: int) -> Env:
        """The environment after two ways met; None is a way that does not arrive."""
        if first is None or second is None:
            return dict(first or second or {})
        if first == second:
            return first
        merged: Env = {}
        for name in (*first, *(name for name in second if name not in first)):
            node = self.meet(name, first, second, line)
            if node is not None:
                merged[name] = node
        return merged

    def meet(self, name: str, first: Env, second: Env, line: int) -> int | None:
        """The node of a name after two ways met."""
        left, right = first.get(name), second.get(name)
        if left == right:
            return left
        if "." in name:
            return None  # a narrowed chain holds only where both ways narrowed it alike
        if name not in self.many:
            return self.meet_narrowed(name, left, right, line)
        if left is None or right is None:
            return left if right is None else right
        return self.phi(name, (left, right), line)

    def meet_narrowed(self, name: str, left: int | None, right: int | None, line: int) -> int | None:
        """A name bound once, narrowed in one way or in both: its whole value, unless both ways narrowed it."""
        if left is None or right is None:
            return None
        return self.phi(name, (left, right), line)

    def phi(self, name: str, nodes: Iterable[int], line: int) -> int:
        """A node that receives all of these."""
        dst = self.node(line, name)
        for node in nodes:
            if node != NOTHING:
                self.ops.append((Op.COPY, dst, node))
        return dst

    def finish_names(self) -> None:
        """Lets the node of each name with versions receive those that the world around can see."""
        for name in sorted(self.many):  # a set has another order in every run
            whole = self.names[name]
            for node in self.seen_from_outside(name):
                if node not in (whole, NOTHING):
                    self.ops.append((Op.COPY, whole, node))
                    self.file.node_lines[whole] = self.file.node_lines[node]

    def seen_from_outside(self, name: str) -> list[int]:
        """The versions of a name that others may find: the last one once a module or class is read, any one of a function."""
        if self.kind in (ScopeKind.MODULE, ScopeKind.CLASS):
            return [self.env[name]] if name in self.env else []
        return self.versions[name]
