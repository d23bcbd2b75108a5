"""What no linter knows: who may do what, how long a function may be, and what the product never says."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import grimp
import pytest

from flowmap.gather import MAKES_FACTS
from flowmap.warm import MAKES_INDEX

ROOT = Path(__file__).parents[1]
PRODUCT = ROOT / "flowmap"
P95_LINES, MAX_LINES = 25, 60
OPENERS = {"open", "read_text", "read_bytes", "open_code", "getline", "getlines"}
OPENS_ITS_OWN = {
    "store": "its schema and the index",
    "subject": "what it says of code bases",
    "cli": "what the user passes in",
    "runtime": "records",
    "render": "the script and the style of its pages",
    "query": "the questions",
    "atlas": "the sources of its sites",
    "hooks": "the weights of its criteria",
    "emit": "templates, and what it wrote",
    "drift": "the schema of its ledger",
}
TOO_WIDE = {"", "Exception", "BaseException"}
SKIPS = {"skip", "skipif", "xfail", "importorskip"}
PATH_AND_LINE = re.compile(r"\w\.pyi?:\d")
MAY_NAME_THE_SUBJECT = ("flowmap/subject/", "flowmap/emit/templates/")
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Module:
    """A Python file and its tree. `room` is the package below flowmap that it belongs to, "" for a file right in flowmap."""

    path: Path
    tree: ast.Module

    @property
    def room(self) -> str:
        """The first folder below flowmap."""
        return self.path.relative_to(PRODUCT).parts[0] if self.path.parent != PRODUCT else ""

    def at(self, node: ast.stmt | ast.expr | ast.excepthandler | ast.arg) -> str:
        """Where a node stands, for messages."""
        return f"{self.path.relative_to(ROOT).as_posix()}:{node.lineno}"


@cache
def modules(folder: Path = PRODUCT) -> tuple[Module, ...]:
    """All Python files below a folder, parsed."""
    return tuple(Module(path, ast.parse(path.read_bytes())) for path in sorted(folder.rglob("*.py")))


def nodes(module: Module, kind: type[Node]) -> Iterator[Node]:
    """Every node of a kind in a module."""
    return (node for node in ast.walk(module.tree) if isinstance(node, kind))


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a module, methods and nested ones too."""
    yield from nodes(module, ast.FunctionDef)
    yield from nodes(module, ast.AsyncFunctionDef)


def imported(module: Module) -> Iterator[tuple[str, ast.stmt]]:
    """The names of the modules that a module imports."""
    for plain in nodes(module, ast.Import):
        yield from ((alias.name, plain) for alias in plain.names)
    yield from ((node.module or "", node) for node in nodes(module, ast.ImportFrom))


def name_of(node: ast.expr | None) -> str:
    """The last name of an expression: `open` of `path.open(...)`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=function):
            return name_of(function)
        case _:
            return ""


def findings(check: Callable[[Module], Iterator[str]], folder: Path = PRODUCT) -> list[str]:
    """What a check finds in all modules."""
    return [finding for module in modules(folder) for finding in check(module)]


def test_only_extract_imports_ast() -> None:
    """No tree of Python's parser gets past the extraction."""

    def check(module: Module) -> Iterator[str]:
        return (module.at(node) for name, node in imported(module) if name == "ast" and module.room != "extract")

    assert not findings(check)


def test_only_source_opens_files_of_the_subject() -> None:
    """Files are opened under source/; the few other rooms that open one open their own."""

    def check(module: Module) -> Iterator[str]:
        if module.room != "source" and module.room not in OPENS_ITS_OWN:
            asked = readers_of_source(module)
            opening = (call for call in nodes(module, ast.Call) if name_of(call) in OPENERS and not is_one_of(call, asked))
            yield from (f"{module.at(call)} {name_of(call)}" for call in opening)

    assert not findings(check)


def readers_of_source(module: Module) -> set[str]:
    """The functions of source/ that a module imports: calling them is asking source/ for a text."""
    taken = (node for node in nodes(module, ast.ImportFrom) if node.module == "flowmap.source.read")
    return {alias.asname or alias.name for node in taken for alias in node.names}


def is_one_of(call: ast.Call, names: set[str]) -> bool:
    """Whether a function is called by one of these bare names; `path.read_bytes()` is not `read_bytes(file)`."""
    return isinstance(call.func, ast.Name) and call.func.id in names


def test_what_makes_facts_and_indexes_is_part_of_their_names() -> None:
    """A change to any module that facts or indexes are made with makes them anew; no other change does."""
    assert rooms_behind("flowmap.extract.extract") == set(MAKES_FACTS)
    assert rooms_behind("flowmap.pipeline", "flowmap.configured", "flowmap.warm") == {
        name.removesuffix(".py") for name in MAKES_INDEX
    }


def rooms_behind(*modules_of_the_product: str) -> set[str]:
    """The first folders below flowmap of all that some modules import, directly or not, and their own."""
    graph = grimp.build_graph("flowmap")
    behind = {name for module in modules_of_the_product for name in (module, *graph.find_upstream_modules(module))}
    return {name.split(".")[1] for name in behind if "." in name}


