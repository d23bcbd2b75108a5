"""What somebody else says about a site."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.place import Place
from flowmap.model.program import SiteKind


@dataclass(frozen=True, slots=True)
class SiteSpan:
    """A site as text: where its expression begins and ends. Columns count bytes, as in `ast`."""

    site: int
    kind: SiteKind
    start: Place
    end_line: int
    end_col: int


@dataclass(frozen=True, slots=True)
class Said:
    """One definition that was named: its dotted name, and where it stands (None outside the subject)."""

    symbol: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Opinion:
    """All that was said about a site; `problem` says why nothing could be asked or answered, "" when it could."""

    site: int
    said: tuple[Said, ...]
    problem: str = ""


class Verdict(StrEnum):
    """How two opinions of one site compare."""

    AGREE = "agree"  # at least one definition is in both
    FLOWMAP_ONLY = "flowmap only"
    JEDI_ONLY = "jedi only"
    DISAGREE = "disagree"
    BOTH_SILENT = "both silent"


Second = Callable[[Sequence[SiteSpan]], Iterator[Opinion]]  # asks about sites, in their order


def nobody(spans: Sequence[SiteSpan]) -> Iterator[Opinion]:  # noqa: ARG001 - nobody looks at them
    """No second opinion."""
    return iter(())
