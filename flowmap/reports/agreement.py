"""Two opinions of one site, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.opinion import Opinion, Said, Verdict
from flowmap.model.program import Definition, DefinitionKind, Site
from flowmap.store.classes import orders
from flowmap.store.index import Index
from flowmap.store.spans import definitions_on

CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__call__")
OUTSIDE = "ext:"


class Match(StrEnum):
    """By what two definitions are taken for the same."""

    BOTH = "symbol and line"
    SYMBOL = "symbol"
    LINE = "line"
    CLASS = "the class that is made"
    NAME = "name"  # outside the index, where modules go by several names
    NONE = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """What is common and what is not. `matches` goes by the targets of the site."""

    verdict: Verdict
    matches: tuple[Match, ...]
    jedi_only: tuple[Said, ...]
    problem: str


def compare(index: Index, site: Site, opinion: Opinion) -> Compared:
    """Compares what flowmap gives for a site with another opinion."""
    targets = [each.definition for each in site.targets]
    found = {said: _matches(index, said, targets) for said in opinion.said}
    matches = tuple(next((row[number] for row in found.values() if row[number]), Match.NONE) for number in range(len(targets)))
    alone = tuple(said for said, row in found.items() if not any(row))
    return Compared(_verdict(targets, opinion.said, matches), matches, alone, opinion.problem)


def _verdict(ours: Sequence[Definition], theirs: Sequence[Said], matches: Sequence[Match]) -> Verdict:
    if any(matches):
        return Verdict.AGREE
    if ours and theirs:
        return Verdict.DISAGREE
    if ours:
        return Verdict.FLOWMAP_ONLY
    return Verdict.JEDI_ONLY if theirs else Verdict.BOTH_SILENT


def _matches(index: Index, said: Said, targets: Sequence[Definition]) -> list[Match]:
    classes = [one for one in _meant(index, said) if one.kind is DefinitionKind.CLASS]
    owners = {one.symbol for order in orders(index, classes).values() for one in order}
    return [_match(said, target) or _by_class(target, owners) for target in targets]


def _meant(index: Index, said: Said) -> Iterator[Definition]:
    if said.place is not None and said.place.file in index.file_ids:
        yield from definitions_on(index, said.place)


def _match(said: Said, target: Definition) -> Match:
    symbol = target.symbol.removeprefix(OUTSIDE).replace(".<locals>", "")
    if target.place is None:
        same_name = said.place is None and said.symbol.rpartition(".")[2] == symbol.rpartition(".")[2]
        return Match.SYMBOL if said.symbol == symbol else Match.NAME if same_name else Match.NONE
    same_line = said.place is not None and (said.place.file, said.place.line) == (target.place.file, target.place.line)
    if said.symbol == symbol:
        return Match.BOTH if same_line else Match.SYMBOL
    return Match.LINE if same_line else Match.NONE


def _by_class(target: Definition, owners: set[str]) -> Match:
    """A call of a class runs a constructor of its class order."""
    return Match.CLASS if target.name in CONSTRUCTORS and target.owner in owners else Match.NONE
