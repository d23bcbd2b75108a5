"""What became of the anchors that a release does not have: followed from the release that the recipe was written beside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from flowmap.drift.history import Line, histories
from flowmap.emit.anchors import names_of
from flowmap.model.drift import History, Stay
from flowmap.model.emit import RecipeAnchor, Refusal
from flowmap.model.place import Place

_N_TOLD = 3  # things of one name that are followed


def explained(
    refusals: Iterable[Refusal], anchors: Sequence[RecipeAnchor], line: Line, labels: Sequence[str]
) -> tuple[Refusal, ...]:
    """Refusals with what became of the anchors in question on the way from the first release of a line to its last."""
    by_name = {one.name: one for one in anchors}
    return tuple(_told(one, by_name.get(one.subject), line, labels) for one in refusals)


def _told(refusal: Refusal, anchor: RecipeAnchor | None, line: Line, labels: Sequence[str]) -> Refusal:
    if anchor is None:
        return refusal
    names = [name.text for each in names_of(anchor) for name in each.names]
    found = [thing for name in names for thing in histories(line, name) if thing.stays[0].at is not None][:_N_TOLD]
    told = [text for thing in found for text in became(thing, labels)]
    place = refusal.place or next((_place(thing) for thing in found if _place(thing)), None)
    return replace(refusal, became=(*refusal.became, *dict.fromkeys(told)), place=place)


def became(thing: History, labels: Sequence[str]) -> tuple[str, ...]:
    """What a thing of the first release is in the last one, in a sentence; what it takes, where that is another."""
    first, last = thing.stays[0], thing.stays[-1]
    assert first.at is not None, "it is in the first release"
    was = f"{first.at.symbol} of {labels[0]}"
    if last.at is None:
        perhaps = _perhaps(thing.stays)
        return (f"{was} is gone{f'; perhaps {perhaps}' if perhaps else ''}",)
    told = [] if last.at.symbol == first.at.symbol else [f"{was} is {last.at.symbol} at {last.at.file}:{last.at.line}"]
    if last.at.signature != first.at.signature:
        told.append(f"{last.at.name} took {first.at.signature or 'nothing'} and takes {last.at.signature or 'nothing'}")
    return tuple(told)


def _perhaps(stays: Sequence[Stay]) -> str:
    """What it may be now, as far as the comparison of neighbours tells."""
    changes = next((stay.changes for stay in stays if stay.at is None and stay.changes), ())
    return " or ".join(change.became for change in changes)


def _place(thing: History) -> Place | None:
    last = thing.stays[-1].at
    return Place(last.file, last.line) if last else None
