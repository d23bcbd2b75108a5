"""Entry points: what something outside the indexed code can call."""

from __future__ import annotations

from collections.abc import Iterator

from flowmap.model.facts import Op, ScopeKind
from flowmap.solve.borders import crossings
from flowmap.solve.definitions import definitions_at
from flowmap.solve.state import State
from flowmap.store.write import Row

METHODS_OF_HTTP = ("get", "post", "put", "delete", "patch", "head", "options")
ROUTES = frozenset((*METHODS_OF_HTTP, "route", "api_route", "websocket", "on_event", "exception_handler", "middleware"))
COMMANDS = frozenset(("command", "group", "callback", "fixture", "listener", "task", "handler", "subscriber"))


def entry_rows(state: State, commands: tuple[tuple[str, str], ...]) -> list[Row]:
    """The rows of `entry`: (symbol, why)."""
    rows = {*console_scripts(state, commands), *main_guards(state), *run_elsewhere(state), *registered(state)}
    return [*sorted(rows)]


def console_scripts(state: State, commands: tuple[tuple[str, str], ...]) -> Iterator[tuple[int, str]]:
    """The functions that installed commands run."""
    symbols = {state.layout.symbol(number): number for number in range(len(state.layout.scopes))} if commands else {}
    for name, target in commands:
        symbol = symbols.get(target.partition("[")[0].strip().replace(":", "."))
        if symbol is not None:
            yield symbol, f"console script {name}"


def main_guards(state: State) -> Iterator[tuple[int, str]]:
    """Modules that do something when they are run."""
    for file, facts in enumerate(state.layout.files):
        if facts.main_guard:
            yield state.layout.scope_base[file], 'if __name__ == "__main__"'
        elif facts.module.rpartition(".")[2] == "__main__" and facts.scopes:
            yield state.layout.scope_base[file], f"python -m {facts.module.rpartition('.')[0]}"


def run_elsewhere(state: State) -> Iterator[tuple[int, str]]:
    """Functions that a process, a thread or the like is given to run."""
    for each in crossings(state):
        if each.border.entry:
            yield from ((what, each.border.entry) for what, _ in each.outcome.targets if isinstance(what, int))


def registered(state: State) -> Iterator[tuple[int, str]]:
    """Functions that a decorator from outside takes for a route or a command."""
    for file, facts in enumerate(state.layout.files):
        base, sites = state.layout.node_base[file], state.layout.site_base[file]
        for rows in facts.ops:
            for row in rows:
                if row[0] != Op.DECORATE:
                    continue
                name = state.layout.sites(file)[row[4]][7]
                if name in ROUTES | COMMANDS and not has_inside(state, row[4] + sites):
                    why = "web route" if name in ROUTES else "handler registered with a library"
                    yield from ((scope, why) for scope in functions_at(state, row[3] + base))


def has_inside(state: State, site: int) -> bool:
    """Whether a site runs something of the indexed code."""
    return any(isinstance(what, int) for what in state.targets.get(site, ()))


def functions_at(state: State, node: int) -> list[int]:
    """The functions at a node."""
    return [number for number in definitions_at(state, node) if state.layout.scopes[number].kind == ScopeKind.FUNCTION]
