"""What a run of the program did: calls that really happened."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class ObservedEdge:
    """A function that ran, called from a line, `n_calls` times. Symbols and files as in the index.

    `callee_line` is the first line of the definition, that of its first decorator where it has one. `through` names the
    top-level modules of the code that stood between the two, () where the line called the function itself or by code in C.
    """

    file: str
    line: int
    caller: str
    callee: str
    callee_file: str
    callee_line: int
    through: tuple[str, ...]
    n_calls: int
