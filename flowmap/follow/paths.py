"""The ways of a value from one place to another, the most telling first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from flowmap.follow.ends import Named
from flowmap.follow.search import Ends, Following, Move, Search, find, penalize
from flowmap.follow.telling import path_of
from flowmap.follow.world import World
from flowmap.model.flow import FlowPath, FlowStep, What

FURTHER = 2_000  # steps of a search for a further path
TRIES = 2  # searches for each path that is wanted: a further one may differ in what is not told


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths, and whether the search stopped at its bound."""

    paths: tuple[FlowPath, ...]
    n_steps: int
    is_bounded: bool


def paths(world: World, start: Named, end: Named, limit: int, most_steps: int) -> Paths:
    """Up to `limit` paths in at most `most_steps` steps of search, the best first: few steps that are told, and sure ones; last
    those whose branches exclude each other."""
    penalties: defaultdict[Move, float] = defaultdict(float)
    found: dict[tuple[tuple[object, ...], ...], FlowPath] = {}
    n_steps, is_bounded = 0, False
    for _ in range(limit * TRIES):
        if sum(path.exclusion is None for path in found.values()) == limit or n_steps >= most_steps:
            break
        most = most_steps - n_steps if not found else min(most_steps - n_steps, FURTHER)
        search = Search(tuple(spot for spot, _ in start.starts), end.ends, Following.VALUE, most, penalties)
        way, tree = find(world, search)
        n_steps += tree.n_steps
        if way is None:
            is_bounded = tree.is_bounded and (not found or most < FURTHER)
            break
        path = path_of(world, (start, end), way)
        if path is not None:
            key = tuple((step.file, step.line, step.what) for step in path.steps if step.what is not What.CARRIED)
            found.setdefault(key, path)
        penalize(penalties, way)
    return Paths(ranked(found.values())[:limit], n_steps, is_bounded or n_steps >= most_steps)


def ranked(found: Iterable[FlowPath]) -> tuple[FlowPath, ...]:
    """Paths whose branches exclude each other last, otherwise in their order."""
    return tuple(sorted(found, key=lambda path: path.exclusion is not None))


def onward(world: World, start: Named, limit: int, most_steps: int) -> Paths:
    """The ways to the fields that a value reaches first; fields that are reached by the same steps share one."""
    search = Search(tuple(spot for spot, _ in start.starts), Ends(), Following.VALUE, most_steps)
    _, tree = find(world, search)
    found: dict[tuple[FlowStep, ...], FlowPath] = {}
    seen: set[tuple[int, str]] = set()
    nowhere = Named("", (), Ends())
    for spot, came in tree.came.items():
        if came is None or not isinstance(spot.at, tuple) or spot.at[:2] in seen:
            continue
        seen.add(spot.at[:2])
        path = path_of(world, (start, nowhere), tree.way(spot))
        if path is None:
            continue
        steps = tuple(replace(step, detail="") if step.what is What.STORED else step for step in path.steps)
        if steps not in found and len(found) == limit:
            break
        same = found.get(steps, path)
        found[steps] = replace(same, ends=tuple(dict.fromkeys((*same.ends, *path.ends))))
    return Paths(ranked(found.values()), tree.n_steps, tree.is_bounded)
