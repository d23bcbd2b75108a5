"""Expressions to nodes and rows: one function for each kind of expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from flowmap.extract.body import NOTHING, Body, span
from flowmap.extract.entries import forget_entries, read_entry
from flowmap.extract.keys import constant_key
from flowmap.extract.narrow import Outcome, narrow
from flowmap.extract.strings import Part, emit_filled_in, emit_text, joined, may_name
from flowmap.extract.text import dotted
from flowmap.model.facts import KEYED, PAIRS, RIGHT, SLICE, STAR_KEY, Op, Row, SiteShape


def lower(body: Body, node: ast.expr) -> int:
    """The node that holds an expression's value."""
    return EXPRESSIONS[type(node)](body, node)


def lower_all(body: Body, nodes: Iterable[ast.expr]) -> None:
    """Reads expressions whose values go nowhere."""
    for node in nodes:
        EXPRESSIONS[type(node)](body, node)


def name(body: Body, node: ast.Name) -> int:
    return body.read(node.id)


def constant(body: Body, node: ast.Constant) -> int:
    value = node.value
    if value is None or value is Ellipsis:
        return NOTHING
    if isinstance(value, str) and may_name(value):
        dst = body.node(node.lineno)
        body.emit(Op.STRING, dst, value)
        return dst
    return body.file.literal(type(value).__name__)


def attribute(body: Body, node: ast.Attribute) -> int:
    return read_attribute(body, node, Op.ATTR)


def read_attribute(body: Body, node: ast.Attribute, op: int) -> int:
    """`base.name`, read or called."""
    path = dotted(node)
    base = lower(body, node.value)
    expected, shape = body.file.expected
    site = body.site(node, shape if node is expected else SiteShape.READ, node.attr, path)
    narrowed = body.env.get(path) if path else None
    dst = body.node(node.end_lineno or node.lineno)
    if narrowed is not None:
        body.emit(op, NOTHING, base, body.private(node.attr), site)
        body.emit(Op.COPY, dst, narrowed)
    else:
        body.emit(op, dst, base, body.private(node.attr), site)
    return dst


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


