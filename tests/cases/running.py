"""What really happens when a case's program runs."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.cases.reading import Case

_RECORDER = Path(__file__).with_name("recorder.py")
_RUN = [sys.executable, "-I", "-S", "-X", "utf8", "-W", "ignore", str(_RECORDER)]


@dataclass(frozen=True, slots=True)
class Run:
    """Calls as (file, line, symbol of the callee), and for each class that a `class` statement makes its class order. `firsts`:
    the symbols that a caller called when it first ran, in the order of their first calls."""

    calls: frozenset[tuple[str, int, str]]
    orders: tuple[tuple[str, tuple[str, ...]], ...]
    firsts: tuple[tuple[str, tuple[str, ...]], ...]

    def at(self, file: str, line: int) -> frozenset[str]:
        """The symbols called from one line."""
        return frozenset(callee for called_from, number, callee in self.calls if (called_from, number) == (file, line))


@cache
def run(case: Case) -> Run:
    """Run the case's `app.py` in a Python of its own. Errors: AssertionError with what it said when it fails."""
    with tempfile.TemporaryDirectory() as name:
        case.write_to(Path(name))
        done = subprocess.run([*_RUN, name], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"{case}: the program fails\n{done.stderr}"
    record = json.loads(done.stdout.splitlines()[-1])
    written = set(class_symbols(case))
    defined = {symbol for symbol, node in _definitions(case) if isinstance(node, ast.ClassDef)}
    orders = {  # a named tuple that a class inherits from has that class's name
        name: tuple(dict.fromkeys(one for one in order if one in defined))
        for name, order in record["orders"].items()
        if name in written
    }
    calls = frozenset((file, line, callee) for file, line, callee in record["calls"])
    firsts = tuple((caller, tuple(callees)) for caller, callees in sorted(record["firsts"].items()))
    return Run(calls, tuple(sorted(orders.items())), firsts)


def class_symbols(case: Case) -> Iterator[str]:
    """The symbols of the classes that the case's text defines once."""
    names = [symbol for symbol, node in _definitions(case) if isinstance(node, ast.ClassDef)]
    return (name for name in names if names.count(name) == 1)


def function_symbols(case: Case) -> set[str]:
    """The symbols of the functions that run where they are called: no generators, no coroutines."""
    return {symbol for symbol, node in _definitions(case) if isinstance(node, ast.FunctionDef | ast.Lambda) and not _yields(node)}


def _definitions(case: Case) -> Iterator[tuple[str, ast.AST]]:
    for file, text in case.files:
        module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        yield from _below(ast.parse(text), module)


def _below(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.ClassDef(name=name):
                yield f"{owner}.{name}", child
                yield from _below(child, f"{owner}.{name}")
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield f"{owner}.{name}", child
                yield from _below(child, f"{owner}.{name}.<locals>")
            case ast.Lambda():
                yield f"{owner}.<lambda>", child
                yield from _below(child, f"{owner}.<lambda>.<locals>")
            case _:
                yield from _below(child, owner)


def straight_callers(case: Case) -> set[str]:
    """The symbols of what calls in the order of its text each time it runs: no loop in it has a part that may be left out."""
    modules = {file.removesuffix(".py").removesuffix("/__init__").replace("/", "."): ast.parse(text) for file, text in case.files}
    callers = [*modules.items(), *_definitions(case)]
    return {symbol for symbol, node in callers if not any(_chooses(loop) for loop in _own(node) if isinstance(loop, _LOOPS))}


_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_CHOICES = (ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.Match, ast.Continue)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _chooses(loop: ast.AST) -> bool:
    return any(isinstance(node, _CHOICES) for node in _own(loop))


def _own(definition: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, those of definitions inside it left out."""
    for child in ast.iter_child_nodes(definition):
        yield child
        if not isinstance(child, _DEFINITIONS):
            yield from _own(child)


def _yields(function: ast.AST) -> bool:
    own = [
        node
        for node in ast.iter_child_nodes(function)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    ]
    return any(isinstance(node, ast.Yield | ast.YieldFrom) or _yields(node) for node in own)
