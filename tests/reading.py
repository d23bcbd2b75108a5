"""Texts to facts, for the tests of `extract` and `link`: no file is written, since both are pure."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

from flowmap.extract.extract import extract
from flowmap.link.link import link
from flowmap.link.program import Layout, Program
from flowmap.model.facts import FileFacts, Scope, ScopeKind, SiteRow, SiteShape
from flowmap.model.source import SourceFile

STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))


def source_file(path: str) -> SourceFile:
    """The file at a path below the source root."""
    module = path.removesuffix("i").removesuffix(".py").replace("/", ".")
    is_package = module.endswith("__init__")
    return SourceFile(path, module.removesuffix(".__init__"), is_package, path.endswith(".pyi"), "", path)


def facts_of(text: str | bytes, path: str = "app.py") -> FileFacts:
    """The facts of one text."""
    return extract(source_file(path), text.encode() if isinstance(text, str) else text)


def sites_of(facts: FileFacts, shape: int = SiteShape.CALL) -> list[SiteRow]:
    """The sites of one shape, in the order in which they were met."""
    return [row for row in (SiteRow(*each) for each in facts.sites) if row.kind == shape]


def scope_of(facts: FileFacts, qualname: str) -> Scope:
    """The scope of a name; "" is the module."""
    (found,) = [scope for scope in (Scope(*row) for row in facts.scopes) if scope.qualname == qualname]
    return found


def program_of(files: dict[str, str]) -> Program:
    """The program that files make together, by path."""
    return link(facts_of(text, path) for path, text in files.items())


def number_of(layout: Layout, symbol: str) -> int:
    """The program number of the scope with this symbol."""
    (found,) = [number for number in range(len(layout.scopes)) if layout.symbol(number) == symbol]
    return found


def order_of(program: Program, symbol: str) -> list[str]:
    """A class order as symbols."""
    order = program.classes.order[number_of(program.layout, symbol)]
    return [one if isinstance(one, str) else program.layout.symbol(one) for one in order]


def classes_of(layout: Layout) -> list[int]:
    """The program numbers of all classes."""
    return [number for number, scope in enumerate(layout.scopes) if scope.kind == ScopeKind.CLASS]


def library_texts(every: int) -> Iterator[tuple[str, bytes]]:
    """Each nth file of the standard library that runs these tests: real code of many hands, on every machine."""
    paths = [path for path in sorted(STANDARD_LIBRARY.rglob("*.py")) if "site-packages" not in path.parts]
    for path in paths[::every]:
        yield path.relative_to(STANDARD_LIBRARY).as_posix(), path.read_bytes()