def test_a_text_is_asked_for_by_name_alone() -> None:
    """What is told apart: the function of source/, a method of a path, a function of the same name from elsewhere."""
    asked = "from flowmap.source.read import read_bytes\nread_bytes(file)\npath.read_bytes()\nopen(path)\n"
    module = Module(PRODUCT / "pipeline.py", ast.parse(asked))
    assert [is_one_of(call, readers_of_source(module)) for call in nodes(module, ast.Call)] == [True, False, False]
    elsewhere = Module(PRODUCT / "pipeline.py", ast.parse("from elsewhere import read_bytes\n"))
    assert readers_of_source(elsewhere) == set()


def product_files() -> Iterator[Path]:
    """Every text file of the product; what tools leave beside them is none."""
    for folder in (PRODUCT, ROOT / "queries"):
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and not left_by_a_tool(path))


def left_by_a_tool(path: Path) -> bool:
    """Whether a file is a cache: of Python, the type checker, the tests."""
    return any(part.startswith((".", "__pycache__")) for part in path.relative_to(ROOT).parts)


def test_the_product_knows_no_code_base_by_name() -> None:
    """What is special about a code base is data under subject/ and in queries/; the code serves all alike."""
    named = [
        path.relative_to(ROOT).as_posix() for path in product_files() if "sglang" in path.read_text(encoding="utf-8").lower()
    ]
    assert not [name for name in named if not name.startswith((*MAY_NAME_THE_SUBJECT, "queries/"))]


def test_the_product_holds_no_fact_about_a_line() -> None:
    """A line number of a code base is an answer and never part of the product."""
    assert not [path for path in product_files() if PATH_AND_LINE.search(path.read_text(encoding="utf-8"))]


def lengths() -> list[tuple[int, str]]:
    """The number of lines of every function, shortest first."""
    return sorted(
        ((node.end_lineno or node.lineno) - node.lineno + 1, f"{module.at(node)} {node.name}")
        for module in modules()
        for node in functions(module)
    )


def test_no_function_is_long() -> None:
    """Beyond a screen nobody sees whether a function does one thing."""
    assert not [row for row in lengths() if row[0] > MAX_LINES]


def test_most_functions_are_short() -> None:
    """19 of 20 functions fit in half a screen."""
    rows = lengths()
    at_p95 = rows[int(0.95 * len(rows))]
    assert at_p95[0] <= P95_LINES, [row for row in rows if row[0] > P95_LINES]


def test_no_handler_catches_everything() -> None:
    """An error that nobody foresaw must be seen."""

    def caught(handler: ast.ExceptHandler) -> set[str]:
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return {name_of(one) for one in types}

    def check(module: Module) -> Iterator[str]:
        return (module.at(handler) for handler in nodes(module, ast.ExceptHandler) if caught(handler) & TOO_WIDE)

    assert not findings(check)


def test_imports_stand_at_the_top() -> None:
    """A lazy import hides a cycle, or keeps a command quick to start: the second is allowed, in cli."""

    def check(module: Module) -> Iterator[str]:
        if module.room != "cli":
            inner = (node for function in functions(module) for node in ast.walk(function))
            yield from (module.at(node) for node in inner if isinstance(node, ast.Import | ast.ImportFrom))

    assert not findings(check)


def is_boolean(argument: ast.arg) -> bool:
    """Whether a parameter says that it is a flag."""
    return argument.annotation is not None and ast.unparse(argument.annotation) in {"bool", "bool | None"}


def is_command(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether click fills the parameters: an option without a value is a flag by nature."""
    return any(name_of(decorator) in {"command", "option", "group"} for decorator in function.decorator_list)


def test_no_parameter_is_a_flag() -> None:
    """`f(x, True)` tells a reader nothing; two functions or an enum do."""

    def check(module: Module) -> Iterator[str]:
        for function in functions(module):
            arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
            flags = [argument for argument in arguments if is_boolean(argument)]
            yield from (f"{module.at(flag)} {function.name}({flag.arg})" for flag in flags if not is_command(function))

    assert not findings(check)


@pytest.mark.parametrize("folder", ["flowmap", "tests"])
def test_names_say_what_a_thing_is(folder: str) -> None:
    """No file is called after nothing: a newcomer finds the room for a change by its name."""
    empty = {"utils", "util", "helpers", "helper", "misc", "common", "manager", "base"}
    assert not [path for path in (ROOT / folder).rglob("*.py") if path.stem in empty]


def test_no_test_is_skipped() -> None:
    """What is wrong is written down as known wrong and asserted; nothing is passed over."""

    def check(module: Module) -> Iterator[str]:
        found = (node for node in nodes(module, ast.Attribute) if node.attr in SKIPS)
        return (f"{module.path.name}:{node.lineno}" for node in found if name_of(node.value) in {"pytest", "mark"})

    assert not findings(check, ROOT / "tests")
