"""Functions, lambdas and classes: their heads where they stand, the bodies of functions once all around them is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from flowmap.extract.annotations import ANY, annotation, last_name, name_node
from flowmap.extract.body import NOTHING, Body, Env, FileLowering
from flowmap.extract.bound import Bound, bound_names, walrus_names
from flowmap.extract.lower import lower, read_block
from flowmap.extract.records import fields_of_bases, record_path
from flowmap.extract.text import dotted, unparse
from flowmap.model.facts import Binding, Op, Row, Scope, ScopeFlag, ScopeKind, SiteShape, Tree

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

POSITIONAL_ONLY, POSITIONAL, VARIADIC, KEYWORD_ONLY, KEYWORDS = range(5)  # as inspect.Parameter counts them

FLAGS_BY_DECORATOR = {
    "staticmethod": ScopeFlag.STATIC,
    "abstractstaticmethod": ScopeFlag.STATIC,
    "classmethod": ScopeFlag.CLASSMETHOD,
    "abstractclassmethod": ScopeFlag.CLASSMETHOD,
    "getter": ScopeFlag.PROPERTY,
    "property": ScopeFlag.PROPERTY,
    "abstractproperty": ScopeFlag.PROPERTY,
    "cached_property": ScopeFlag.PROPERTY | ScopeFlag.CACHED,
    "abstractmethod": ScopeFlag.ABSTRACT,
    "overload": ScopeFlag.OVERLOAD,
    "dataclass": ScopeFlag.DATACLASS,
}


def function(body: Body, node: FunctionNode) -> None:
    """A `def`: its value, decorated, is bound to its name."""
    body.holds_definition()
    flags = decorator_flags(node.decorator_list)
    if isinstance(node, ast.AsyncFunctionDef):
        flags |= ScopeFlag.ASYNC
    decorators = [(part, lower(body, part)) for part in node.decorator_list]
    if any(last_name(part) in DISPATCHING for part in node.decorator_list):
        body.file.dispatchers.add(node.name)
    scope = body.file.open_scope()
    made = body.node(node.lineno, node.name)
    defaults = default_nodes(body, node.args)
    trees = annotation_trees(body, node)
    body.emit(Op.FUNCTION, made, scope)
    value = decorate(body, made, decorators)
    bind_definition(body, node.name, value, (scope, node))
    inner = Definition(body, node, scope, flags, made, defaults, trees, dict(body.env) if comprehension_open(body) else {})
    body.file.waiting.append(inner.read)


def bind_definition(body: Body, name: str, value: int, at: tuple[int, FunctionNode | ast.ClassDef]) -> None:
    """Binds a decorated definition. An accessor (`@x.setter`) joins the property that it belongs to."""
    scope, node = at
    for part in node.decorator_list:
        if not is_accessor_of(part, name):
            continue
        assert isinstance(part, ast.Attribute)
        joined = body.node(node.lineno, name)
        body.emit(Op.COPY, joined, name_node(body, part.value))
        body.emit(Op.COPY, joined, value)
        value = joined
    body.bind(name, value, node.lineno)
    body.note(name, Binding.DEFINITION, scope)


def is_accessor_of(decorator: ast.expr, name: str) -> bool:
    """`@name.setter`, or `@Base.name.setter`, which begins with a property of another class."""
    return last_name(decorator) in ACCESSORS and f".{dotted(decorator)}".rpartition(".")[0].endswith(f".{name}")


DISPATCHING = ("singledispatch", "singledispatchmethod")
ACCESSORS = ("setter", "getter", "deleter")


def decorator_flags(decorators: list[ast.expr]) -> int:
    """What the decorators' last names say."""
    flags = 0
    for part in decorators:
        target = part.func if isinstance(part, ast.Call) else part
        last = last_name(target)
        flags |= FLAGS_BY_DECORATOR.get(last, 0)
        if last == "setter":
            flags |= ScopeFlag.SETTER
        elif last == "deleter":
            flags |= ScopeFlag.DELETER
        elif last not in FLAGS_BY_DECORATOR:
            flags |= ScopeFlag.DECORATED
    return flags


