"""Where a thing is from release to release, and what became of it between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

FIELD = "field"  # the kind of a field, beside those of definitions


class Fate(StrEnum):
    """What happened to a thing on the way to a release."""

    FIRST = "first looked at"  # in the first release that was asked about
    NEW = "new"
    SAME = "same"
    MOVED = "moved"
    RENAMED = "renamed"
    MOVED_AND_RENAMED = "moved and renamed"
    DOUBT = "in doubt"  # gone; it may be any of several
    SPLIT = "split"  # a class that is gone, its members in others
    GONE = "gone"
    ABSENT = "absent"  # before it came, or after it went
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a symbol, or may have become of it. `likeness`: 0 to 1; of a part of what was split its members."""

    was: str
    became: str
    fate: Fate
    likeness: float


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a thing is in one release, which goes by its number. `signature`: of a class its bases, of a field its annotation."""

    release: int
    symbol: str
    name: str
    kind: str  # a DefinitionKind, or FIELD
    owner: str
    module: str
    file: str
    line: int
    signature: str
    digest: str


@dataclass(frozen=True, slots=True)
class Stay:
    """A thing in one release. `at` is None where it is not there; `changes` are what is known of the way from the release before.

    `came` and `left`: names of members that a class has in this release and had not before, and the other way.
    """

    release: int
    fate: Fate
    at: Whereabouts | None
    changes: tuple[Change, ...] = ()
    before: Whereabouts | None = None
    came: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """One thing in all releases that were asked about, in their order."""

    stays: tuple[Stay, ...]

    @property
    def last(self) -> Whereabouts:
        """Where it is, or was last."""
        return [stay.at for stay in self.stays if stay.at is not None][-1]
