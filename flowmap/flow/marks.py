"""What is said of an access, as plain numbers: there are hundreds of thousands. They are the positions in the model's enums."""

from __future__ import annotations

from typing import TypeVar

from flowmap.model.access import AccessKind, LifeStage
from flowmap.model.program import Confidence

Mark = TypeVar("Mark", AccessKind, LifeStage, Confidence)


def number(mark: Mark) -> int:
    """The position of a member in its enum."""
    return list(type(mark)).index(mark)


READ, WRITE, AUGWRITE, MUTATE = map(number, AccessKind)
DECLARED, BORN, STORED, LOADED, DERIVED, UPDATED, DROPPED = map(number, LifeStage)
POSSIBLE = number(Confidence.POSSIBLE)  # those of the other confidences are those of the solver's stages
