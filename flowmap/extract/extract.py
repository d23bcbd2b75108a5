"""One file's text to its facts."""

from __future__ import annotations

import ast
import re
from array import array
from collections.abc import Mapping

from flowmap.extract.body import Body, FileLowering
from flowmap.extract.bound import declared_outside
from flowmap.extract.deep import room_for_deep_trees
from flowmap.extract.exports import exports
from flowmap.extract.functions import all_bindings, first_doc_line, module_bound
from flowmap.extract.kinds import EXPRESSIONS, STATEMENTS
from flowmap.extract.lower import read_block
from flowmap.extract.parse import parse
from flowmap.extract.text import SourceText
from flowmap.model.facts import ArgumentPlaces, FileFacts, Row, Scope, ScopeKind, pack_arguments, pack_rows
from flowmap.model.literals import Position
from flowmap.model.source import SourceFile

UNDECIDED: Mapping[Position, bool] = {}


def extract(file: SourceFile, text: bytes, decided: Mapping[Position, bool] = UNDECIDED) -> FileFacts:
    """The facts of one file. Never raises for any text: what cannot be read becomes the facts' `problem`.

    `decided`: how tests come out in a configuration, by place; what cannot run there leaves no facts.
    """
    tree = parse(text, file.path)
    if not isinstance(tree, ast.Module):
        return unreadable(file, text, tree)
    try:
        with room_for_deep_trees():
            lowering = lower_module(file, text, (tree, decided))
    except RecursionError:
        return unreadable(file, text, ("nested too deeply to analyse", "leave it out with --exclude"))
    return FileFacts(
        path=file.path,
        module=file.module,
        is_package=file.is_package,
        is_stub=file.is_stub,
        n_lines=number_of_lines(text),
        n_nodes=len(lowering.node_lines),
        node_lines=array("I", lowering.node_lines),
        labels=lowering.labels,
        scopes=tuple(finished(lowering)),
        packed_ops=tuple(pack_rows(rows) for rows in lowering.ops),
        n_sites=len(lowering.sites),
        packed_sites=pack_rows(lowering.sites),
        packed_arguments=pack_arguments(lowering.arguments),
        guards=tuple(lowering.guards),
        imports=tuple(lowering.imports),
        tables=tuple(lowering.tables),
        skipped=tuple(lowering.skipped),
        main_guard=lowering.main_guard,
    )


def unreadable(file: SourceFile, text: bytes, problem: tuple[str, str]) -> FileFacts:
    """The facts of a file that gave none."""
    return FileFacts(
        path=file.path,
        module=file.module,
        is_package=file.is_package,
        is_stub=file.is_stub,
        n_lines=number_of_lines(text),
        n_nodes=1,
        node_lines=array("I", (0,)),
        labels={},
        scopes=(),
        packed_ops=(),
        n_sites=0,
        packed_sites=pack_rows(()),
        packed_arguments=pack_arguments(ArgumentPlaces(array("I"), array("I"))),
        guards=((),),
        imports=(),
        tables=(),
        skipped=(),
        main_guard=False,
        problem=problem,
    )


def lower_module(file: SourceFile, text: bytes, read: tuple[ast.Module, Mapping[Position, bool]]) -> FileLowering:
    """Lowers a module and then, one after the other, the functions that waited for what is around them."""
    tree, decided = read
    outside, enclosing = declared_outside(tree) if b"global " in text or b"nonlocal " in text else (frozenset(), frozenset())
    lowering = FileLowering(
        path=file.path,
        module=file.module,
        is_package=file.is_package,
        text=SourceText(text),
        outside=outside,
        enclosing=enclosing,
        has_walrus=b":=" in text,
        expressions=EXPRESSIONS,
        statements=STATEMENTS,
        decided=decided,
    )
    scope = lowering.open_scope()
    body = Body(lowering, scope, ScopeKind.MODULE, "", None, module_bound(tree, lowering))
    body.prepare()
    read_block(body, tree.body)
    body.finish_names()
    exported = exports(tree.body)
    if exported is not None:
        body.note("__all__", *exported)
    while lowering.waiting:
        lowering.waiting.popleft()()
    lowering.scopes[scope] = module_row(body, tree, text)
    return lowering


def module_row(body: Body, tree: ast.Module, text: bytes) -> Scope:
    """The scope of a module. Its names are all those that its functions read as globals, too."""
    file = body.file
    return Scope(
        kind=ScopeKind.MODULE,
        flags=0,
        name=file.module.rpartition(".")[2],
        qualname="",
        line=1,
        col=0,
        end_line=max(1, number_of_lines(text)),
        parent=-1,
        first_node=0,
        end_node=len(file.node_lines),
        node=0,
        signature="",
        decorators=(),
        doc=first_doc_line(tree),
        params=(),
        result=-1,
        yields=-1,
        bases=(),
        names=file.globals,
        bindings=all_bindings(body),
        declared=body.declared,
        assigned=(),
        metaclass="",
    )


def number_of_lines(text: bytes) -> int:
    """How many lines an editor shows."""
    ends = text.count(b"\n") if b"\r" not in text else len(LINE_END.findall(text))
    return ends + (not text.endswith((b"\n", b"\r")) and bool(text))


LINE_END = re.compile(rb"\r\n?|\n")


def finished(lowering: FileLowering) -> list[Row]:
    """The scopes' rows, classes with the fields that their methods assign."""
    rows = []
    for index, scope in enumerate(lowering.scopes):
        assert scope is not None, "every scope that was opened is closed"
        rows.append(tuple(scope._replace(assigned=tuple(lowering.assigned[index])) if index in lowering.assigned else scope))
    return rows
