"""From rows of facts to edges and watchers, for one scope in one activation."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from flowmap.model.facts import RIGHT, Op, Row, Tree
from flowmap.solve.slots import KEYS
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind


class Frame(NamedTuple):
    """Where an activation's nodes lie: (first, end, shift) of its own scope and of those around it that are activations, too.
    `shared` nodes lie among them but belong to the whole file."""

    ranges: tuple[tuple[int, int, int], ...] = ()
    shared: frozenset[int] = frozenset()

    def place(self, node: int) -> int:
        """Where a node of the text lies in the activation."""
        for first, end, shift in self.ranges:
            if first <= node < end and node not in self.shared:
                return node + shift
        return node


class Placed(dict[int, int]):
    """Where the nodes of a file lie in an activation: rows that name a node share its number."""

    def __init__(self, frame: Frame, base: int) -> None:
        super().__init__()
        self.frame = frame
        self.base = base

    def __missing__(self, node: int) -> int:
        found = self[node] = self.frame.place(node + self.base)
        return found


Place = Callable[[int], int]


def install(state: State, scope: int, frame: Frame, activation: int) -> None:
    """Installs all rows of a scope."""
    layout = state.layout
    file = layout.scope_file[scope]
    context = (Placed(frame, layout.node_base[file]).__getitem__, file, activation)
    for row in layout.rows(scope):
        INSTALLERS[row[0]](state, row, context)


Context = tuple[Place, int, int]  # (node of the file → node of the activation, file, activation)


def site_number(state: State, site: int, file: int) -> int:
    """The program's number of a file's site."""
    return site if site < 0 else site + state.layout.site_base[file]


def copy(state: State, row: Row, context: Context) -> None:
    place = context[0]
    src, dst = place(row[2]), place(row[1])
    if src in state.nothing or dst in state.nothing:
        return
    edges = state.edges[src]
    if edges is None:
        state.edges[src] = dst
    elif isinstance(edges, int):
        state.edges[src] = [edges, dst]
    elif isinstance(edges, list):
        edges.append(dst)
    else:
        edges[dst] = None
    for value in tuple(state.points[src] or ()):
        state.add(dst, value, src)


def attribute(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, base, name, site = row
    state.watch(place(base), state.tables["attribute"], (place(dst), place(base), name, site_number(state, site, file)))


def method(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, base, name, site = row
    state.watch(place(base), state.tables["method"], (place(dst), place(base), name, site_number(state, site, file)))


def set_attribute(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, base, name, src, site = row
    state.watch(place(base), state.tables["store"], (place(base), name, place(src), site_number(state, site, file)))


def delete_attribute(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, base, name, site = row
    state.watch(place(base), state.tables["delete"], (place(base), name, site_number(state, site, file)))


def call(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, callee, arguments, keywords, site = row
    placed_arguments = tuple(place(a) if a >= 0 else ~place(~a) for a in arguments)
    placed_keywords = tuple((name, place(node)) for name, node in keywords)
    new = (place(dst), place(callee), placed_arguments, placed_keywords, site_number(state, site, file))
    state.watch(place(callee), state.tables["call"], new)
    for argument in placed_arguments:
        if argument < 0:
            state.watch(~argument, state.tables["starred"], (~argument, new[4]))


def decorate(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, decorator, value, site = row
    new = (place(dst), place(decorator), (place(value),), (), site_number(state, site, file))
    state.watch(place(decorator), state.tables["decorate"], new)
    if any(state.values.kinds[one] == Kind.CLASS for one in state.points[place(value)] or ()):
        state.flow(place(value), place(dst))  # a decorated class is taken to be that class, whatever else the decorator gives


def item(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, base, key, index, site = row
    new = (place(dst), place(base), key, place(index), site_number(state, site, file))
    state.watch(place(base), state.tables["item"], new)


def set_item(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, base, key, src, site, index = row
    new = (place(base), key, place(src), site_number(state, site, file), place(index))
    state.watch(place(base), state.tables["store item"], new)


def element(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, base, site = row
    state.watch(place(base), state.tables["element"], (place(dst), place(base), site_number(state, site, file)))


def display(state: State, row: Row, context: Context) -> None:
    place = context[0]
    _, dst, type_name, items = row
    dst = place(dst)
    if type_name == "keys":
        for _, node in items:
            state.flow(place(node), state.slots.node(state.slots.made("dict", dst), KEYS))
        return
    container = state.values.of(Kind.CONTAINER, (type_name, dst))
    for index, (key, node) in enumerate(items):
        if isinstance(key, tuple):
            later = frozenset(one for one, _ in items[index + 1 :] if isinstance(one, str) and type_name == "dict")
            site = site_number(state, key[1], context[1])
            state.watch(place(node), state.tables["spread"], (container, place(node), later, site))
        else:
            state.flow(place(node), state.slots.node(container, key))
    if all(isinstance(key, int) for key, _ in items):
        state.slots.lengths[container] = len(items)
    state.add(dst, container, SEED)


def function(state: State, row: Row, context: Context) -> None:
    place, file, activation = context
    scope = row[2] + state.layout.scope_base[file]
    state.add(place(row[1]), state.values.of(Kind.FUNCTION, (scope, activation)), SEED)
    if activation:
        state.activations.own(scope, activation, None)


def class_(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    state.add(place(row[1]), state.values.of(Kind.CLASS, row[2] + state.layout.scope_base[file]), SEED)


def string(state: State, row: Row, context: Context) -> None:
    node = context[0](row[1])
    state.constants[node] = row[2]
    state.add(node, state.values.of(Kind.STRING, row[2]), SEED)


def text(state: State, row: Row, context: Context) -> None:
    place = context[0]
    _, dst, src, rest = row
    state.watch(place(src), state.tables["text"], (place(dst), place(src), rest))


def literal(state: State, row: Row, context: Context) -> None:
    state.add(context[0](row[1]), state.values.of(Kind.THING, f"builtins.{row[2]}"), SEED)


def filter_(state: State, row: Row, context: Context) -> None:
    place = context[0]
    _, dst, src, test, operands = row
    placed_operands = tuple(place(one) if isinstance(one, int) else one for one in operands)
    state.watch(place(src), state.tables["filter"], (place(dst), place(src), test, placed_operands))


def annotate(state: State, row: Row, context: Context) -> None:
    place = context[0]
    _, inward, outward, tree = row
    state.declared.declare(place(inward), place(outward), placed_tree(tree, place))


def placed_tree(tree: Tree, place: Place) -> Tree:
    """An annotation with its nodes placed."""
    match tree:
        case ("name", node):
            return ("name", place(node))
        case ("item", inner, parts):
            return ("item", placed_tree(inner, place), tuple(placed_tree(part, place) for part in parts))
        case ("union", parts):
            return ("union", tuple(placed_tree(part, place) for part in parts))
        case ("call", inner):
            return ("call", placed_tree(inner, place))
        case ("held", type_name, inner):
            return ("held", type_name, placed_tree(inner, place))
        case _:
            return tree


def await_(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, src, site = row
    state.watch(place(src), state.tables["await"], (place(dst), place(src), site_number(state, site, file)))


def enter(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, src, site = row
    state.watch(place(src), state.tables["enter"], (place(dst), place(src), site_number(state, site, file)))


def super_(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, cls, first = row
    new = (place(dst), place(first), cls + state.layout.scope_base[file])
    state.watch(place(first), state.tables["super"], new)


def operator(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, names, left, right, site = row
    new = (place(dst), names, place(left), place(right), site_number(state, site, file))
    state.watch(place(left), state.tables["operator"], new)
    if RIGHT in names:
        state.watch(place(right), state.tables["reflected"], new)


def import_(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, dst, module, name, _, site = row
    state.imports.bring(place(dst), (module, name), site_number(state, site, file))


def star(state: State, row: Row, context: Context) -> None:
    """Stars are resolved name by name, where a module reads a name that it does not bind."""


def create(state: State, row: Row, context: Context) -> None:
    place, file, _ = context
    _, made, keywords, site = row
    placed_keywords = tuple((name, place(node)) for name, node in keywords)
    state.watch(place(made), state.tables["create"], (place(made), placed_keywords, site_number(state, site, file)))


def alias(state: State, row: Row, context: Context) -> None:
    place = context[0]
    state.add(place(row[1]), state.values.of(Kind.ALIAS, placed_tree(row[2], place)), SEED)


def catch(state: State, row: Row, context: Context) -> None:
    place = context[0]
    state.watch(place(row[2]), state.tables["catch"], (place(row[1]), place(row[2])))


INSTALLERS: tuple[Callable[[State, Row, Context], None], ...] = (
    copy,
    attribute,
    set_attribute,
    call,
    item,
    set_item,
    element,
    display,
    function,
    class_,
    string,
    filter_,
    annotate,
    await_,
    enter,
    super_,
    operator,
    import_,
    star,
    decorate,
    literal,
    method,
    text,
    delete_attribute,
    create,
    alias,
    catch,
)
assert len(INSTALLERS) == Op.CATCH + 1
