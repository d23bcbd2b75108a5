"""Which definition of one release is which of another: by symbol, then by body, then by what it speaks of.

Pure functions over the sketches of two releases. Files that both hold unchanged need not be given. Everything is bounded: what is
left over after symbols is compared with a few candidates each, those that share its rare words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from flowmap.drift.likeness import (
    ALIKE_NAME,
    SAME_MODULE,
    SAME_NAME,
    SAME_OWNER,
    TELLS_APART,
    Features,
    body_likeness,
    crowd_of,
    features_of,
    name_likeness,
    raised,
)
from flowmap.model.program import DefinitionKind
from flowmap.model.sketch import Sketch

Sketches = Mapping[str, Sketch]  # by symbol
LIKE_ENOUGH = 0.35  # half the words of a body, and a name or place that speaks for it; chance stays below 0.1
SURE = 0.6  # what is less alike is told as likely
ALIKE = 0.02  # two candidates that differ by less cannot be told apart
MOST_OF_MEMBERS = 0.5  # of a class that must have gone to one other class, for it to be that class now
FEW_MEMBERS = 2


class How(StrEnum):
    """What happened to a definition that is there in both releases."""

    SAME = "same"
    MOVED = "moved"
    RENAMED = "renamed"
    MOVED_AND_RENAMED = "moved and renamed"


@dataclass(frozen=True, slots=True)
class Match:
    """A definition of the first release, and what it is in the second. `likeness`: from 0 to 1, of bodies, names and places."""

    before: str
    after: str
    how: How
    likeness: float

    @property
    def is_sure(self) -> bool:
        """Whether nothing else explains how alike they are."""
        return self.likeness >= SURE


@dataclass(frozen=True, slots=True)
class Split:
    """A class of the first release that is gone, and the classes of the second that have its members: (symbol, how many)."""

    before: str
    parts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A definition of the first release that may be any of several in the second: they cannot be told apart."""

    before: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matching:
    """What became of definitions. Those that have the same symbol in both are in `matches`, too. All sorted by symbol."""

    matches: tuple[Match, ...]
    doubts: tuple[Doubt, ...]
    splits: tuple[Split, ...]
    gone: tuple[str, ...]  # in the first release, and in no match
    new: tuple[str, ...]  # in the second release, and in no match


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two definitions that may be the same. Sorts the likeliest first, alike on every run."""

    likeness: float
    before: str
    after: str

    @property
    def rank(self) -> tuple[float, str, str]:
        return (-self.likeness, self.before, self.after)


@dataclass(slots=True)
class _Search:
    """Two releases, and the pairs found so far, by symbol in each direction."""

    before: Sketches
    after: Sketches
    became: dict[str, str] = field(default_factory=dict)
    was: dict[str, str] = field(default_factory=dict)
    likeness: dict[str, float] = field(default_factory=dict)
    doubts: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def pair(self, before: str, after: str, likeness: float) -> None:
        """Two definitions are the same."""
        self.became[before] = after
        self.was[after] = before
        self.likeness[before] = likeness
        self.doubts.pop(before, None)

    def lost(self) -> list[str]:
        """The symbols of the first release that have no match yet."""
        return [symbol for symbol in sorted(self.before) if symbol not in self.became]

    def new(self) -> list[str]:
        """Those of the second."""
        return [symbol for symbol in sorted(self.after) if symbol not in self.was]


def match_definitions(before: Sketches, after: Sketches) -> Matching:
    """What became of the definitions of one release in another."""
    search = _Search(before, after)
    for symbol in sorted(before.keys() & after.keys()):
        if is_class(before[symbol]) == is_class(after[symbol]):
            search.pair(symbol, symbol, 1.0)
    pair_alike(search, classes=DefinitionKind.CLASS)
    pair_members(search)
    pair_alike(search, classes=DefinitionKind.FUNCTION)
    pair_by_members(search)
    pair_members(search)
    pair_alike(search, classes=DefinitionKind.FUNCTION)
    return result(search)


def is_class(sketch: Sketch) -> bool:
    """Whether a sketch is that of a class; else it is that of a function."""
    return sketch.kind == DefinitionKind.CLASS


def pair_alike(search: _Search, classes: DefinitionKind) -> None:
    """Pairs what is left of classes, or of functions, by likeness, the likeliest first."""
    wanted = classes is DefinitionKind.CLASS
    lost = [symbol for symbol in search.lost() if is_class(search.before[symbol]) == wanted]
    new = [symbol for symbol in search.new() if is_class(search.after[symbol]) == wanted]
    mine, theirs = features_of(search.before, lost), features_of(search.after, new)
    pairs = [pair for pair in candidate_pairs(search, mine, theirs) if pair.likeness >= LIKE_ENOUGH]
    choose(search, sorted(pairs, key=lambda pair: pair.rank))


def candidate_pairs(search: _Search, mine: Mapping[str, Features], theirs: Mapping[str, Features]) -> Iterator[_Pair]:
    """Each definition that is left with the few that it may be."""
    crowd = crowd_of(theirs, mine)
    by_name: dict[str, list[str]] = {}
    by_digest: dict[str, list[str]] = {}
    for symbol in theirs:
        by_name.setdefault(search.after[symbol].name, []).append(symbol)
        by_digest.setdefault(search.after[symbol].digest, []).append(symbol)
    for symbol, features in mine.items():
        sketch = search.before[symbol]
        named, same = by_name.get(sketch.name, ()), by_digest.get(sketch.digest, ())
        says = SAME_NAME / (1.0 + math.log(max(len(named), 1)))  # `forward` says little
        for other in dict.fromkeys((*same[:MOST_ALIKE], *named[:MOST_ALIKE], *crowd.nearest(features))):
            body = body_likeness(crowd, (sketch, features), (search.after[other], theirs[other]))
            yield _Pair(round(likeness_of(search, body, (sketch, search.after[other]), says), 4), symbol, other)


MOST_ALIKE = 24  # of one name, or of one body, that are compared


def likeness_of(search: _Search, body: float, both: tuple[Sketch, Sketch], says: float) -> float:
    """How likely two definitions are the same: alike in body, and more so where name, class or module is the same.

    `says`: what it says that the name is the same.
    """
    one, other = both
    name = says if one.name == other.name else ALIKE_NAME * name_likeness(one.name, other.name)
    owner = SAME_OWNER if search.became.get(one.owner, one.owner) == other.owner else 0.0
    module = SAME_MODULE if one.module == other.module else 0.0
    return (1 - TELLS_APART) * body * raised(body, name, owner, module) + TELLS_APART * raised(0.0, name, owner, module)


def choose(search: _Search, pairs: Sequence[_Pair]) -> None:
    """Takes the likeliest pairs. Where several are as likely none is taken: it is a doubt, and told."""
    of_before: dict[str, list[_Pair]] = {}
    of_after: dict[str, list[_Pair]] = {}
    for pair in pairs:
        of_before.setdefault(pair.before, []).append(pair)
        of_after.setdefault(pair.after, []).append(pair)
    for pair in pairs:
        if pair.before in search.became or pair.after in search.was or pair.before in search.doubts:
            continue
        alike = [one for one in of_before[pair.before] if is_rival(one, pair) and one.after not in search.was]
        claimed = [one for one in of_after[pair.after] if is_rival(one, pair) and one.before not in search.became]
        if alike:
            search.doubts[pair.before] = tuple(sorted({pair.after, *(one.after for one in alike)}))
        elif claimed:
            search.doubts |= {one.before: (pair.after,) for one in (pair, *claimed)}
        else:
            search.pair(pair.before, pair.after, pair.likeness)


def is_rival(one: _Pair, pair: _Pair) -> bool:
    """Whether another pair is as likely."""
    return one != pair and one.likeness >= pair.likeness - ALIKE


def pair_members(search: _Search) -> None:
    """The members of classes that were paired under other symbols, by their names."""
    new: dict[tuple[str, str], str] = {(search.after[symbol].owner, search.after[symbol].name): symbol for symbol in search.new()}
    for symbol in search.lost():
        sketch = search.before[symbol]
        owner = search.became.get(sketch.owner)
        found = new.get((owner, sketch.name)) if owner is not None else None
        if found is not None and found not in search.was and is_class(sketch) == is_class(search.after[found]):
            search.pair(symbol, found, 1.0)


def pair_by_members(search: _Search) -> None:
    """Classes that have no match by what they say, but most of whose members are now those of one new class."""
    pairs: list[_Pair] = []
    for symbol, members in lost_classes(search).items():
        for owner, n in heirs(search, members).items():
            if owner not in search.was and n >= max(FEW_MEMBERS, MOST_OF_MEMBERS * len(members)):
                pairs.append(_Pair(round(n / len(members), 4), symbol, owner))
    choose(search, sorted(pairs, key=lambda pair: pair.rank))


def lost_classes(search: _Search) -> dict[str, list[str]]:
    """The classes that have no match, with their members."""
    found: dict[str, list[str]] = {symbol: [] for symbol in search.lost() if is_class(search.before[symbol])}
    for symbol, sketch in search.before.items():
        if sketch.owner in found:
            found[sketch.owner].append(symbol)
    return found


def heirs(search: _Search, members: Sequence[str]) -> dict[str, int]:
    """The classes that members went to, with how many: the first one got most."""
    went = Counter(search.after[search.became[one]].owner for one in members if one in search.became)
    classes = {owner: n for owner, n in went.items() if owner in search.after and is_class(search.after[owner])}
    return dict(sorted(classes.items(), key=lambda item: (-item[1], item[0])))


def splits_of(search: _Search) -> Iterator[Split]:
    """The classes that are gone, but whose members are elsewhere."""
    for symbol, members in lost_classes(search).items():
        parts = heirs(search, members)
        if parts:
            yield Split(symbol, tuple(parts.items()))


def result(search: _Search) -> Matching:
    """What was found, in order."""
    pairs = sorted(search.became.items())
    matches = tuple(Match(one, other, how(search, one, other), search.likeness[one]) for one, other in pairs)
    doubts = tuple(Doubt(symbol, candidates) for symbol, candidates in sorted(search.doubts.items()))
    return Matching(matches, doubts, tuple(splits_of(search)), tuple(search.lost()), tuple(search.new()))


def how(search: _Search, before: str, after: str) -> How:
    """Whether it was moved, renamed, or both: what stands in another class or module has moved, with its class or alone."""
    if before == after:
        return How.SAME
    one, other = search.before[before], search.after[after]
    has_moved = one.module != other.module or search.became.get(one.owner, one.owner) != other.owner
    if one.name == other.name:
        return How.MOVED
    return How.MOVED_AND_RENAMED if has_moved else How.RENAMED
