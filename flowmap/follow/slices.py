"""All that a value reaches, or comes from: by distance, each member with the step that brings it in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flowmap.follow.ends import Named
from flowmap.follow.order import InOrder
from flowmap.follow.search import Ends, Following, Search, Tree, find
from flowmap.follow.state import Spot
from flowmap.follow.telling import told
from flowmap.follow.world import World
from flowmap.model.flow import FlowStep


@dataclass(frozen=True, slots=True)
class Member:
    """One step that a slice holds, how many told steps it is away, and the step before it (None: what was asked about)."""

    step: FlowStep
    distance: int
    before: FlowStep | None


@dataclass(frozen=True, slots=True)
class Slice:
    """The members, the nearest first, and whether the search stopped at a bound."""

    members: tuple[Member, ...]
    n_steps: int
    is_bounded: bool


def slice_of(world: World, named: Named, following: Following, limit: int, most_steps: int) -> Slice:
    """Up to `limit` members of a slice, in at most `most_steps` steps of search."""
    starts = tuple(spot for spot, _ in named.starts)
    _, tree = find(world, Search(starts, Ends(), following, most_steps, sift=InOrder(world).sift))
    members: dict[tuple[object, ...], Member] = {}
    total = 0
    for member in reached(world, tree):
        key = (member.step.function, member.step.line, member.step.what, member.step.detail)
        if key not in members:
            total += 1
            if len(members) < limit:
                members[key] = member
    ranked = sorted(members.values(), key=lambda one: one.distance)
    return Slice(tuple(ranked), tree.n_steps, tree.is_bounded or total > limit)


def reached(world: World, tree: Tree) -> Iterator[Member]:
    """The told steps of a search, in the order in which they were reached."""
    known: dict[Spot, tuple[int, FlowStep | None]] = {}
    for spot, came in tree.came.items():
        if came is None:
            known[spot] = (0, None)
            continue
        before, edge = came
        distance, last = known[before]
        if edge.what is None or edge.place is None:
            known[spot] = (distance, last)
            continue
        step = told(world, edge, edge.what)
        known[spot] = (distance + 1, step)
        yield Member(step, distance + 1, last)
