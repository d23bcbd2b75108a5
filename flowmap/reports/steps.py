"""How the steps of a chain are told: FILE:LINE, then `returned by make_worker`."""

from __future__ import annotations

from collections.abc import Sequence

from flowmap.model.hint import HINT
from flowmap.model.program import Confidence, LetGo, Step, StepKind
from flowmap.model.view import Line, Role, Span
from flowmap.reports.abridged import abridged
from flowmap.reports.phrases import GAP, note, place_span
from flowmap.store.index import Index

_LONGEST_TEXT = 56
_WORDS = {
    StepKind.EXPRESSION: ("in", "an expression"),
    StepKind.NAME: ("held by", "a variable"),
    StepKind.PARAMETER: ("passed as", "a parameter"),
    StepKind.RECEIVER: ("the receiver, of class", "the receiver"),
    StepKind.RESULT: ("returned by", "a function's result"),
    StepKind.YIELD: ("yielded by", "what a generator yields"),
    StepKind.ATTRIBUTE: ("read as", "an attribute"),
    StepKind.CALL: ("given by the call of", "what a call gives"),
    StepKind.FIELD: ("stored in", "a field"),
    StepKind.ELEMENT: ("element", "an element"),
    StepKind.IMPORT: ("imported as", "an import"),
    StepKind.DEFINED: ("definition of", "a definition"),
    StepKind.DECLARED: ("declared, nothing else flows in:", "declared"),
    StepKind.LITERAL: ("a literal", "a literal"),
    StepKind.BUILTIN: ("builtin", "builtin"),
    StepKind.IMPLICIT: ("by way of", "a special method"),
    StepKind.UNFED: ("a parameter to which nothing known is passed:", "a parameter to which nothing known is passed"),
    StepKind.OUTSIDE: ("result of a call outside the index:", "result of a call outside the index"),
    StepKind.NO_VALUE: ("no value is known for", "no value is known"),
    StepKind.UNBOUND: ("nothing known is bound to", "a name that nothing binds"),
    StepKind.NOTHING: ("", "None, or a value that is not followed"),
    StepKind.COMPUTED: ("a computed name", "a computed name"),
    StepKind.LET_GO: ("more comes together than is followed in", "more comes together than is followed"),
    StepKind.EMPTY: ("nothing known is held by", "a container that holds nothing known"),
}


def step_words(step: Step | LetGo) -> str:
    """What a step says, without its place: `returned by make_worker`."""
    if step.name.startswith(HINT):
        return step.name
    with_name, alone = _WORDS[step.kind]
    name = f".{step.name}" if step.kind is StepKind.ATTRIBUTE else step.name
    return f"{with_name} {name}".strip() if name and with_name else alone


def step_lines(index: Index, steps: Sequence[Step]) -> tuple[Line, ...]:
    """A line a step."""
    return tuple(step_line(index, step) for step in steps)


def step_line(index: Index, step: Step) -> Line:
    """Place, words, the source where it has no name, and `~` where it is only inferred."""
    place: Line = (place_span(index, step.place), GAP) if step.place else ()
    mark: Line = (GAP, Span("~ inferred", Role.CONFIDENCE)) if step.confidence is Confidence.INFERRED else ()
    return (*place, note(step_words(step)), *_source(index, step), *mark)


def _source(index: Index, step: Step) -> Line:
    """The line of the source, where the step has no name to go by."""
    if step.name or step.place is None:
        return ()
    text = index.text_lines(step.place.file)[step.place.line - 1 : step.place.line]
    return tuple(span for line in text for span in (note(": "), Span(abridged(line.strip(), _LONGEST_TEXT), Role.CODE)))
