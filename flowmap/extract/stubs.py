"""One stub's text to its rows: what functions return, what attributes are, as the newest Python on Linux has them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from flowmap.extract.parse import parse
from flowmap.model.stubs import STARS, Entry, FunctionFlag, Said, StubEntry, StubModule, StubTree

ANY: StubTree = (Said.ANY,)
NONE: StubTree = (Said.NONE,)
BUILTIN_NAMES = frozenset(dir(builtins))
TYPING = ("typing", "typing_extensions")
UNIONS = frozenset(f"{module}.Union" for module in TYPING)
OPTIONALS = frozenset(f"{module}.Optional" for module in TYPING)
SELVES = frozenset(f"{module}.Self" for module in TYPING)
ANYS = frozenset(f"{module}.Any" for module in (*TYPING, "_typeshed")) | {"_typeshed.Incomplete", "_typeshed.MaybeNone"}
CALLABLES = frozenset(f"{module}.Callable" for module in (*TYPING, "collections.abc"))
UNPACKS = frozenset(f"{module}.Unpack" for module in TYPING)
CONCATENATES = frozenset(f"{module}.Concatenate" for module in TYPING)
GUARDS = frozenset(f"{module}.{name}" for module in TYPING for name in ("TypeGuard", "TypeIs"))
WRAPPERS = frozenset(
    f"{module}.{name}" for module in TYPING for name in ("ClassVar", "Final", "Annotated", "Required", "NotRequired", "ReadOnly")
)
VARIABLE_MAKERS = frozenset(("TypeVar", "ParamSpec", "TypeVarTuple"))


def extract_stub(module: str, text: bytes, parent: str) -> StubModule:
    """The rows of one stub. `parent` is the package that its relative imports begin at. What cannot be read says nothing."""
    tree = parse(text, module)
    if not isinstance(tree, ast.Module):
        return {}
    body = tuple(chosen(tree.body))
    names = Names(module, parent)
    for statement in body:
        names.bind(statement)
    entries = block(body, names)
    if names.stars:
        entries[STARS] = (Entry.STARS, tuple(names.stars))
    return entries


def chosen(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that hold, branches of conditions resolved."""
    for statement in body:
        match statement:
            case ast.If():
                yield from chosen(statement.body if holds(statement.test) else statement.orelse)
            case ast.Try():
                yield from chosen(statement.body)
            case _:
                yield statement


def holds(test: ast.expr) -> bool:
    """Whether a condition on version and platform holds for the newest Python on Linux."""
    match test:
        case ast.BoolOp(op=ast.And()):
            return all(map(holds, test.values))
        case ast.BoolOp(op=ast.Or()):
            return any(map(holds, test.values))
        case ast.UnaryOp(op=ast.Not()):
            return not holds(test.operand)
        case ast.Compare(left=ast.Attribute(attr="platform"), ops=[op], comparators=[ast.Constant(value=platform)]):
            return (platform == "linux") == isinstance(op, ast.Eq)
        case ast.Compare(ops=[op]):
            return isinstance(op, ast.GtE | ast.Gt)
        case _:
            return True


