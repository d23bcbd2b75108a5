"""Classes that Python would refuse to make: what their order is then worth, said wherever it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from flowmap.model.program import Definition
from flowmap.model.view import Line, Role, Span
from flowmap.reports.phrases import place_span, short_name
from flowmap.store.classes import refused
from flowmap.store.index import Index


def refusal_lines(index: Index, order: Sequence[Definition]) -> tuple[Line, ...]:
    """A line for each class of an order that Python would refuse, with where it stands and why; none as a rule."""
    return tuple(_line(index, one, why) for one, why in refused(index, order))


def refusal_texts(lines: Sequence[Line]) -> tuple[str, ...]:
    """The same for programs."""
    return tuple("".join(span.text for span in line) for line in lines)


def _line(index: Index, one: Definition, why: str) -> Line:
    place: Line = (Span(" ("), place_span(index, one.place), Span(")")) if one.place else ()
    return (Span(f"Python would refuse {short_name(one)}", Role.WARNING), *place, Span(f": {why}", Role.WARNING))