def decorate(body: Body, value: int, decorators: list[tuple[ast.expr, int]]) -> int:
    """Applies decorators, the innermost first."""
    for part, decorator in reversed(decorators):
        target = part.func if isinstance(part, ast.Call) else part
        named = (last_name(target), target.end_lineno or target.lineno)
        site = body.site_at(part, SiteShape.DECORATOR, named, body.file.text.of(part))
        dst = body.node(part.lineno)
        body.emit(Op.DECORATE, dst, decorator, value, site)
        if last_name(target) in ACCESSORS:
            body.emit(Op.COPY, dst, value)  # the accessor joins its property whatever the decorator is known to be
        value = dst
    return value


def default_nodes(body: Body, arguments: ast.arguments) -> dict[str, int]:
    """The nodes of default values, which are evaluated where the function is made."""
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = list(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True))
    pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    return {argument.arg: lower(body, default) for argument, default in pairs}


def annotation_trees(body: Body, node: FunctionNode) -> dict[str, Tree]:
    """The annotations of parameters by name, of the result as "return"."""
    trees = {a.arg: annotation(body, a.annotation) for _, a in parameters(node.args) if a.annotation is not None}
    if node.returns is not None:
        trees["return"] = annotation(body, node.returns)
    dispatched = dispatched_parameter(body, node)
    classes = dispatched_classes(body, node)
    if classes and dispatched not in trees:
        trees[dispatched] = ("union", tuple(annotation(body, one) for one in classes))
    return {name: tree for name, tree in trees.items() if tree != ANY}


def dispatched_classes(body: Body, node: FunctionNode) -> list[ast.expr]:
    """The classes for which a function is registered with one of the file that dispatches by type: `@f.register(C)`."""
    calls = [part for part in node.decorator_list if isinstance(part, ast.Call) and last_name(part.func) == "register"]
    return [part.args[0] for part in calls if len(part.args) == 1 and last_name(part.func.value) in body.file.dispatchers]  # type: ignore[attr-defined]


def dispatched_parameter(body: Body, node: FunctionNode) -> str:
    """The parameter by whose type a function is chosen, "" where there is none."""
    names = [part.arg for kind, part in parameters(node.args) if kind in (POSITIONAL_ONLY, POSITIONAL)]
    return next(iter(names[1 if body.kind == ScopeKind.CLASS else 0 :]), "")


def parameters(arguments: ast.arguments) -> Iterator[tuple[int, ast.arg]]:
    """Parameters with their kinds, in the order of the head."""
    yield from ((POSITIONAL_ONLY, a) for a in arguments.posonlyargs)
    yield from ((POSITIONAL, a) for a in arguments.args)
    if arguments.vararg is not None:
        yield VARIADIC, arguments.vararg
    yield from ((KEYWORD_ONLY, a) for a in arguments.kwonlyargs)
    if arguments.kwarg is not None:
        yield KEYWORDS, arguments.kwarg


def comprehension_open(body: Body) -> bool:
    """Whether variables of a comprehension are in sight, which no scope's names hold."""
    return any(name not in body.names and "." not in name for name in body.env)


