"""What a check found, as the formats of other tools have it: cases, and in each what is wrong with it and where."""

from __future__ import annotations

from dataclasses import dataclass

from flowmap.model.place import Place


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. `place`: a file as whoever reads it opens it; `beside`: what else is to be said, a line each.
    `is_accepted`: it is known, and does not fail the check."""

    key: str
    what: str
    place: Place
    beside: tuple[str, ...]
    is_accepted: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was checked. `why`: what it is for; `is_silent`: it says nothing of what was checked."""

    suite: str
    name: str
    kind: str
    why: str
    place: Place
    findings: tuple[Finding, ...]
    is_silent: bool


@dataclass(frozen=True, slots=True)
class Findings:
    """All cases of a check of one source."""

    source: str
    cases: tuple[Case, ...]
