"""How reports write the head of a definition: a function with its parameters, a class with its bases and with what it takes."""

from __future__ import annotations

from flowmap.model.program import Definition, DefinitionKind
from flowmap.model.view import Line, Role, Span
from flowmap.reports.abridged import abridged
from flowmap.reports.phrases import GAP, note, short_name
from flowmap.store.classes import bare
from flowmap.store.constructors import Constructor, Writer, constructor_of
from flowmap.store.index import Index

_NO_BASES = "()"
_LONGEST_FIELDS = 240  # some classes have hundreds


def signature_span(one: Definition) -> Span:
    """What stands behind a definition's name: parameters, or bases where a class has some."""
    is_bare = one.kind is DefinitionKind.CLASS and one.signature == _NO_BASES
    return Span("" if is_bare else one.signature, Role.CODE)


def head_lines(index: Index, one: Definition) -> tuple[Line, ...]:
    """The head of a definition as it is written, and of a class what its call takes; nothing for a module."""
    if one.kind is DefinitionKind.CLASS:
        return ((Span(f"class {one.name}{signature_span(one).text}", Role.CODE),), call_line(one, constructor_of(index, one)))
    return ((Span(f"{one.name}{one.signature}", Role.CODE),),) if one.signature else ()


def inherited_call(index: Index, one: Definition) -> tuple[Line, ...]:
    """What the call of a class takes, where its own body has no constructor that says so and it takes something."""
    found = constructor_of(index, one) if one.kind is DefinitionKind.CLASS else None
    is_told = found is None or found.writer is Writer.NOBODY or (found.writer is Writer.BODY and found.owner.id == one.id)
    return () if found is None or is_told else (call_line(one, found),)


def call_line(one: Definition, found: Constructor) -> Line:
    """A class as it is called, and who says what it takes."""
    taken = found.parameters if found.writer is Writer.BODY else abridged(found.parameters, _LONGEST_FIELDS)
    return (note("called as "), Span(f"{one.name}{taken}", Role.CODE), *_said_by(one, found))


def _said_by(one: Definition, found: Constructor) -> Line:
    own = found.owner.id == one.id
    match found.writer:
        case Writer.BODY:
            return () if own else (GAP, note(f"constructor of {short_name(found.owner)}"))
        case Writer.FIELDS:
            return (GAP, note(f"generated from {'its fields' if own else f'the fields of {short_name(found.owner)}'}"))
        case Writer.OUTSIDE:
            return (
                GAP,
                note("by a base that is computed" if bare(found.owner) == "?" else f"by {bare(found.owner)}, outside the index"),
            )
        case Writer.NOBODY:
            return ()
