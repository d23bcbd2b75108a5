"""The calls that are given a field's value, or a number that is reckoned of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.follow.search import Ends, Following, Search, Tree, find
from flowmap.follow.state import Spot
from flowmap.follow.world import World
from flowmap.model.flow import ANY_CLASS, Move, Row
from flowmap.model.program import Site
from flowmap.store.index import Index

MOST_STEPS = 3_000


@dataclass(frozen=True, slots=True)
class Given:
    """The calls, as (function, line, name of what is called)."""

    calls: frozenset[tuple[int, int, str]]
    notes: tuple[str, ...]

    def holds(self, site: Site) -> bool:
        """Whether a call site is one of them."""
        name = site.expr.partition("(")[0].rpartition(".")[2]
        return any((site.caller.id, line, name) in self.calls for line in (site.place.line, site.name_line))


def calls_given(index: Index, fields: Sequence[tuple[int, str]]) -> Given:
    """The calls to which a value of one of the fields (owner, name), or a number reckoned of it, is an argument, or is in one."""
    world = World(index)
    starts = tuple(Spot((owner, name, ANY_CLASS)) for owner, name in fields)
    _, tree = find(world, Search(starts, Ends(), Following.NUMBER, MOST_STEPS))
    more = f"the value was followed for {MOST_STEPS:,} steps, where that stopped: there may be more calls"
    return Given(frozenset(_calls(world, tree)), (more,) if tree.is_bounded else ())


def _calls(world: World, tree: Tree) -> Iterator[tuple[int, int, str]]:
    for spot in tree.came:
        if isinstance(spot.at, int) and not spot.back:
            for scope, number in world.uses(spot.at):
                row = world.row((scope, number))
                if row[0] == Move.CALL and _is_argument(row, spot.at):
                    yield scope, row[1], row[3]


def _is_argument(row: Row, node: int) -> bool:
    return any(each in (node, ~node) for each in row[5]) or any(each == node for _, each in row[6])
