"""Calls: what is called, what it is given, and what a call changes."""

from __future__ import annotations

import ast

from flowmap.extract.body import NOTHING, Body
from flowmap.extract.entries import forget_entries
from flowmap.extract.expressions import read_attribute
from flowmap.extract.items import without_subscripts
from flowmap.extract.lower import lower
from flowmap.extract.strings import emit_filled_in
from flowmap.model.facts import Op, SiteShape


def call(body: Body, node: ast.Call) -> int:
    function = node.func
    if isinstance(function, ast.Name) and function.id == "super" and not node.args:
        return zero_super(body, node)
    callee = read_method(body, function) if isinstance(function, ast.Attribute) else lower(body, function)
    arguments = tuple(argument(body, part) for part in with_names_apart(node))
    keywords = tuple((part.arg, lower(body, part.value)) for part in node.keywords)
    site = body.site_at(node, SiteShape.CALL, called_name(function), body.file.text.of(node))
    note_arguments(body, node, site)
    dst = body.node(node.lineno)
    body.emit(Op.CALL, dst, callee, arguments, keywords, site)
    emit_filled_in(body, node, dst)
    forget_entries(body)
    if called_name(function)[0] in STORING:
        store_by_constant(body, node, arguments)
    return dst


def with_names_apart(node: ast.Call) -> list[ast.expr]:
    """The arguments of a call; the names in `namedtuple("P", "x y")` as a list of texts."""
    match node:
        case ast.Call(
            func=ast.Name(id="namedtuple") | ast.Attribute(attr="namedtuple"), args=[kind, ast.Constant(value=str(names)), *rest]
        ):
            texts: list[ast.expr] = [
                ast.copy_location(ast.Constant(one), node.args[1]) for one in names.replace(",", " ").split()
            ]
            return [kind, ast.copy_location(ast.List(texts, ast.Load()), node.args[1]), *rest]
        case _:
            return node.args


STORING = ("setattr", "__setattr__")


def store_by_constant(body: Body, node: ast.Call, arguments: tuple[int, ...]) -> None:
    """`setattr(x, "name", value)` and `x.__setattr__("name", value)` are assignments, as far as the name is in the text."""
    match node.args:
        case [_, ast.Constant(value=str(name)), _] if min(arguments) >= 0:
            store(body, arguments[0], name, arguments[2])
        case [ast.Constant(value=str(name)), _] if isinstance(node.func, ast.Attribute) and min(arguments) >= 0:
            store(body, receiver_of_store(body, node.func.value), name, arguments[1])


def store(body: Body, base: int, name: str, value: int) -> None:
    """A field that a call stores."""
    if base >= 0:
        body.note_field(base, name)
        body.emit(Op.SETATTR, base, name, value, -1)


def receiver_of_store(body: Body, node: ast.expr) -> int:
    """The node of x in `x.__setattr__`; of `super()` that of the object itself. -1 for anything else."""
    match node:
        case ast.Name(id=name):
            return body.read(name)
        case ast.Call(func=ast.Name(id="super")):
            return body.first_param
        case _:
            return -1


def read_method(body: Body, node: ast.Attribute) -> int:
    """`base.name`, called: a method of this name may change in place what a field holds."""
    if is_mutator(node.attr):
        body.expect(without_subscripts(node.value), SiteShape.MUTATE)
    return read_attribute(body, node, Op.METHOD)


def is_mutator(name: str) -> bool:
    """Whether methods of this name change their object: those of list, dict, set and deque, and names that end in one
    underscore."""
    return name in MUTATORS or (name.endswith("_") and not name.endswith("__"))


MUTATORS = frozenset(
    {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"}
    | {"update", "setdefault", "popitem"}
    | {"add", "discard", "difference_update", "intersection_update", "symmetric_difference_update"}
    | {"appendleft", "extendleft", "popleft", "rotate"}
)


def note_arguments(body: Body, node: ast.Call, site: int) -> None:
    """Keeps where the arguments of a call stand."""
    starts, numbers = body.file.arguments
    if node.args or node.keywords:
        starts.extend((site, len(numbers)))
        parts: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        for part in parts:
            numbers.extend((part.lineno, part.col_offset, part.end_lineno or 0, part.end_col_offset or 0))


def argument(body: Body, node: ast.expr) -> int:
    """An argument's node; a starred one is given as its complement."""
    return ~lower(body, node.value) if isinstance(node, ast.Starred) else lower(body, node)


def called_name(function: ast.expr) -> tuple[str, int]:
    """The last name of what is called, and its line."""
    match function:
        case ast.Attribute():
            return function.attr, function.end_lineno or function.lineno
        case ast.Name():
            return function.id, function.lineno
        case _:
            return "", function.lineno


def zero_super(body: Body, node: ast.Call) -> int:
    """`super()`: the method's class and first parameter are known from where it stands."""
    method: Body | None = body
    while method is not None and method.owner_class < 0:
        method = method.around
    site = body.site_at(node, SiteShape.CALL, ("super", node.lineno), "super()")
    dst = body.node(node.lineno)
    if method is not None and method.first_param >= 0:
        body.emit(Op.SUPER, dst, method.owner_class, method.first_param)
    body.emit(Op.CALL, NOTHING, body.read_around("super"), (), (), site)
    return dst
