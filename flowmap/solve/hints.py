"""What the user says is somewhere: the nodes that a hint names, and the values that it puts there, inferred at best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from flowmap.model.facts import Op, Row, ScopeKind, SiteRow
from flowmap.model.hint import HINT, Hint
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind

ELEMENTS = "[]"  # at the end of a place: what the containers there hold
NAMED_SITES = (Op.CALL, Op.ATTR, Op.METHOD)  # rows whose last item is a site that has a text


class Hints:
    """The hints of this run: what they put where, and which of them match nothing."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.at_nodes: defaultdict[int, list[int]] = defaultdict(list)  # node of the text → nodes that hold what hints say
        self.at_fields: defaultdict[tuple[int, str], list[int]] = defaultdict(list)  # by class and name
        self.of_elements: set[int] = set()  # nodes of hints about what containers hold
        self.idle: list[tuple[Hint, str]] = []  # with what is wrong

    def give(self, hints: tuple[Hint, ...]) -> None:
        """Puts what hints say where they say it. Comes before anything is read that may ask for it."""
        scopes = scopes_by_symbol(self.state) if hints else {}
        for hint in hints:
            missing = [name for name in hint.holds if bare(name) not in scopes]
            if missing:
                self.idle.append((hint, f"there is no `{bare(missing[0])}`"))
            elif not self.put(hint, scopes):
                self.idle.append((hint, "there is no such place"))

    def put(self, hint: Hint, scopes: dict[str, list[int]]) -> bool:
        """Puts what one hint says at all nodes that it names; False when it names none."""
        place = hint.at.removesuffix(ELEMENTS)
        nodes, fields = list(nodes_named(self.state, place, scopes)), list(fields_named(self.state, place, scopes))
        for node in nodes:
            self.at_nodes[node].append(self.source(hint, node, scopes))
            self.reach(self.at_nodes[node][-1], node)
        for cls, name in fields:
            node = self.state.fields.class_(cls, name)
            self.at_fields[cls, name].append(self.source(hint, node, scopes))
            self.state.fields.stores[name] += 2  # a hint stores, and not alone
            self.reach(self.at_fields[cls, name][-1], node)
        return bool(nodes or fields)

    def source(self, hint: Hint, node: int, scopes: dict[str, list[int]]) -> int:
        """A node that holds what a hint says, beside the node that it says it of."""
        state = self.state
        source = state.new_node(state.origin(node)[0], f"{HINT}{hint.written}: {hint.at}")
        for name in hint.holds:
            for scope in scopes[bare(name)]:
                state.add(source, value_of(state, scope, name), SEED)
        if hint.at.endswith(ELEMENTS):
            self.of_elements.add(source)
        return source

    def reach(self, source: int, node: int) -> None:
        """Lets what a hint says reach a node, or the elements of what is there."""
        if source in self.of_elements:
            self.state.watch(node, self.state.tables["hinted"], (source,))
        else:
            self.state.flow_weakly(source, node)

    def reach_block(self, first: int, end: int, shift: int) -> None:
        """As for the text's own nodes, for those of a further activation."""
        for node, sources in self.at_nodes.items():
            if first <= node < end:
                for source in sources:
                    self.reach(source, node + shift)

    def reach_field(self, cls: int, name: str, node: int) -> None:
        """As for the class, for the field of its instances."""
        for source in self.at_fields.get((cls, name), ()):
            self.reach(source, node)


def bare(name: str) -> str:
    """The symbol in `type[symbol]`, or the symbol itself."""
    return name.removeprefix("type[").removesuffix("]") if name.startswith("type[") else name


def value_of(state: State, scope: int, name: str) -> int:
    """What `holds` says: an instance of a class, the class itself as `type[C]`, a function, a module."""
    match state.layout.scopes[scope].kind:
        case ScopeKind.CLASS:
            return state.values.of(Kind.CLASS if name.startswith("type[") else Kind.INSTANCE, scope)
        case ScopeKind.MODULE:
            return state.values.of(Kind.MODULE, state.layout.scope_file[scope])
        case _:
            return state.values.of(Kind.FUNCTION, (scope, 0))


def scopes_by_symbol(state: State) -> dict[str, list[int]]:
    """All definitions by symbol; several where a name is defined more than once."""
    found: dict[str, list[int]] = {}
    for scope in range(len(state.layout.scopes)):
        found.setdefault(state.layout.symbol(scope), []).append(scope)
    return found


def nodes_named(state: State, place: str, scopes: dict[str, list[int]]) -> Iterator[int]:
    """The text's nodes of a parameter `f(name)`, an expression `f: text` or a module's name."""
    layout = state.layout
    symbol, is_expression, text = place.partition(": ")
    if is_expression:
        for scope in scopes.get(symbol, ()):
            yield from nodes_of_expression(state, scope, text)
    elif place.endswith(")"):
        symbol, _, name = place[:-1].partition("(")
        for scope in scopes.get(symbol, ()):
            base = layout.node_base[layout.scope_file[scope]]
            yield from (node + base for param, node, _, _ in layout.scopes[scope].params if param == name)
    else:
        owner, _, name = place.rpartition(".")
        file = layout.modules.get(owner)
        if file is not None and state.imports.defines(file, name):
            yield state.imports.name_node(file, name)


def nodes_of_expression(state: State, scope: int, text: str) -> Iterator[int]:
    """The nodes of a name that a function binds, or of its calls and attribute reads with this text."""
    layout = state.layout
    file = layout.scope_file[scope]
    base = layout.node_base[file]
    if text in layout.scopes[scope].names:
        yield layout.scopes[scope].names[text] + base
    sites = layout.sites(file)
    for row in layout.rows(scope):
        if row[0] in NAMED_SITES and row[-1] >= 0 and SiteRow(*sites[row[-1]]).expr == text:
            yield row[1] + base


def fields_named(state: State, place: str, scopes: dict[str, list[int]]) -> Iterator[tuple[int, str]]:
    """A field `C.name`, of the class and of all that inherit from it."""
    owner, _, name = place.rpartition(".")
    if name.isidentifier():
        for scope in scopes.get(owner, ()):
            yield from ((one, name) for one in state.program.classes.below.get(scope, ()))


def fill_hinted(state: State, value: int, row: Row) -> None:
    """What a hint says is in a container. Rows (node that holds it,)."""
    state.flow_weakly(row[0], state.slots.node(value, None))
