"""The fields that `namedtuple("P", "x y")` and `NamedTuple("P", [("x", A)])` give to a class below what they make."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flowmap.extract.annotations import ANY, annotation, last_name
from flowmap.extract.body import Body
from flowmap.extract.text import dotted
from flowmap.model.facts import Tree

RECORD_MAKERS = ("namedtuple", "NamedTuple")


def record_call(node: ast.expr) -> ast.Call | None:
    """The call of a maker of records, None for anything else."""
    return node if isinstance(node, ast.Call) and last_name(node.func) in RECORD_MAKERS else None


def note_record(body: Body, name: str, source: ast.expr) -> None:
    """Keeps that a name is bound to a record, for the classes of the file that inherit from it."""
    made = record_call(source)
    if made is not None and body.bound.counts[name] == 1:
        body.file.records[name] = made


def record_base(body: Body, base: ast.expr) -> ast.Call | None:
    """The call that makes the record which a base is, None for any other base."""
    return body.file.records.get(base.id) if isinstance(base, ast.Name) else record_call(base)


def fields_of_bases(body: Body, bases: list[ast.expr]) -> dict[str, Tree]:
    """The fields of those bases that are records."""
    made = (record_base(body, base) for base in bases)
    return {name: tree for call in made if call is not None for name, tree in fields_of(body, call)}


def fields_of(body: Body, call: ast.Call) -> Iterator[tuple[str, Tree]]:
    """The names in the second argument, with their annotations."""
    match call.args:
        case [_, ast.Constant(value=str(names)), *_]:
            yield from ((name, ANY) for name in names.replace(",", " ").split())
        case [_, ast.List(elts=parts) | ast.Tuple(elts=parts), *_]:
            for part in parts:
                match part:
                    case ast.Constant(value=str(name)):
                        yield name, ANY
                    case ast.Tuple(elts=[ast.Constant(value=str(name)), kind]):
                        yield name, annotation(body, kind)
        case _:
            pass


def record_path(body: Body, base: ast.expr) -> str:
    """How the class that makes a record is called as a base, "" for any other base."""
    made = record_base(body, base)
    return f"{dotted(made.func)}()" if made is not None else ""
