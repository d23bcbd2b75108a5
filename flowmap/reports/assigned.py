"""How reports tell of a name that a class body assigns."""

from __future__ import annotations

from flowmap.model.program import Attribute
from flowmap.model.view import Line, Role, Span
from flowmap.reports.abridged import abridged
from flowmap.reports.phrases import GAP, note
from flowmap.store.index import Index

_LONGEST_CODE = 56


def attribute_line(index: Index, one: Attribute) -> Line:
    """That it is assigned, what it holds, and the line of the text that says so."""
    text = index.text_lines(one.place.file)[one.place.line - 1 : one.place.line] if one.place else []
    code = (note(": "), Span(abridged(text[0].strip(), _LONGEST_CODE), Role.CODE)) if text else ()
    return (GAP, note(f"assigned, a {one.holds.value}"), *code)
