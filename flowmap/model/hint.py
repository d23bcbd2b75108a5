"""What the user says of a code base where its text does not."""

from __future__ import annotations

from dataclasses import dataclass

HINT = "hint in "  # what the name of a step of evidence begins with that a hint is


@dataclass(frozen=True, slots=True)
class Hint:
    """What may be at a place: `at` as docs/reference/hints.md says, `holds` symbols. `written` is the file that says so."""

    at: str
    holds: tuple[str, ...]
    written: str

    @property
    def where(self) -> str:
        """The hint as messages name it."""
        return f"{self.written}: [[hint]] at `{self.at}`"
