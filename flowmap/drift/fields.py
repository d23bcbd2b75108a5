"""Which field of one release is which of another, told by the functions that read and store it.

A renamed field leaves the functions that used it, and the new name comes to the same functions. A field that moved to another
object keeps its name there, and its users go through a new field of the class that had it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from flowmap.drift.likeness import name_likeness, raised
from flowmap.drift.matching import ALIKE, Doubt, How, Matching, Sketches
from flowmap.drift.matching import Match as FieldMatch
from flowmap.model.program import DefinitionKind
from flowmap.model.sketch import Field, Word

Users = dict[str, set[str]]  # by the name of a field: the functions, by their symbol in the first release
ENOUGH = 0.55  # two functions that exchanged one name for another, or one and a name that is like it
ALIKE_NAME, SAME_TYPE = 0.4, 0.08  # of what is missing to full likeness, how much these make up for
FEW_USERS = 2
MOST_OF_USERS = 0.5
_NAMES = re.compile(r"\w+")
_AS_FIELD = (Word.READ, Word.STORED, Word.KEYWORD)


@dataclass(frozen=True, slots=True)
class FieldMatching:
    """What became of the fields of classes that are there in both releases, where it is not that they stayed."""

    matches: tuple[FieldMatch, ...]
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class Uses:
    """Of names of fields: the functions that speak of them in the first release alone, in the second alone, and in both."""

    lost: Users = field(default_factory=dict)
    new: Users = field(default_factory=dict)
    kept: Users = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Owner:
    """A class in both releases, and the fields that only one of them has."""

    before: str
    after: str
    gone: Mapping[str, Field]
    new: Mapping[str, Field]
    now: Mapping[str, Field]  # all that the second one has


def match_fields(
    sides: tuple[Sketches, Sketches], fields: tuple[Iterable[Field], Iterable[Field]], matching: Matching
) -> FieldMatching:
    """What became of the fields of two releases, given what became of their definitions."""
    before, after = by_owner(fields[0]), by_owner(fields[1])
    everyone = list(changed_owners(sides, (before, after), matching))
    owners = [owner for owner in everyone if owner.gone]
    names = {name for owner in owners for name in (*owner.gone, *owner.new)}
    uses = uses_of(sides, names, matching)
    newcomers = {(owner.after, name) for owner in everyone for name in owner.new}
    newcomers |= {(symbol, name) for symbol in matching.new for name in after.get(symbol, ())}
    found = [one for owner in owners for one in became(owner, uses, newcomers)]
    matches = tuple(sorted((one for one in found if isinstance(one, FieldMatch)), key=lambda one: one.before))
    doubts = tuple(sorted((one for one in found if isinstance(one, Doubt)), key=lambda one: one.before))
    return FieldMatching(matches, doubts)


def by_owner(fields: Iterable[Field]) -> dict[str, dict[str, Field]]:
    """The fields of each class and module, by name."""
    found: dict[str, dict[str, Field]] = {}
    for one in fields:
        found.setdefault(one.owner, {})[one.name] = one
    return found


def changed_owners(
    sides: tuple[Sketches, Sketches],
    fields: tuple[Mapping[str, dict[str, Field]], Mapping[str, dict[str, Field]]],
    matching: Matching,
) -> Iterator[_Owner]:
    """The classes and modules of both releases that lost or gained a field."""
    modules = {name: name for name in fields[0] if name not in sides[0]}
    classes = {one.before: one.after for one in matching.matches if sides[0][one.before].kind == DefinitionKind.CLASS}
    for before, after in sorted((modules | classes).items()):
        mine, theirs = fields[0].get(before, {}), fields[1].get(after, {})
        gone = {name: one for name, one in mine.items() if name not in theirs}
        new = {name: one for name, one in theirs.items() if name not in mine}
        if gone or new:
            yield _Owner(before, after, gone, new, theirs)


def uses_of(sides: tuple[Sketches, Sketches], names: set[str], matching: Matching) -> Uses:
    """Who speaks of names, before and after."""
    uses = Uses()
    for one in matching.matches:
        mine = spoken(sides[0][one.before].words, names)
        theirs = spoken(sides[1][one.after].words, names)
        for users, found in ((uses.lost, mine - theirs), (uses.new, theirs - mine), (uses.kept, mine & theirs)):
            for name in found:
                users.setdefault(name, set()).add(one.before)
    return uses


def spoken(words: Iterable[str], names: set[str]) -> set[str]:
    """Those of some names that words use as fields."""
    return {word[1:] for word in words if word[1:] in names and word.startswith(_AS_FIELD)}


def became(owner: _Owner, uses: Uses, newcomers: set[tuple[str, str]]) -> Iterator[FieldMatch | Doubt]:
    """What became of each field that a class lost, where that can be told."""
    settled: set[str] = set()
    for one in renamed(owner, uses):
        settled.add(one.before.rpartition(".")[2])
        yield one
    for name in sorted(owner.gone.keys() - settled):
        homes = sorted(symbol for symbol, other in newcomers if other == name)
        yield from moved(owner, name, [home for home in homes if leads_to(owner, name, home, uses)])


def renamed(owner: _Owner, uses: Uses) -> Iterator[FieldMatch | Doubt]:
    """The fields that have another name now, the likeliest first; in doubt where two names are as likely."""
    likely = ((renaming(gone, new, uses), gone.name, new.name) for gone in owner.gone.values() for new in owner.new.values())
    pairs = sorted((pair for pair in likely if pair[0] >= ENOUGH), key=lambda pair: (-pair[0], pair[1], pair[2]))
    settled: set[str] = set()
    taken: set[str] = set()
    for likeness, gone, new in pairs:
        if gone in settled or new in taken:
            continue
        settled.add(gone)
        others = (one for one in pairs if one[1] == gone and one[2] != new and one[2] not in taken)
        rivals = [one[2] for one in others if one[0] >= likeness - ALIKE]
        if rivals:
            yield Doubt(f"{owner.before}.{gone}", tuple(f"{owner.after}.{name}" for name in sorted((new, *rivals))))
        else:
            taken.add(new)
            yield FieldMatch(f"{owner.before}.{gone}", f"{owner.after}.{new}", How.RENAMED, round(likeness, 4))


def moved(owner: _Owner, name: str, homes: list[str]) -> Iterator[FieldMatch | Doubt]:
    """A field that another class has now under its name; in doubt where several may."""
    if len(homes) == 1:
        yield FieldMatch(f"{owner.before}.{name}", f"{homes[0]}.{name}", How.MOVED, 1.0)
    elif homes:
        yield Doubt(f"{owner.before}.{name}", tuple(f"{home}.{name}" for home in homes))


def renaming(gone: Field, new: Field, uses: Uses) -> float:
    """How likely one field is another by now: by how many functions exchanged the names, by name and annotation."""
    lost, came = uses.lost.get(gone.name, set()), uses.new.get(new.name, set())
    both = len(lost & came)
    if not both:
        return 0.0
    share = (both / len(lost) + both / len(came)) / 2 * both / (both + 1)  # the new name may come to others, too
    same_type = SAME_TYPE if gone.declared and gone.declared == new.declared else 0.0
    return raised(share, ALIKE_NAME * name_likeness(gone.name, new.name), same_type)


def leads_to(owner: _Owner, name: str, home: str, uses: Uses) -> bool:
    """Whether a field of the class leads to where its old one may be: as it is declared or made; or since it is a new one, and
    those who use the old one go through it."""
    last = home.rpartition(".")[2]
    if any(last in (*_NAMES.findall(one.declared), one.made.rpartition(".")[2]) for one in owner.now.values()):
        return True
    kept = uses.kept.get(name, set())
    through = (len(kept & uses.new.get(new, set())) for new in owner.new)
    return any(n >= max(FEW_USERS, MOST_OF_USERS * len(kept)) for n in through)
