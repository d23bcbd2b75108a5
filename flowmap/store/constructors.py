"""What a class takes when it is called, and which class of its order says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.program import Definition, DefinitionKind
from flowmap.store.classes import bare, held_by, members, orders
from flowmap.store.index import Index, as_json

UNKNOWN = "(…)"
# Classes from outside that leave the constructor to others.
_SILENT = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"})


class Writer(StrEnum):
    """Who says what a class takes."""

    BODY = "body"  # a constructor in the text
    FIELDS = "fields"  # generated: of a dataclass, or a named tuple
    OUTSIDE = "outside"  # a base outside the index, or one that is computed: what it takes is not known
    NOBODY = "nobody"  # no constructor: the class takes nothing


@dataclass(frozen=True, slots=True)
class Constructor:
    """What a class takes: `parameters` as text in brackets, without the receiver. `owner`: the class that says so."""

    writer: Writer
    owner: Definition
    parameters: str


def constructor_of(index: Index, cls: Definition) -> Constructor:
    """The constructor that the call of a class runs: `__init__`, or `__new__` where only that is there."""
    order = orders(index, [cls]).get(cls.id, (cls,))
    bodies = members(index, order)
    generated: dict[int, str] = dict(
        index.rows("SELECT class, parameters FROM generated WHERE class IN (SELECT value FROM json_each(?))", _ids(order))
    )
    maker: Constructor | None = None
    for one in order:
        own = bodies.get(one.id, {})
        if "__init__" in own:
            return Constructor(Writer.BODY, one, _given(own["__init__"][-1]))
        if one.id in generated:
            return Constructor(Writer.FIELDS, one, f"({generated[one.id]})")
        if "__new__" in own and maker is None:
            maker = Constructor(Writer.BODY, one, _given(own["__new__"][-1]))
        if one.kind is DefinitionKind.EXTERNAL and bare(one) not in _SILENT:
            return maker or Constructor(Writer.OUTSIDE, one, UNKNOWN)
    return maker or Constructor(Writer.NOBODY, cls, "()")


def _ids(order: Sequence[Definition]) -> str:
    return as_json(one.id for one in order)


def _given(constructor: Definition) -> str:
    """The parameters of a constructor behind its receiver, in brackets."""
    for held in held_by(constructor):
        commas, end = _marks(held.signature)
        if held.signature.startswith("(*"):
            return held.signature[: end + 1]
        rest = held.signature[commas[0] + 2 : end] if commas else ""
        return f"({rest.removeprefix('/, ').removeprefix('/')})"
    return UNKNOWN


def _marks(signature: str) -> tuple[list[int], int]:
    """Where the commas between parameters stand, and the bracket that closes them."""
    commas: list[int] = []
    depth, quote = 0, ""
    for position, char in enumerate(signature):
        if quote or char in "'\"":
            quote = ("" if char == quote and signature[position - 1] != "\\" else quote) if quote else char
            continue
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return commas, position
        if char == "," and depth == 1:
            commas.append(position)
    return commas, len(signature)