def without_subscripts(node: ast.expr) -> ast.expr:
    """What is subscripted, however often."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


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


def subscript(body: Body, node: ast.Subscript) -> int:
    return read_item(body, node)[0]


def read_item(body: Body, node: ast.Subscript) -> tuple[int, Row]:
    """`base[key]`: the node of what it gives, and (base, key, index, site)."""
    base = lower(body, node.value)
    index, key = item_key(body, node.slice)
    site = body.site_at(node, SiteShape.ITEM, ("", node.lineno), "")
    dst = body.node(node.lineno)
    known = read_entry(body, node)
    if known is None:
        body.emit(Op.GETITEM, dst, base, key, index, site)
    else:
        body.emit(Op.COPY, dst, known)
    return dst, (base, key, index, site)


def item_key(body: Body, node: ast.expr) -> tuple[int, object]:
    """The node of an index, and what is known of it as a key."""
    if not isinstance(node, ast.Slice):
        return lower(body, node), constant_key(node)
    first, last, _ = (NOTHING if part is None else lower(body, part) for part in (node.lower, node.upper, node.step))
    return NOTHING, (SLICE, slice_start(node), last or first)


def slice_start(node: ast.Slice) -> int | None:
    """Where a slice begins that goes forward, None where that is not known."""
    match node:
        case ast.Slice(step=None, lower=None):
            return 0
        case ast.Slice(step=None, lower=ast.Constant(value=int(start))):
            return start
        case _:
            return None


def slice_(body: Body, node: ast.Slice) -> int:
    lower_all(body, (part for part in (node.lower, node.upper, node.step) if part is not None))
    return NOTHING


def display(body: Body, node: ast.List | ast.Tuple | ast.Set) -> int:
    type_name = type(node).__name__.lower()
    items = tuple(display_item(body, part, index) for index, part in enumerate(node.elts))
    dst = body.node(node.lineno)
    body.emit(Op.DISPLAY, dst, type_name, keyed(items))
    note_pairs(body, node, items, dst)
    return dst


def display_item(body: Body, node: ast.expr, index: int) -> tuple[ItemKey, int]:
    if isinstance(node, ast.Starred):
        value = lower(body, node.value)
        return (STAR_KEY, body.site_at(node.value, SiteShape.ITERATION, ("__iter__", node.lineno), "")), value
    return index, lower(body, node)


ItemKey = str | int | tuple[str, int] | None
LONGEST_KEYED = 64  # elements of a longer display are told apart no longer


def keyed(items: tuple[tuple[ItemKey, int], ...]) -> tuple[tuple[ItemKey, int], ...]:
    """Items with their positions, as far as positions are known: none after a star."""
    rows: list[tuple[ItemKey, int]] = []
    known = len(items) <= LONGEST_KEYED
    for key, node in items:
        is_star = isinstance(key, tuple)
        known = known and not is_star
        rows.append((key if known or is_star else None, node))
    return tuple(rows)


def dict_(body: Body, node: ast.Dict) -> int:
    items: list[tuple[ItemKey, int]] = []
    keys: list[tuple[str, int]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            spread = lower(body, value)
            items.append(((STAR_KEY, body.site_at(value, SiteShape.ITERATION, ("keys", value.lineno), "")), spread))
            continue
        key_node = lower(body, key)
        value_node = lower(body, value)
        items.append((constant_key(key), value_node))
        keys.append(("", key_node))
    dst = body.node(node.lineno)
    last = {key: index for index, (key, _) in enumerate(items)}
    body.emit(Op.DISPLAY, dst, "dict", tuple(row for index, row in enumerate(items) if row[0] is None or last[row[0]] == index))
    body.emit(Op.DISPLAY, dst, "keys", tuple((None, key_node) for _, key_node in keys))
    note_table(body, node, items, dst)
    return dst


Items = Sequence[tuple[ItemKey, int]]


def note_pairs(body: Body, node: ast.List | ast.Tuple | ast.Set, items: Items, dst: int) -> None:
    """Keeps a display of pairs of names: a table, written as a list. The node of a row is that of its pair."""
    pairs = [part for part in node.elts if isinstance(part, ast.Tuple) and is_named_pair(part)]
    if pairs and len(pairs) == len(node.elts):
        rows = tuple(
            (body.file.text.of(part.elts[0]), item[1], part.lineno, part.col_offset, part.elts[1].lineno)
            for part, item in zip(pairs, items, strict=True)
        )
        body.file.tables.append((body.scope, node.lineno, node.col_offset, "", dst, PAIRS, rows))


def is_named_pair(node: ast.Tuple) -> bool:
    """`(name, name)`"""
    match node.elts:
        case [ast.Name() | ast.Attribute(), ast.Name() | ast.Attribute() | ast.Lambda()]:
            return True
        case _:
            return False


def note_table(body: Body, node: ast.Dict, items: Items, dst: int) -> None:
    """Keeps a dict display that maps keys to names, for those who read tables."""
    pairs = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if k is not None]
    if pairs and all(isinstance(value, ast.Name | ast.Attribute | ast.Lambda) for _, value in pairs):
        rows = tuple(
            (body.file.text.of(key), item[1], key.lineno, key.col_offset, value.lineno)
            for (key, value), item in zip(pairs, items, strict=False)
        )
        body.file.tables.append((body.scope, node.lineno, node.col_offset, "", dst, KEYED, rows))


def binary(body: Body, node: ast.BinOp) -> int:
    if isinstance(node.op, ast.Add):
        return sum_(body, node)
    dst = operation(body, node, lower(body, node.left), lower(body, node.right))
    emit_filled_in(body, node, dst)
    return dst


def operation(body: Body, node: ast.BinOp, left: int, right: int) -> int:
    """A row for a binary operator."""
    special = OPERATORS[type(node.op)]
    return operator(body, node, (f"__{special}__", RIGHT, f"__r{special}__"), (left, right))


def sum_(body: Body, node: ast.BinOp) -> int:
    """`a + b`; one with constant texts among its parts is a text, which may name something."""
    dst, parts = summed(body, node)
    if dst != NOTHING and any(isinstance(part, str) for part in parts):
        emit_text(body, dst, parts)
    return dst


def summed(body: Body, node: ast.expr) -> tuple[int, list[Part]]:
    """The node of a sum, and its parts from left to right."""
    match node:
        case ast.BinOp(op=ast.Add()):
            left, first = summed(body, node.left)
            right, second = summed(body, node.right)
            return operation(body, node, left, right), first + second
        case ast.Constant(value=str(text)):
            return lower(body, node), [text]
        case ast.JoinedStr():
            return formatted_parts(body, node)
        case _:
            found = lower(body, node)
            return found, [found]


def operator(body: Body, node: ast.expr | ast.AugAssign, names: tuple[str, ...], sides: tuple[int, int]) -> int:
    """A row for an operator: the left side's special method, then the right side's reflected one."""
    if sides == (NOTHING, NOTHING):
        return NOTHING
    site = body.site_at(node, SiteShape.OPERATOR, (names[0], node.lineno), "")
    dst = body.node(node.lineno)
    body.emit(Op.OPERATOR, dst, names, *sides, site)
    return dst


OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.BitAnd: "and",
}
COMPARISONS: dict[type, tuple[str, ...]] = {
    ast.Eq: ("__eq__", RIGHT, "__eq__"),
    ast.NotEq: ("__ne__", "__eq__", RIGHT, "__ne__", "__eq__"),
    ast.Lt: ("__lt__", RIGHT, "__gt__"),
    ast.LtE: ("__le__", RIGHT, "__ge__"),
    ast.Gt: ("__gt__", RIGHT, "__lt__"),
    ast.GtE: ("__ge__", RIGHT, "__le__"),
}
UNARY: dict[type, str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}


def unary(body: Body, node: ast.UnaryOp) -> int:
    special = UNARY.get(type(node.op))
    operand = lower(body, node.operand) if special is not None else lower_test(body, node.operand)
    if special is None:
        return body.file.literal("bool")
    return operator(body, node, (special,), (operand, NOTHING))


def compare(body: Body, node: ast.Compare) -> int:
    left = lower(body, node.left)
    for kind, part in zip(node.ops, node.comparators, strict=True):
        right = lower(body, part)
        special = COMPARISONS.get(type(kind))
        if special is not None:
            operator(body, node, special, (left, right))
        elif isinstance(kind, ast.In | ast.NotIn):
            operator(body, node, ("__contains__", "__iter__", "__getitem__"), (right, left))
        left = right
    return body.file.literal("bool")


def boolean(body: Body, node: ast.BoolOp) -> int:
    """`a and b`, `a or b`: each part runs only if those before it let it."""
    outcome = Outcome.HOLDS if isinstance(node.op, ast.And) else Outcome.FAILS
    saved = dict(body.env)
    nodes = []
    n_guards = 0
    for number, part in enumerate(node.values[:-1], 1):
        nodes.append(lower_test(body, part))
        if body.file.outcome_of(part) is outcome.opposite.value:
            body.file.skip(node.values[number:], span(part))
            break
        text = body.file.text.of(part)
        body.push_expr_guard(text if outcome is Outcome.HOLDS else f"not ({text})")
        n_guards += 1
        narrow(body, part, outcome)
    else:
        nodes.append(lower(body, node.values[-1]))
    body.pop_expr_guards(n_guards)
    body.env = body.merge(saved, body.env, node.lineno) if body.file.has_walrus else saved
    if outcome is Outcome.HOLDS:  # a falsy earlier part is no value worth following
        nodes = nodes[-1:] if len(nodes) > 1 else nodes
    return join(body, nodes, node.lineno)


def lower_test(body: Body, node: ast.expr) -> int:
    """An expression whose truth is asked: a name, attribute, call or item may have its own."""
    value = lower(body, node)
    asked = node.values[-1] if isinstance(node, ast.BoolOp) else node
    if isinstance(asked, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.NamedExpr) and value != NOTHING:
        site = body.site_at(asked, SiteShape.OPERATOR, ("__bool__", asked.lineno), "")
        body.emit(Op.OPERATOR, NOTHING, ("__bool__", "__len__"), value, NOTHING, site)
    return value


def join(body: Body, nodes: Sequence[int], line: int) -> int:
    """A node that receives several."""
    distinct = [node for node in dict.fromkeys(nodes) if node != NOTHING]
    if len(distinct) <= 1:
        return distinct[0] if distinct else NOTHING
    dst = body.node(line)
    for node in distinct:
        body.emit(Op.COPY, dst, node)
    return dst


def conditional(body: Body, node: ast.IfExp) -> int:
    lower_test(body, node.test)
    text = body.file.text.of(node.test)
    saved = body.env
    ways = []
    for part, guard, outcome in ((node.body, text, Outcome.HOLDS), (node.orelse, f"not ({text})", Outcome.FAILS)):
        if body.file.outcome_of(node.test) is outcome.opposite.value:
            body.file.skip([part], span(node.test))
            continue
        body.env = dict(saved)
        narrow(body, node.test, outcome)
        body.push_expr_guard(guard)
        ways.append(lower(body, part))
        body.pop_expr_guards(1)
    body.env = saved
    return join(body, ways, node.lineno)


def walrus(body: Body, node: ast.NamedExpr) -> int:
    value = lower(body, node.value)
    body.bind(node.target.id, value, node.lineno)
    return body.read(node.target.id)


def formatted(body: Body, node: ast.JoinedStr) -> int:
    return formatted_parts(body, node)[0]


def formatted_parts(body: Body, node: ast.JoinedStr) -> tuple[int, list[Part]]:
    """The node of an f-string, and its parts; its constant parts are kept, since it may name something."""
    parts: list[Part] = []
    site = -1
    for part in node.values:
        match part:
            case ast.FormattedValue():
                value = lower(body, part)
                parts.append(value)
                if value != NOTHING:
                    site = body.site_at(node, SiteShape.OPERATOR, ("__format__", node.lineno), "") if site < 0 else site
                    body.emit(Op.OPERATOR, NOTHING, TEXT_OF.get(part.conversion, FORMATTED), value, NOTHING, site)
            case ast.Constant():
                parts.append(str(part.value))
            case _:
                lower(body, part)
    return joined(body, parts, node.lineno), parts


FORMATTED = ("__format__", "__str__", "__repr__")
TEXT_OF = {ord("s"): ("__str__", "__repr__"), ord("r"): ("__repr__",), ord("a"): ("__repr__",)}


def formatted_value(body: Body, node: ast.FormattedValue) -> int:
    value = lower(body, node.value)
    if node.format_spec is not None:
        lower(body, node.format_spec)
    return value


def await_(body: Body, node: ast.Await) -> int:
    src = lower(body, node.value)
    site = body.site_at(node, SiteShape.AWAIT, ("__await__", node.lineno), "")
    dst = body.node(node.lineno)
    body.emit(Op.AWAIT, dst, src, site)
    return dst


def yield_(body: Body, node: ast.Yield) -> int:
    if node.value is not None:
        value = lower(body, node.value)
        if body.yields >= 0 and value != NOTHING:
            body.emit(Op.COPY, body.yields, body.copy(value, node.lineno))
    return body.yields + 1 if body.yields >= 0 else NOTHING


def yield_from(body: Body, node: ast.YieldFrom) -> int:
    src = lower(body, node.value)
    site = body.site_at(node, SiteShape.ITERATION, ("__iter__", node.lineno), "")
    dst = body.node(node.lineno)
    body.emit(Op.ELEMENT, dst, src, site)
    if body.yields >= 0:
        body.emit(Op.COPY, body.yields, dst)
    result = body.node(node.lineno)
    body.emit(Op.AWAIT, result, src, -1)
    return result


def comprehension(body: Body, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> int:
    saved = dict(body.env)
    guards = 0
    for part in node.generators:
        source = lower(body, part.iter)
        site = body.site_at(part.iter, SiteShape.ITERATION, ("__iter__", part.iter.lineno), "")
        element = body.node(part.iter.lineno)
        body.emit(Op.ELEMENT, element, source, site)
        bind_inside(body, part.target, element)
        for test in part.ifs:
            lower_test(body, test)
            body.push_expr_guard(body.file.text.of(test))
            narrow(body, test, Outcome.HOLDS)
            guards += 1
    dst = collected(body, node)
    body.pop_expr_guards(guards)
    body.env = saved
    return dst


def collected(body: Body, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> int:
    """The container that a comprehension makes."""
    if isinstance(node, ast.DictComp):
        key, value = lower(body, node.key), lower(body, node.value)
        dst = body.node(node.lineno)
        body.emit(Op.DISPLAY, dst, "dict", ((None, value),))
        body.emit(Op.DISPLAY, dst, "keys", ((None, key),))
        return dst
    element = lower(body, node.elt)
    dst = body.node(node.lineno)
    body.emit(Op.DISPLAY, dst, COLLECTED[type(node)], ((None, element),))
    return dst


COLLECTED: dict[type, str] = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}


def bind_inside(body: Body, target: ast.expr, value: int) -> None:
    """Binds the variables of a comprehension, which live in it alone."""
    match target:
        case ast.Name():
            body.forget_below(target.id)
            body.env[target.id] = value
        case ast.Tuple() | ast.List():
            for index, part in enumerate(target.elts):
                inner = part.value if isinstance(part, ast.Starred) else part
                dst = body.node(target.lineno)
                body.emit(Op.GETITEM, dst, value, None if isinstance(part, ast.Starred) else index, NOTHING, -1)
                bind_inside(body, inner, dst)
        case _:
            lower(body, target)


def starred(body: Body, node: ast.Starred) -> int:
    return lower(body, node.value)


EXPRESSIONS: dict[type, Callable[[Body, Any], int]] = {
    ast.Name: name,
    ast.Constant: constant,
    ast.Attribute: attribute,
    ast.Call: call,
    ast.Subscript: subscript,
    ast.Slice: slice_,
    ast.List: display,
    ast.Tuple: display,
    ast.Set: display,
    ast.Dict: dict_,
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: compare,
    ast.BoolOp: boolean,
    ast.IfExp: conditional,
    ast.NamedExpr: walrus,
    ast.JoinedStr: formatted,
    ast.FormattedValue: formatted_value,
    ast.Await: await_,
    ast.Yield: yield_,
    ast.YieldFrom: yield_from,
    ast.ListComp: comprehension,
    ast.SetComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.DictComp: comprehension,
    ast.Starred: starred,
}  # ast.Lambda is added by `functions`, which reads bodies
