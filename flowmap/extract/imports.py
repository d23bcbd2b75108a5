"""Imports: what a name is bound to, in absolute terms."""

from __future__ import annotations

import ast
import sys

from flowmap.extract.body import Body
from flowmap.model.facts import Binding, Op, ScopeKind, SiteShape


def import_(body: Body, node: ast.Import) -> None:
    """`import a.b`, `import a.b as c`."""
    for alias in node.names:
        name = alias.asname or alias.name.split(".")[0]
        module = alias.name if alias.asname else name
        body.file.imports.append((node.lineno, node.col_offset, alias.name, "", alias.asname or ""))
        bind_import(body, alias, name, (module, ""))


def import_from(body: Body, node: ast.ImportFrom) -> None:
    """`from a import b`, `from . import b`, `from a import *`."""
    module = absolute(body, node)
    for alias in node.names:
        body.file.imports.append((node.lineno, node.col_offset, module, alias.name, alias.asname or ""))
        if alias.name == "*":
            body.emit(Op.STAR, module, node.lineno)
            body.note("*", Binding.STAR, module, body.kind == ScopeKind.MODULE and not body.guards)
        else:
            bind_import(body, alias, alias.asname or alias.name, (module, alias.name))
    if may_ask(module):
        ask_for_path(body, node, module)


def may_ask(module: str) -> bool:
    """Whether a module may be one that the program defines."""
    return module.partition(".")[0] not in sys.stdlib_module_names


def ask_for_path(body: Body, node: ast.ImportFrom, module: str) -> None:
    """The import itself asks the module for `__path__`, to know whether it is a package: on the line of the statement."""
    site = body.site_at(node, SiteShape.READ, ("__path__", node.lineno), "__path__")
    body.emit(Op.IMPORT, body.node(node.lineno), module, "__path__", node.lineno, site)


def bind_import(body: Body, alias: ast.alias, name: str, origin: tuple[str, str]) -> None:
    """Binds one imported name. Asking a module for a name may run its `__getattr__`, so that is a site."""
    module, inner = origin
    dst = body.node(alias.lineno, name)
    site = -1
    if inner and may_ask(module):
        site = body.site_at(alias, SiteShape.READ, (inner, alias.lineno), inner)
    body.emit(Op.IMPORT, dst, module, inner, alias.lineno, site)
    body.bind(name, dst, alias.lineno)
    body.note(name, Binding.IMPORT, module, inner)


def absolute(body: Body, node: ast.ImportFrom) -> str:
    """The module that a relative import names."""
    if not node.level:
        return node.module or ""
    parts = body.file.module.split(".")
    up = node.level - 1 if body.file.is_package else node.level
    start = ".".join(parts[: len(parts) - up]) if up <= len(parts) else ""
    return ".".join(part for part in (start, node.module or "") if part)