@dataclass(slots=True)
class Definition:
    """A function whose body waits until the scope around it is read, since it may use names bound later."""

    around: Body
    node: FunctionNode | ast.Lambda
    scope: int
    flags: int
    made: int
    defaults: dict[str, int]
    trees: dict[str, Tree]
    seen: Env  # variables of a comprehension around it

    def read(self) -> None:
        """Lowers the body and closes the scope."""
        file, node = self.around.file, self.node
        first_node = len(file.node_lines)
        params = [(kind, a) for kind, a in parameters(node.args)]
        body = open_body(self, [a.arg for _, a in params])
        rows = tuple(self.parameter(body, kind, a) for kind, a in params)
        body.result = body.node(node.lineno, "return")
        declared = self.trees.get("return")
        outward = body.result
        if declared is not None:
            outward = body.node(node.lineno, "return")
            body.emit(Op.ANNOTATE, body.result, outward, declared)
        if file.text.has(node, b"yield") and yields_somewhere(node):
            self.flags |= ScopeFlag.GENERATOR
            body.yields = body.node(node.lineno, "yield")
            body.node(node.lineno, "sent")
        if isinstance(node, ast.Lambda):
            body.emit(Op.COPY, body.result, lower(body, node.body))
        else:
            read_block(body, node.body)
        body.finish_names()
        self.close(body, first_node, rows, outward)

    def parameter(self, body: Body, kind: int, argument: ast.arg) -> tuple[str, int, int, int]:
        """The row of a parameter; an annotated one has a node that flows enter and one that is read."""
        name = argument.arg
        inward = outward = body.names[name]
        body.file.node_lines[outward] = argument.lineno
        tree = self.trees.get(name)
        if tree is not None and kind in (VARIADIC, KEYWORDS):
            tree = ("held", "tuple" if kind == VARIADIC else "dict", tree)
        if tree is not None:
            inward = body.node(argument.lineno, name)
            body.emit(Op.ANNOTATE, inward, outward, tree)
        if name in body.many:
            body.env[name] = outward
            body.versions[name].append(outward)
            whole = body.names[name] = body.node(argument.lineno, name)
            body.emit(Op.COPY, whole, outward)
        if body.first_param == FIRST_TO_COME:
            body.first_param = outward
        return (name, inward, kind, self.defaults.get(name, -1))

    def close(self, body: Body, first_node: int, rows: tuple[Row, ...], outward: int) -> None:
        """Writes the scope's row."""
        node, file, words = self.node, body.file, head(self.node)
        if body.is_closure:
            self.flags |= ScopeFlag.CLOSURE
        file.scopes[self.scope] = Scope(
            kind=body.kind,
            flags=int(self.flags),
            name=words.name,
            qualname=body.qualname,
            line=node.lineno,
            col=node.col_offset,
            end_line=node.end_lineno or node.lineno,
            parent=self.around.scope,
            first_node=first_node,
            end_node=len(file.node_lines),
            node=self.made,
            signature=words.signature,
            decorators=words.decorators,
            doc=words.doc,
            params=rows,
            result=outward,
            yields=body.yields,
            bases=(),
            names=body.names,
            bindings=all_bindings(body),
            declared={},
            assigned=(),
            metaclass="",
        )


FIRST_TO_COME = -2  # the first parameter of a method whose parameters are still to be read


def open_body(definition: Definition, params: list[str]) -> Body:
    """The state for reading a function's body."""
    around, node = definition.around, definition.node
    statements = [] if isinstance(node, ast.Lambda) else node.body
    bound = bound_names(statements, params)
    if around.file.text.has(node, b":="):
        inside = [node.body] if isinstance(node, ast.Lambda) else node.body
        bound.counts.update(name for name in walrus_names(inside) if name not in bound.outside | bound.enclosing)
    kind, name = (ScopeKind.LAMBDA, LAMBDA_NAME) if isinstance(node, ast.Lambda) else (ScopeKind.FUNCTION, node.name)
    body = Body(around.file, definition.scope, kind, inner_qualname(around, name), around, bound)
    body.prepare()
    body.env.update((name, seen) for name, seen in definition.seen.items() if name not in body.names and "." not in name)
    if around.kind == ScopeKind.CLASS:
        body.owner_class = around.scope
        body.first_param = NO_PARAM if definition.flags & ScopeFlag.STATIC else FIRST_TO_COME
    return body


NO_PARAM = -1
LAMBDA_NAME = "<lambda>"


def inner_qualname(around: Body, name: str) -> str:
    """Python's __qualname__ of a definition in a scope."""
    if around.kind == ScopeKind.MODULE or name in around.bound.outside:
        return name
    if around.kind == ScopeKind.CLASS:
        return f"{around.qualname}.{name}"
    return f"{around.qualname}.<locals>.{name}"


def yields_somewhere(node: FunctionNode | ast.Lambda) -> bool:
    """Whether the function itself yields, nested ones apart."""
    stack: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(inner))
    return False


@dataclass(frozen=True, slots=True)
class Head:
    """What is written at the head of a function."""

    name: str
    signature: str
    decorators: tuple[str, ...]
    doc: str


def head(node: FunctionNode | ast.Lambda) -> Head:
    """A function's head as text."""
    signature = f"({unparse(node.args)})"
    if isinstance(node, ast.Lambda):
        return Head(LAMBDA_NAME, signature, (), "")
    if node.returns is not None:
        signature = f"{signature} -> {unparse(node.returns)}"
    return Head(node.name, signature, tuple(unparse(part) for part in node.decorator_list), first_doc_line(node))


def first_doc_line(node: FunctionNode | ast.ClassDef | ast.Module) -> str:
    """The first line of a docstring."""
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str(text))), *_]:
            return text.strip().partition("\n")[0].strip().encode("utf-8", "replace").decode()  # a lone surrogate is no text
        case _:
            return ""


