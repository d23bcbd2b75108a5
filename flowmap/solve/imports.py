"""Names of modules as nodes: what an import brings, what a star brings, what is builtin."""

from __future__ import annotations

from flowmap.link.names import BUILTIN_NAMES, is_exported, stars
from flowmap.link.program import Layout
from flowmap.model.facts import Binding, Op, Row
from flowmap.solve.connect import pass_result
from flowmap.solve.state import SEED, State
from flowmap.solve.values import Kind


class Imports:
    """Connects the names of modules."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.layout: Layout = state.layout
        self.asked: dict[tuple[int, str], int] = {}
        self.bound: dict[tuple[int, str], bool] = {}
        self.patched: set[int] = set()  # the nodes of names under which something is stored on a module from outside

    def bring(self, dst: int, origin: tuple[str, str], site: int) -> None:
        """`from module import name` into a node; with name "" the module itself."""
        module, name = origin
        if not name:
            self.bring_module(dst, module)
            return
        file = self.layout.modules.get(module)
        if name == "__path__" and (file is None or not self.defines(file, name)):
            self.ask_for_path(file, (dst, site))
        elif file is not None and self.defines(file, name) and not self.is_own_submodule(file, name):
            self.state.flow(self.name_node(file, name), dst)
        elif f"{module}.{name}" in self.layout.packages:
            self.bring_module(dst, f"{module}.{name}")
        elif file is not None:
            self.ask(file, name, (dst, site))
        elif module not in self.layout.packages:
            self.state.add(dst, self.state.values.of(Kind.OUTSIDE, f"{module}.{name}"), SEED)

    def bring_module(self, dst: int, module: str) -> None:
        """A module or package by its dotted name."""
        file = self.layout.modules.get(module)
        if file is not None:
            value = self.state.values.of(Kind.MODULE, file)
        elif module in self.layout.packages:
            value = self.state.values.of(Kind.PACKAGE, module)
        else:
            value = self.state.values.of(Kind.OUTSIDE, module)
        self.state.add(dst, value, SEED)

    def defines(self, file: int, name: str) -> bool:
        """Whether a module binds a name itself."""
        return name in self.layout.scopes[self.layout.scope_base[file]].bindings

    def is_own_submodule(self, file: int, name: str) -> bool:
        """Whether a package binds a name by `from . import name` alone: then it is the module below."""
        module = self.layout.files[file].module
        bindings = self.layout.scopes[self.layout.scope_base[file]].bindings[name]
        return all(row == (Binding.IMPORT, module, name) for row in bindings)

    def name_node(self, file: int, name: str) -> int:
        """The node of a module's name, whoever asks; a name that the module does not bind may come by a star."""
        key = (file, name)
        found = self.asked.get(key)
        if found is None:
            local = self.layout.scopes[self.layout.scope_base[file]].names.get(name)
            base = self.layout.node_base[file]
            found = self.asked[key] = self.state.new_node(base, name) if local is None else local + base
            if not self.defines(file, name):
                self.bring_by_star(file, name, found)
        return found

    def bring_by_star(self, file: int, name: str, node: int) -> None:
        """Lets `from module import *` bring a name: the last one that has it, and those before it that it may not hide."""
        for inner, always in stars(self.layout, self.layout.scope_base[file]):
            if is_exported(self.layout, inner, name):
                self.state.flow(self.name_node(inner, name), node)
                if self.imports_submodule(inner, name):
                    self.bring_module(node, f"{self.layout.files[inner].module}.{name}")
                if always and self.has(inner, name) and not self.takes(inner, name, file):
                    return

    def takes(self, file: int, name: str, giver: int) -> bool:
        """Whether a module has a name from another one alone, where that name must come from elsewhere: modules may import each
        other."""
        origin = (Binding.IMPORT, self.layout.files[giver].module, name)
        bindings = self.layout.scopes[self.layout.scope_base[file]].bindings.get(name, ())
        return bool(bindings) and all(row == origin for row in bindings)

    def imports_submodule(self, file: int, name: str) -> bool:
        """Whether a package that does not bind a name imports the module of that name below it, which binds it."""
        facts = self.layout.files[file]
        inner = f"{facts.module}.{name}"
        if inner not in self.layout.modules or self.defines(file, name):
            return False
        return any(module == inner or module.startswith(f"{inner}.") for _, _, module, *_ in facts.imports)

    def has(self, file: int, name: str) -> bool:
        """Whether a module surely has a name: bound there, or brought by a star."""
        key = (file, name)
        if key not in self.bound:
            self.bound[key] = self.defines(file, name)  # while it is being asked, too: modules may take each other's names
            self.bound[key] = self.bound[key] or any(
                is_exported(self.layout, inner, name) and self.has(inner, name)
                for inner, _ in stars(self.layout, self.layout.scope_base[file])
            )
        return self.bound[key]

    def ask(self, file: int, name: str, into: tuple[int, int]) -> None:
        """A name that a module need not bind, asked for from outside: what it is goes to a node; a `__getattr__` of the module,
        which runs where nothing else has the name, to a site. `into` is (node, site)."""
        maker = -1 if self.has(file, name) or name.startswith("__") else self.maker(file)
        if maker < 0:
            self.state.flow(self.name_node(file, name), into[0])
        else:
            self.run_maker(file, maker, name, into)

    def ask_for_path(self, file: int | None, into: tuple[int, int]) -> None:
        """`from module import name` asks for the path of a package; a module that is none runs its `__getattr__`."""
        maker = -1 if file is None or self.layout.files[file].is_package else self.maker(file)
        if file is not None and maker >= 0:
            self.run_maker(file, maker, "__path__", into)

    def run_maker(self, file: int, maker: int, name: str, into: tuple[int, int]) -> None:
        """Runs the `__getattr__` of a module for a name. `into` is (node, site)."""
        state = self.state
        dst, site = into
        module = state.side_node(self.name_node(file, "__getattr__"), "module")
        value = state.values.of(Kind.MODULE, file)
        state.add(module, value, SEED)
        state.target(site, maker, (module, value))
        activation = state.activations.own(maker, 0, name)
        signature = state.activations.signature(maker, activation)
        for parameter in signature.positional[:1]:
            state.add(parameter, state.values.of(Kind.STRING, name), SEED)
        pass_result(state, maker, signature, dst)

    def maker(self, file: int) -> int:
        """The one function that a module defines as its `__getattr__`, -1 where there is none."""
        base = self.layout.scope_base[file]
        match self.layout.scopes[base].bindings.get("__getattr__", ()):
            case ((Binding.DEFINITION, scope),):
                return int(scope) + base
            case _:
                return -1

    def star_line(self, file: int, name: str) -> int:
        """The line of the `from module import *` by which a module may have a name; 0 where none brings it."""
        if not self.stars(file):
            return 0
        rows = [row for row in self.layout.rows(self.layout.scope_base[file]) if row[0] == Op.STAR]
        return next((row[2] for row in rows if self.gives(row[1], name, {file})), 0)

    def gives(self, module: str, name: str, seen: set[int]) -> bool:
        """Whether a star brings a name out of a module, which may have it by a star itself; `seen` ends a circle."""
        file = self.layout.modules.get(module)
        if file is None or file in seen:
            return False
        seen.add(file)
        return self.defines(file, name) or any(self.gives(inner, name, seen) for _, inner, _ in self.stars(file))

    def stars(self, file: int) -> tuple[Row, ...]:
        """The rows of a module's `from module import *`."""
        return self.layout.scopes[self.layout.scope_base[file]].bindings.get("*", ())

    def connect_unbound(self, file: int) -> None:
        """Gives the names that a module reads and does not bind: by a star, else builtin."""
        scope = self.layout.scopes[self.layout.scope_base[file]]
        for name in scope.names:
            if name in scope.bindings:
                continue
            node = self.name_node(file, name)
            special = self.special(file, name) if name.startswith("__") else None
            if special is not None:
                self.state.add(node, special, SEED)
            elif name in BUILTIN_NAMES:
                self.state.add(node, self.state.values.of(Kind.OUTSIDE, f"builtins.{name}"), SEED)

    def special(self, file: int, name: str) -> int | None:
        """The value of a name that every module has. The path of a package stands for the package."""
        facts = self.layout.files[file]
        values = self.state.values
        match name:
            case "__name__":
                return values.of(Kind.STRING, facts.module)
            case "__package__":
                return values.of(Kind.STRING, facts.module if facts.is_package else facts.module.rpartition(".")[0])
            case "__path__" if facts.is_package:
                return values.of(Kind.MODULE, file)
            case "__dict__":
                return self.members(file)
            case _:
                return None

    def names(self, file: int) -> list[str]:
        """The names that a module binds."""
        return [name for name in self.layout.scopes[self.layout.scope_base[file]].bindings if name != "*"]

    def members(self, file: int) -> int:
        """The names of a module as a dict."""
        slots = self.state.slots
        container = slots.made("dict", self.layout.node_base[file])
        if container not in slots.nodes:
            for name in self.names(file):
                self.state.flow(self.name_node(file, name), slots.node(container, name))
        return container
