"""Whether the branches that a path goes through can all be taken: not where a test holds at one step and not at another.

Within one activation of a function a test is the same test as long as nothing binds its names anew between the two; a test of
attributes alone that only constructors store is the same in every activation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from keyword import iskeyword
from typing import NamedTuple

from flowmap.follow.blocks import branches_around, loop_around
from flowmap.follow.world import Place, World
from flowmap.model.flow import Exclusion, Move, Touch

_TEXTS = "JOIN guard_list g ON g.id = x.guards JOIN guard_list e ON e.id = x.early_exit_guards"
_OF_SITES = f"SELECT x.line, g.texts, e.texts FROM site x {_TEXTS} WHERE x.caller = ?"
_OF_FIELDS = f"""
SELECT x.function, x.line, g.texts, e.texts FROM access x {_TEXTS} WHERE x.field = (SELECT id FROM field WHERE name = ?)
"""
CONDITION = re.compile(r"(?:if|elif|while) (.+)", re.DOTALL)
NEGATED = re.compile(r"not \((.+)\)", re.DOTALL)
TEXT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
ATTRIBUTE = re.compile(r"\.([A-Za-z_]\w*)")
STEADY = re.compile(r"self(?:\.[A-Za-z_]\w*)+")


class Stand(NamedTuple):
    """Where a step of a path stands, and the field that it touches, "" for none. `activation` is the same for steps of one; None
    where that is not known."""

    scope: int
    line: int
    field: str
    activation: tuple[object, ...] | None


class Held(NamedTuple):
    """A test that holds at a line, or does not."""

    test: str
    holds: bool


@dataclass(slots=True)
class Exclusions:
    """Tests that contradict each other along paths; what is read of functions is kept."""

    world: World
    of_sites: dict[int, dict[int, set[Held]]] = field(default_factory=dict)  # by function and line
    of_fields: dict[str, dict[tuple[int, int], set[Held]]] = field(default_factory=dict)  # by field, function and line

    def of(self, stands: Sequence[Stand]) -> Exclusion | None:
        """The first pair of steps that cannot both be reached; None where there is none."""
        functions = dict.fromkeys(stand.scope for stand in stands)
        for scope in functions:
            inside = [stand for stand in dict.fromkeys(stands) if stand.scope == scope]
            for first, second in combinations(inside, 2):
                for test in self.opposed(first, second):
                    places = [(self.world.file_of(scope), stand.line) for stand in (first, second)]
                    holding = places if Held(test, True) in self.held(first) else places[::-1]
                    return Exclusion(test, holding[0], holding[1])
        return None

    def opposed(self, first: Stand, second: Stand) -> Iterator[str]:
        """The tests that hold at one of two places in a function and not at the other, and are the same test at both."""
        here, there = self.held(first), self.held(second)
        for test, holds in sorted(here):
            if Held(test, not holds) in there and Held(test, holds) not in there and self.is_same(test, first, second):
                yield test

    def is_same(self, test: str, first: Stand, second: Stand) -> bool:
        """Whether a test comes out alike at two places of a function."""
        if first.activation is not None and first.activation == second.activation:
            return not self.changes(first.scope, test, (min(first.line, second.line), max(first.line, second.line)))
        return STEADY.fullmatch(test) is not None and all(map(self.is_steady, ATTRIBUTE.findall(test)))

    def is_steady(self, name: str) -> bool:
        """Whether only constructors store an attribute."""
        storing = [scope for _, scope, how in self.world.touches(name) if how & Touch.STORES]
        return bool(storing) and all(self.world.scope(scope).moves.is_init for scope in storing)

    def changes(self, scope: int, test: str, lines: tuple[int, int]) -> bool:
        """Whether something of a test may be bound or stored anew between two lines of a function, or in a loop around both."""
        first = min(loop_around(self.world, scope, lines) or lines[0], lines[0])
        bare = TEXT.sub("", test)
        names = {name for name in NAME.findall(bare) if not iskeyword(name)}
        attributes = set(ATTRIBUTE.findall(bare))
        last = lines[1] if first == lines[0] else 1 << 30
        loaded = self.world.scope(scope)
        bound = (node for node, label in loaded.moves.labels.items() if label in names)
        made = (loaded.moves.rows[number] for node in bound for number in loaded.makes.get(node, ()))
        stored = (row for row in loaded.moves.rows if row[0] in (Move.STORE, Move.DELETE) and row[3] in attributes)
        return any(first <= row[1] <= last for row in (*made, *stored))

    def held(self, stand: Stand) -> set[Held]:
        """The tests around a line of a function, and those that would have left before, as a call or an access of the field on
        that line tells them; where there is none, the tests that the text has around it."""
        if stand.scope not in self.of_sites:
            known = self.of_sites[stand.scope] = {}
            for line, *texts in self.world.index.rows(_OF_SITES, stand.scope):
                known.setdefault(line, set()).update(read(texts))
        if stand.field and stand.field not in self.of_fields:
            touching = self.of_fields[stand.field] = {}
            for function, line, *texts in self.world.index.rows(_OF_FIELDS, stand.field):
                touching.setdefault((function, line), set()).update(read(texts))
        of_field = self.of_fields.get(stand.field, {}).get((stand.scope, stand.line))
        of_site = self.of_sites[stand.scope].get(stand.line)
        if of_field is None and of_site is None:
            return {plain(Held(*branch)) for branch in branches_around(self.world, stand.scope, stand.line)}
        return (of_field or set()) | (of_site or set())


def read(texts: Iterable[str]) -> Iterator[Held]:
    """The tests in lists of guards: a `with`, a handler, a `for` is none."""
    for guard in (guard for text in texts for guard in json.loads(text)):
        if found := CONDITION.fullmatch(guard):
            yield plain(Held(found[1], True))
        elif found := NEGATED.fullmatch(guard):
            yield plain(Held(found[1], False))


def plain(held: Held) -> Held:
    """The same of the test without a `not` in front of it."""
    bare = held.test.removeprefix("not ")
    if bare == held.test or " and " in bare or " or " in bare:
        return held
    return Held(bare, not held.holds)


def stand_at(world: World, place: Place, activation: tuple[object, ...] | None) -> Stand:
    """Where a row stands."""
    row = world.row(place)
    name = row[4] if row[0] == Move.LOAD else row[3] if row[0] == Move.STORE else ""
    return Stand(place[0], int(row[1]), name, activation)
