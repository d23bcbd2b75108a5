"""What a dotted name means, by text alone: definitions, modules, or something outside the indexed code."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from flowmap.link.program import Layout
from flowmap.model.facts import Binding, Row, ScopeKind


class Meaning(Enum):
    """What a name can mean."""

    SCOPE = "scope"  # a class or function, by program number
    MODULE = "module"  # an indexed file
    OUTSIDE = "outside"  # a dotted name that no indexed file defines


@dataclass(frozen=True, slots=True)
class Resolved:
    """One meaning of a name."""

    meaning: Meaning
    number: int = -1
    dotted: str = ""


BUILTIN_NAMES = frozenset(dir(builtins))


class NameTable:
    """Resolves names through imports, re-exports and aliases, without following values."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.known: dict[tuple[int, str], tuple[Resolved, ...]] = {}

    def dotted(self, scope: int, path: str) -> tuple[Resolved, ...]:
        """All meanings of a dotted path as seen from a scope; conditional definitions give several."""
        first, *rest = path.split(".")
        found = self.name(scope, first)
        for part in rest:
            found = tuple(dict.fromkeys(inner for one in found for inner in self.member(one, part)))
        return found

    def name(self, scope: int, name: str) -> tuple[Resolved, ...]:
        """A single name, looked up as Python does: own scope, enclosing functions, module, builtins."""
        at, own = scope, True
        while at >= 0:
            row = self.layout.scopes[at]
            if name in row.bindings and (own or row.kind != ScopeKind.CLASS):
                return self.bound(at, name)
            at, own = self.layout.parent(at), False
        module = self.layout.scope_base[self.layout.scope_file[scope]]
        starred = self.starred(module, name)
        if starred:
            return starred
        return (Resolved(Meaning.OUTSIDE, dotted=f"builtins.{name}"),) if name in BUILTIN_NAMES else ()

    def around(self, scope: int, name: str) -> tuple[Resolved, ...]:
        """A single name that a scope is about to bind for the first time: a class body looks around itself for it, a module
        among the builtins, a function nowhere."""
        row = self.layout.scopes[scope]
        if row.kind == ScopeKind.CLASS:
            outer = self.layout.parent(scope)
            while self.layout.scopes[outer].kind == ScopeKind.CLASS:
                outer = self.layout.parent(outer)
            return self.name(outer, name) or self.bound(scope, name)
        if row.kind == ScopeKind.MODULE and name in BUILTIN_NAMES:
            return (Resolved(Meaning.OUTSIDE, dotted=f"builtins.{name}"),)
        return self.bound(scope, name)

    def bound(self, scope: int, name: str) -> tuple[Resolved, ...]:
        """What a scope's own bindings of a name mean; a cycle of imports means nothing."""
        key = (scope, name)
        if key not in self.known:
            self.known[key] = ()  # while it is being asked
            rows = self.layout.scopes[scope].bindings[name]
            self.known[key] = tuple(dict.fromkeys(one for row in rows for one in self.binding(scope, name, row)))
        return self.known[key]

    def binding(self, scope: int, name: str, row: Row) -> tuple[Resolved, ...]:
        """What one binding means."""
        match row:
            case (Binding.DEFINITION, number):
                return (Resolved(Meaning.SCOPE, number + self.layout.scope_base[self.layout.scope_file[scope]]),)
            case (Binding.IMPORT, module, inner):
                return self.imported(module, inner)
            case (Binding.ALIAS, path) if path != name:
                return self.dotted(scope, path)
            case _:
                return ()

    def imported(self, module: str, name: str) -> tuple[Resolved, ...]:
        """`from module import name`; with name "" the module itself."""
        file = self.layout.modules.get(module)
        if not name:
            if file is not None:
                return (Resolved(Meaning.MODULE, file),)
            return () if module in self.layout.packages else (Resolved(Meaning.OUTSIDE, dotted=module),)
        if file is not None:
            found = self.member(Resolved(Meaning.MODULE, file), name)
            if found:
                return found
        inner = self.layout.modules.get(f"{module}.{name}")
        if inner is not None:
            return (Resolved(Meaning.MODULE, inner),)
        known = file is not None or module in self.layout.packages
        return () if known else (Resolved(Meaning.OUTSIDE, dotted=f"{module}.{name}"),)

    def member(self, of: Resolved, name: str) -> tuple[Resolved, ...]:
        """`of.name`"""
        match of.meaning:
            case Meaning.MODULE:
                return self.module_member(of.number, name)
            case Meaning.SCOPE:
                inside = self.layout.scopes[of.number]
                is_class = inside.kind == ScopeKind.CLASS and name in inside.bindings
                return self.bound(of.number, name) if is_class else ()
            case Meaning.OUTSIDE:
                return (Resolved(Meaning.OUTSIDE, dotted=f"{of.dotted}.{name}"),)

    def module_member(self, file: int, name: str) -> tuple[Resolved, ...]:
        """A name of a module: bound there, through a star, or a submodule."""
        scope = self.layout.scope_base[file]
        if name in self.layout.scopes[scope].bindings:
            return self.bound(scope, name)
        starred = self.starred(scope, name)
        inner = self.layout.modules.get(f"{self.layout.files[file].module}.{name}")
        return starred or (() if inner is None else (Resolved(Meaning.MODULE, inner),))

    def starred(self, scope: int, name: str) -> tuple[Resolved, ...]:
        """A name that `from module import *` may bring."""
        key = (scope, f"*{name}")
        if key in self.known:
            return self.known[key]
        self.known[key] = ()
        found: list[Resolved] = []
        for file, always in stars(self.layout, scope):
            if is_exported(self.layout, file, name) and (brought := self.module_member(file, name)):
                found = [*brought, *found]
                if always:
                    break
        self.known[key] = tuple(dict.fromkeys(found))
        return self.known[key]


def stars(layout: Layout, scope: int) -> Iterator[tuple[int, bool]]:
    """The indexed modules of which a module takes all names, the last first, and whether it always does, which hides others."""
    for _, module, always in reversed(layout.scopes[scope].bindings.get("*", ())):
        file = layout.modules.get(module)
        if file is not None and layout.scope_base[file] != scope:
            yield file, always


def is_exported(layout: Layout, file: int, name: str) -> bool:
    """Whether `from module import *` brings a name: those of `__all__` where it is written out, else public ones."""
    rows = [row for row in layout.scopes[layout.scope_base[file]].bindings.get("__all__", ()) if row[0] == Binding.EXPORTS]
    if any(name in names for _, names, _ in rows):
        return True
    is_open = not rows or not all(complete for _, _, complete in rows)
    return is_open and not name.startswith("_")