@dataclass(slots=True)
class Names:
    """What names of one stub stand for: dotted names."""

    module: str
    parent: str
    known: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def bind(self, statement: ast.stmt) -> None:
        """Takes in what a statement binds."""
        match statement:
            case ast.Import():
                for alias in statement.names:
                    self.known[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
            case ast.ImportFrom():
                self.bind_from(statement)
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                self.known[statement.name] = f"{self.module}.{statement.name}"
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                self.known[name] = f"{self.module}.{name}"

    def bind_from(self, statement: ast.ImportFrom) -> None:
        """`from module import name`"""
        module = statement.module or ""
        if statement.level:
            base = ".".join(self.parent.split(".")[: len(self.parent.split(".")) - statement.level + 1])
            module = f"{base}.{module}" if module else base
        for alias in statement.names:
            if alias.name == STARS:
                self.stars.append(module)
            else:
                self.known[alias.asname or alias.name] = f"{module}.{alias.name}"

    def dotted(self, node: ast.expr) -> str:
        """The dotted name of a chain of names, "" for anything else."""
        match node:
            case ast.Name(id=name):
                return self.known.get(name) or f"{'builtins' if name in BUILTIN_NAMES else self.module}.{name}"
            case ast.Attribute(value=base, attr=name):
                before = self.dotted(base)
                return f"{before}.{name}" if before else ""
            case _:
                return ""


def block(body: Iterable[ast.stmt], names: Names) -> dict[str, StubEntry]:
    """The entries of a module or class body."""
    entries: dict[str, StubEntry] = {}
    for statement in body:
        for name, entry in entries_of(statement, entries, names):
            entries[name] = entry
    return entries


def entries_of(statement: ast.stmt, before: dict[str, StubEntry], names: Names) -> Iterator[tuple[str, StubEntry]]:
    """What one statement defines."""
    match statement:
        case ast.ClassDef():
            bases = tuple(said(base, names) for base in statement.bases)
            yield statement.name, (Entry.CLASS, bases, block(tuple(chosen(statement.body)), names))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from function(statement, before, names)
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name, annotated(statement, names)
        case ast.Assign(targets=[ast.Name(id=name)]):
            yield from assigned(name, statement.value, before, names)
        case ast.Import() | ast.ImportFrom():
            for alias in statement.names:
                name = alias.asname or alias.name.partition(".")[0]
                if name in names.known:
                    yield name, (Entry.ALIAS, names.known[name], int(alias.asname == alias.name))


def annotated(statement: ast.AnnAssign, names: Names) -> StubEntry:
    """`name: T`, or `Name: TypeAlias = T`."""
    if last_name(statement.annotation) == "TypeAlias" and statement.value is not None:
        return Entry.TYPE_ALIAS, said(statement.value, names)
    return Entry.VARIABLE, said(statement.annotation, names)


def assigned(name: str, value: ast.expr, before: dict[str, StubEntry], names: Names) -> Iterator[tuple[str, StubEntry]]:
    """`T = TypeVar("T")`, `ref = ReferenceType`, `Names = list[str]`."""
    match value:
        case ast.Call() if last_name(value.func) in VARIABLE_MAKERS:
            yield name, (Entry.TYPE_VARIABLE,)
        case ast.Name(id=other) if other in before:
            yield name, before[other]
        case ast.Name() | ast.Attribute():
            yield name, (Entry.ALIAS, names.dotted(value), 1)
        case ast.Subscript() | ast.BinOp():
            yield name, (Entry.TYPE_ALIAS, said(value, names))


def function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, before: dict[str, StubEntry], names: Names
) -> Iterator[tuple[str, StubEntry]]:
    """A function, with the overloads that came before it; a property is a variable; its setter says nothing."""
    marks = {last_name(decorator) for decorator in node.decorator_list}
    if marks & {"setter", "deleter"}:
        return
    result = said(node.returns, names)
    if any(mark.endswith("property") for mark in marks):
        yield node.name, (Entry.VARIABLE, result)
        return
    if isinstance(node, ast.AsyncFunctionDef):
        result = (Said.ITEM, "typing.Coroutine", (ANY, ANY, result))
    flags = FunctionFlag.STATIC if "staticmethod" in marks else FunctionFlag.CLASSMETHOD if "classmethod" in marks else 0
    earlier = before.get(node.name, (None,))
    overloads = earlier[2] if "overload" in marks and earlier[0] == Entry.FUNCTION else ()
    yield node.name, (Entry.FUNCTION, flags, (*overloads, (tuple(parameters(node.args, names)), result)))


def parameters(given: ast.arguments, names: Names) -> Iterator[tuple[str, int, StubTree, bool]]:
    """(name, kind, tree, has a default) of each parameter. Names that begin with two underscores are by position."""
    plain = [*given.posonlyargs, *given.args]
    first_default = len(plain) - len(given.defaults)
    for index, one in enumerate(plain):
        by_position = index < len(given.posonlyargs) or (one.arg.startswith("__") and not one.arg.endswith("__"))
        yield one.arg, 0 if by_position else 1, said(one.annotation, names), index >= first_default
    if given.vararg is not None:
        yield given.vararg.arg, 2, rest_or(given.vararg.annotation, names), True
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield one.arg, 3, said(one.annotation, names), default is not None
    if given.kwarg is not None:
        yield given.kwarg.arg, 4, rest_or(given.kwarg.annotation, names), True


