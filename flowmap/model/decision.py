"""What assumptions decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flowmap.model.literals import Position


@dataclass(frozen=True, slots=True)
class Decided:
    """How a test comes out under a configuration, and by which assumptions."""

    outcome: bool
    text: str  # of the test
    because: tuple[str, ...]  # the assumptions, as text

    def __str__(self) -> str:
        return f"`{self.text}` is {'true' if self.outcome else 'false'}: {', '.join(self.because)}"


FileDecisions = Mapping[Position, Decided]
Decisions = Mapping[str, FileDecisions]  # by path
