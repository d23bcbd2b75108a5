"""The names of the parameters in a signature, as its text has them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = re.compile(r"\s*(/|\*{0,2}\w*)")
_OPENING, _CLOSING, _QUOTES = "([{", ")]}", "'\""


def parts_in(signature: str) -> tuple[str, ...]:
    """The parameters as they are written, in order; what is given back stands last, behind its arrow."""
    head = tuple(part.strip() for part in _parts(signature))
    _, arrow, given = signature.rpartition(") -> ")
    return (*(part for part in head if part), *((f"-> {given}",) if arrow else ()))


def names_in(signature: str) -> tuple[str, ...]:
    """The names in order: `("self", "batch", "*", "flag", "**more")` of `(self, batch: Batch = Batch(1, 2), *, flag, **more)`."""
    return tuple(name for part in _parts(signature) if (name := _name(part)))


def _name(part: str) -> str:
    match = _NAME.match(part)
    return match[1] if match else ""


def _parts(signature: str) -> Iterator[str]:
    """What stands between the commas of the outermost brackets."""
    depth, quote, start = 0, "", 1
    for position, char in enumerate(signature):
        if quote or char in _QUOTES:
            quote = ("" if char == quote and signature[position - 1] != "\\" else quote) if quote else char
            continue
        depth += (char in _OPENING) - (char in _CLOSING)
        if (char == "," and depth == 1) or (depth == 0 and char == ")"):
            yield signature[start:position]
            start = position + 1
        if depth == 0:
            return
