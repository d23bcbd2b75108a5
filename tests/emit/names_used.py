"""Which attributes the code of an emitted package reads of the objects of SGLang, and nothing binds."""

from __future__ import annotations

import ast
from collections import deque
from pathlib import Path

NOT_ITS_NAMES = frozenset(  # of tensors, events and streams; of `ExitStack`, loggers, parsers of arguments; what the hook adds
    [
        "contiguous",
        "device",
        "fill_",
        "flatten",
        "item",
        "new_zeros",
        "record",
        "record_stream",
        "repeat",
        "shape",
        "sum",
        "to",
        "tolist",
        "unsqueeze",
        "callback",
        "pop_all",
        "info",
        "warning",
        "error",
        "parse_args",
        "print_help",
        "off_step",
    ]
)
READS_NO_OBJECTS = ("binding.py", "compatibility.py")  # of the code base: they read its text


def names_used(folder: Path) -> dict[str, str]:
    """The attributes in modules about SGLang that are neither bound, nor the package's, nor of what comes with Python or torch,
    each with the first place where it is used."""
    package = folder / "adaptive_disable"
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(package.rglob("*.py"))}
    known = {name for path, tree in trees.items() for name in (bound_in(tree) if path.name == "binding.py" else own_in(tree))}
    known |= {
        name for kind in (str, int, list, dict, set, tuple, deque, Path, BaseException) for name in dir(kind)
    } | NOT_ITS_NAMES
    about = {path: tree for path, tree in trees.items() if "sglang" in path.read_text(encoding="utf-8")}
    used = [(one, path) for path, tree in about.items() if path.name not in READS_NO_OBJECTS for one in attributes_in(tree)]
    return {
        name: f"{path.relative_to(package)}:{line}" for (name, line), path in reversed(used) if name not in known | NOT_ITS_NAMES
    }


def bound_in(tree: ast.Module) -> set[str]:
    """The names that a binding has: every part of a path, and what is called there."""
    said = [one for one in ast.walk(tree) if isinstance(one, ast.keyword) and one.arg in ("path", "called")]
    return {part for one in said if isinstance(one.value, ast.Constant) for part in str(one.value.value).split(".")}


def own_in(tree: ast.Module) -> set[str]:
    """What a module defines, declares, or sets on `self`."""
    found = {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    found |= {one.target.id for one in ast.walk(tree) if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
    constants = [each for one in ast.walk(tree) if isinstance(one, ast.Assign) for each in one.targets]
    found |= {one.id for one in constants if isinstance(one, ast.Name) and one.id.isupper()}
    stored = [one for one in ast.walk(tree) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)]
    return found | {one.attr for one in stored if isinstance(one.value, ast.Name) and one.value.id == "self"}


def attributes_in(tree: ast.Module) -> list[tuple[str, int]]:
    """The attributes that a module reads or sets, with their lines; none of modules that it imports."""
    modules = {
        one.asname or one.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names
    }
    found = [(one.attr, one.lineno) for one in ast.walk(tree) if isinstance(one, ast.Attribute) and root_of(one) not in modules]
    for one in ast.walk(tree):
        match one:
            case ast.Call(func=ast.Name(id="getattr" | "hasattr" | "setattr"), args=[_, ast.Constant(value=str(name)), *_]):
                found.append((name, one.lineno))
    return [(name, line) for name, line in found if not name.startswith("__")]


def root_of(node: ast.expr) -> str:
    """The name that an expression begins with; "" where it begins with none."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else ""
