"""What a configuration assumes."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

from flowmap.model.literals import Scalar
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.typed import encodable


@dataclass(frozen=True, slots=True)
class Assumption:
    """That `subject` has a value wherever it is read: a field `Owner.field`, a function `name()`, or a global `module.NAME`.

    `says` is the sentence of the profile, "" for one of the command line; a member of an enumeration is written as text.
    """

    subject: str
    value: Scalar
    says: str = ""

    def __str__(self) -> str:
        return f"{self.subject} = {shown(self.value)}"


@dataclass(frozen=True, slots=True)
class Configuration:
    """A set of assumptions under a name: that of the profile and what was assumed besides. Empty: nothing is assumed."""

    name: str = ""
    assumptions: tuple[Assumption, ...] = ()


def shown(value: Scalar) -> str:
    """A value as it is written in a profile."""
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case _:
            return str(value)


WORDS: Mapping[str, Scalar] = {"true": True, "false": False, "none": None, "null": None}
QUOTES = ("'", '"')


def read_assumption(text: str, says: str = "") -> Assumption:
    """`EXPR=VALUE`. A value is true, false, none, a number, or text, quoted or not.

    Errors: FlowmapError when there is no `=`, nothing on one of its sides, or what it says is not UTF-8.
    """
    subject, equals, value = (part.strip() for part in text.partition("="))
    if encodable(text) != text:
        raise FlowmapError(Problem(text, "is no assumption: it is not UTF-8", "Write it as the source does."))
    if not (subject and equals and value):
        fix = "Write Class.field=VALUE, function()=VALUE or module.NAME=VALUE."
        raise FlowmapError(Problem(text, "is no assumption", fix))
    return Assumption(subject, read_value(value), says)


def read_value(text: str) -> Scalar:
    """The value that a text writes."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if len(text) > 1 and text[0] == text[-1] and text[0] in QUOTES:
        return text[1:-1]
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return number(text)
    return text
