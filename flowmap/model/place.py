"""Where a thing stands in the subject's text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a file of the subject.

    `file` is a posix path below the source root and begins with the package. `line` is 1-based, `col` 0-based, as in `ast`.
    """

    file: str
    line: int
    col: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"
