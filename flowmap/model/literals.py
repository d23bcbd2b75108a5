"""What a text says by itself: constants, and where an expression stands."""

from __future__ import annotations

Position = tuple[int, int, int, int]  # line, col, end line, end col, as in `ast`
Scalar = bool | int | float | str | None
