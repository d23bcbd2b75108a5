"""The class that a function gives back, as far as its text says: what `class Mine(make()): ...` inherits from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flowmap.link.names import Meaning, NameTable, Resolved
from flowmap.link.program import Layout
from flowmap.model.facts import Op, ScopeFlag, ScopeKind

RECORD_MAKERS = ("collections.namedtuple", "typing.NamedTuple", "typing_extensions.NamedTuple")  # they stand for what they make
NOT_AT_THE_CALL = ScopeFlag.GENERATOR | ScopeFlag.ASYNC | ScopeFlag.DECORATED


def class_given_by(layout: Layout, names: NameTable, functions: Sequence[Resolved]) -> tuple[Resolved, ...]:
    """The one class that a call gives; nothing where functions give others, too, or something that text does not tell."""
    if len(functions) == 1 and functions[0].dotted in RECORD_MAKERS:
        return tuple(functions)
    found: dict[Resolved, None] = {}
    for one in functions:
        if one.meaning is not Meaning.SCOPE or not gives_plainly(layout, one.number):
            return ()
        for name in returned_names(layout, one.number):
            found.update(dict.fromkeys(names.name(one.number, name)) if name else {Resolved(Meaning.MODULE): None})
    classes = [one for one in found if one.meaning is Meaning.SCOPE and layout.scopes[one.number].kind == ScopeKind.CLASS]
    return tuple(classes) if len(classes) == len(found) == 1 else ()


def gives_plainly(layout: Layout, number: int) -> bool:
    """Whether a call of a scope gives what its `return` statements say."""
    scope = layout.scopes[number]
    return scope.kind == ScopeKind.FUNCTION and not scope.flags & NOT_AT_THE_CALL


def returned_names(layout: Layout, function: int) -> Iterator[str]:
    """The names that a function returns, "" for anything else that it returns."""
    file = layout.scope_file[function]
    scope, first = layout.scopes[function], layout.scope_base[file]
    rows = layout.rows(function)
    named = {node: name for number in (first, function) for name, node in layout.scopes[number].names.items()}
    results = {scope.result, *(row[1] for row in rows if row[0] == Op.ANNOTATE and row[2] == scope.result)}
    returned = {row[2] for row in rows if row[0] == Op.COPY and row[1] in results}
    for row in rows:
        if row[0] == Op.COPY and row[1] in returned:
            yield named.get(row[2], "")