def lambda_(body: Body, node: ast.Lambda) -> int:
    body.holds_definition()
    scope = body.file.open_scope()
    made = body.node(node.lineno, LAMBDA_NAME)
    defaults = default_nodes(body, node.args)
    body.emit(Op.FUNCTION, made, scope)
    inner = Definition(body, node, scope, 0, made, defaults, {}, dict(body.env) if comprehension_open(body) else {})
    body.file.waiting.append(inner.read)
    return made


def class_(body: Body, node: ast.ClassDef) -> None:
    """A `class`: its body runs where it stands."""
    file = body.file
    decorators = [(part, lower(body, part)) for part in node.decorator_list]
    bases = tuple((record_path(body, part) or base_path(part), lower(body, part)) for part in node.bases)
    keywords = tuple((part.arg, lower(body, part.value)) for part in node.keywords)
    scope = file.open_scope()
    first_node = len(file.node_lines)
    made = body.node(node.lineno, node.name)
    fields = fields_of_bases(body, node.bases)
    inner = read_class_body(body, node, scope)
    body.emit(Op.CLASS, made, scope)
    signature = f"({', '.join(unparse(part) for part in [*node.bases, *node.keywords])})"
    site = body.site_at(node, SiteShape.CREATE, (node.name, node.lineno), f"class {node.name}{signature.removesuffix('()')}")
    body.emit(Op.CREATE, made, tuple(row for row in keywords if row[0] != "metaclass"), site)
    flags = decorator_flags(node.decorator_list)
    row = Scope(
        kind=ScopeKind.CLASS,
        flags=int(flags),
        name=node.name,
        qualname=inner.qualname,
        line=node.lineno,
        col=node.col_offset,
        end_line=node.end_lineno or node.lineno,
        parent=body.scope,
        first_node=first_node,
        end_node=len(file.node_lines),
        node=made,
        signature=signature,
        decorators=tuple(unparse(part) for part in node.decorator_list),
        doc=first_doc_line(node),
        params=(),
        result=-1,
        yields=-1,
        bases=bases,
        names={inner.private(name): found for name, found in inner.names.items()},
        bindings={inner.private(name): found for name, found in all_bindings(inner).items()},
        declared=fields | {inner.private(name): found for name, found in inner.declared.items()},
        assigned=(),
        metaclass=next((dotted(part.value) for part in node.keywords if part.arg == "metaclass"), ""),
        not_given=tuple(inner.not_given),
        init_only=tuple(inner.init_only),
    )
    file.scopes[scope] = row
    bind_definition(body, node.name, decorate(body, made, decorators), (scope, node))


def all_bindings(body: Body) -> dict[str, tuple[Row, ...]]:
    """What is bound to each name of a scope; a name that no statement gave a kind is bound to a value."""
    known = {name: tuple(found) for name, found in body.bindings.items()}
    return known | {name: ((Binding.VALUE,),) for name in body.bound.counts if name not in known}


def base_path(node: ast.expr) -> str:
    """The dotted text of a base class, of one that a call gives that of the function and `()`; "" for anything else."""
    named = base_name(node)
    function = dotted(named.func) if isinstance(named, ast.Call) else ""
    return f"{function}()" if function else dotted(named)


def base_name(node: ast.expr) -> ast.expr:
    """A base class without what it is subscripted with."""
    return base_name(node.value) if isinstance(node, ast.Subscript) else node


def read_class_body(body: Body, node: ast.ClassDef, scope: int) -> Body:
    """Lowers the statements of a class."""
    bound = bound_names(node.body)
    inner = Body(body.file, scope, ScopeKind.CLASS, inner_qualname(body, node.name), body, bound)
    inner.prepare()
    body.holds_definition()
    read_block(inner, node.body)
    inner.finish_names()
    for name in [name for name, version in inner.env.items() if version == NOTHING and name in inner.many]:
        inner.names.pop(name, None)  # deleted again
        inner.bindings[name] = []
    return inner


def module_bound(tree: ast.Module, file: FileLowering) -> Bound:
    """What a module binds: by its own statements, and through `global` in its functions."""
    bound = bound_names(tree.body)
    if file.has_walrus:
        bound.counts.update(walrus_names(tree.body))
    bound.counts.update(name for name in sorted(file.outside) if name not in bound.counts)
    return bound