def rest_or(node: ast.expr | None, names: Names) -> StubTree:
    """The annotation of `*args`: what another function takes, or a type."""
    match node:
        case ast.Attribute(attr="args" | "kwargs") | ast.Starred():
            return (Said.REST,)
        case ast.Subscript(value=base) if names.dotted(base) in UNPACKS:
            return (Said.REST,)
        case _:
            return said(node, names)


def said(node: ast.expr | None, names: Names) -> StubTree:
    """The tree of a type."""
    match node:
        case None:
            return ANY
        case ast.Constant(value=None):
            return NONE
        case ast.Constant(value=str(text)):
            return quoted(text, names)
        case ast.Name() | ast.Attribute():
            return named(names.dotted(node))
        case ast.BinOp(op=ast.BitOr()):
            return Said.UNION, (said(node.left, names), said(node.right, names))
        case ast.Subscript():
            return subscripted(names.dotted(node.value), node.slice, names)
        case _:
            return ANY


def named(dotted: str) -> StubTree:
    """A type by name alone."""
    if dotted in SELVES:
        return (Said.SELF,)
    if dotted in CALLABLES:
        return Said.CALLABLE, (), 0, ANY
    if dotted in GUARDS:
        return Said.NAME, "builtins.bool"
    return ANY if not dotted or dotted in ANYS else (Said.NAME, dotted)


def quoted(text: str, names: Names) -> StubTree:
    """A type in quotes."""
    try:
        return said(ast.parse(text, mode="eval").body, names)
    except SyntaxError:
        return ANY


def subscripted(base: str, index: ast.expr, names: Names) -> StubTree:
    """`Base[arguments]`"""
    inner = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    if base in CALLABLES:
        return callable_of(inner, names)
    if base.rpartition(".")[2] == "Literal":
        return literals(inner)
    if base in UNIONS:
        return Said.UNION, tuple(said(one, names) for one in inner)
    if base in OPTIONALS:
        return Said.UNION, (said(inner[0], names), NONE)
    if base in WRAPPERS:
        return said(inner[0], names)
    if base in UNPACKS:
        return (Said.REST,)
    if base in GUARDS:
        return Said.NAME, "builtins.bool"
    parts = tuple(ELLIPSIS if is_ellipsis(one) else said(one, names) for one in inner)
    return (Said.ITEM, base, parts) if base else ANY


ELLIPSIS: StubTree = (Said.NAME, "...")


def is_ellipsis(node: ast.expr) -> bool:
    """Whether `...` stands there."""
    return isinstance(node, ast.Constant) and node.value is ...


def literals(inner: list[ast.expr]) -> StubTree:
    """`Literal["r", "w"]`: the texts; of other values, their types."""
    texts = tuple(one.value for one in inner if isinstance(one, ast.Constant) and isinstance(one.value, str))
    if len(texts) == len(inner):
        return Said.LITERAL, texts
    return Said.UNION, tuple(dict.fromkeys(literal(one) for one in inner))


def literal(node: ast.expr) -> StubTree:
    """The type of one value of `Literal[...]`."""
    if isinstance(node, ast.Constant):
        return NONE if node.value is None else (Said.NAME, f"builtins.{type(node.value).__name__}")
    return Said.NAME, "builtins.int"


def callable_of(inner: list[ast.expr], names: Names) -> StubTree:
    """`Callable[[A, B], R]`, `Callable[P, R]`, `Callable[Concatenate[A, P], R]`, `Callable[..., R]`."""
    if len(inner) != len(("parameters", "result")):
        return Said.CALLABLE, (), 0, ANY
    given, result = inner
    match given:
        case ast.List():
            params = [said(one, names) for one in given.elts]
        case ast.Subscript(value=base, slice=ast.Tuple(elts=elements)) if names.dotted(base) in CONCATENATES:
            params = [*(said(one, names) for one in elements[:-1]), (Said.REST,)]
        case _:
            params = [] if is_ellipsis(given) else [(Said.REST,)]
    fixed = tuple(one for one in params if one[0] != Said.REST)
    return Said.CALLABLE, fixed, int(len(fixed) < len(params)), said(result, names)


def last_name(node: ast.expr) -> str:
    """The last name of a chain; of a call, that of what is called."""
    match node:
        case ast.Call(func=inner):
            return last_name(inner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""
