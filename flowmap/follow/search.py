"""The search: the cheapest way from some spots to an end, over moves that are found as it goes (E. W. Dijkstra, 1959).

Calls and returns are matched by the calls that a spot remembers (CFL reachability with a bounded call string: T. Reps, 1998),
so that a path leaves a function where it entered it.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from flowmap.follow.aliases import aliases
from flowmap.follow.backward import backward
from flowmap.follow.forward import forward
from flowmap.follow.state import Edge, Spot
from flowmap.follow.world import Place, World
from flowmap.model.flow import Field, What
from flowmap.model.flow import Move as Row

Step = tuple[Spot, Edge]  # from where, by which move
Sift = Callable[[Spot, Step | None, Iterable[Edge]], Iterable[Edge]]  # a spot, what led there, and the moves onward


class Following(Enum):
    """What is followed: a value with all that is derived from it; a number with what is reckoned of it, not what is made with it;
    one object and nothing else; what a value comes from."""

    VALUE = auto()
    NUMBER = auto()
    OBJECT = auto()
    ORIGIN = auto()


NO_ROW = (-1,)
Move = tuple[int | Field, Place | None, int | Field]  # from where, by which row, to where
ENTERING = (What.STORED, What.PASSED)  # by a row that ends a search


@dataclass(frozen=True, slots=True)
class Ends:
    """Where a search ends: at nodes and fields, or once it has passed a row."""

    nodes: frozenset[int] = frozenset()
    fields: frozenset[tuple[int, str]] = frozenset()
    rows: frozenset[Place] = frozenset()

    def reached(self, edge: Edge) -> bool:
        """Whether a move leads to the end, or to a container there that holds what is followed."""
        return (edge.place in self.rows and edge.what in ENTERING) or self.holds(edge.spot)

    def holds(self, spot: Spot) -> bool:
        """Whether a spot is an end."""
        at = spot.at
        return at[:2] in self.fields if isinstance(at, tuple) else at in self.nodes


@dataclass(frozen=True, slots=True)
class Way:
    """A way that a search found: its start, and its moves."""

    start: Spot
    edges: tuple[Edge, ...]
    cost: float


@dataclass(slots=True)
class Tree:
    """All that a search reached: the move by which each spot was reached first, and from where."""

    came: dict[Spot, Step | None] = field(default_factory=dict)
    costs: dict[Spot, float] = field(default_factory=dict)
    n_steps: int = 0
    is_bounded: bool = False

    def way(self, spot: Spot) -> Way:
        """The way to a spot."""
        edges: list[Edge] = []
        at = spot
        while (step := self.came[at]) is not None:
            at, edge = step
            edges.append(edge)
        return Way(at, tuple(reversed(edges)), self.costs[spot])


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched: from where, to where, following what, how far."""

    starts: tuple[Spot, ...]
    ends: Ends
    following: Following
    most_steps: int
    penalties: Mapping[Move, float] = field(default_factory=dict)
    most_cost: float = math.inf
    sift: Sift | None = None  # leaves moves out; None: all count


def find(world: World, search: Search) -> tuple[Way | None, Tree]:
    """The cheapest way, and all that was reached meanwhile; no way where there is none within the bound."""
    tree = Tree()
    waiting: list[tuple[float, int, Spot, Step | None]] = []
    for number, start in enumerate(search.starts):
        heapq.heappush(waiting, (0.0, number, start, None))
    number = len(waiting)
    while waiting:
        cost, _, spot, step = heapq.heappop(waiting)
        if spot in tree.came:
            continue
        tree.came[spot], tree.costs[spot] = step, cost
        whole = search.following is Following.VALUE or not spot.path
        if whole and not spot.back and (search.ends.holds(spot) if step is None else search.ends.reached(step[1])):
            return tree.way(spot), tree
        if cost > search.most_cost:
            break
        if tree.n_steps == search.most_steps:
            tree.is_bounded = True
            break
        tree.n_steps += 1
        onward = moves(world, spot, search.following, None if step is None else step[1].place)
        for edge in onward if search.sift is None else search.sift(spot, step, onward):
            if edge.spot not in tree.came:
                number += 1
                penalty = search.penalties.get((spot.at, edge.place, edge.spot.at), 0.0) if search.penalties else 0.0
                heapq.heappush(waiting, (cost + edge.cost + penalty, number, edge.spot, (spot, edge)))
    return None, tree


AGAIN = 2.5  # what the same move costs more on a further path


def penalize(penalties: defaultdict[Move, float], way: Way) -> None:
    """Makes the told moves of a way dearer, so that another way is found next."""
    at = way.start.at
    for edge in way.edges:
        if edge.what is not None:
            penalties[at, edge.place, edge.spot.at] += AGAIN
        at = edge.spot.at


def moves(world: World, spot: Spot, following: Following, since: Place | None) -> Iterable[Edge]:
    """The moves from a spot that count; `since` is the row that led there."""
    if following is Following.ORIGIN:
        return backward(world, spot)
    found = aliases(world, spot) if spot.back else forward(world, spot, since)
    if following is Following.VALUE:
        return found
    if following is Following.NUMBER:
        return (edge for edge in found if edge.what is not What.DERIVED or is_reckoned(world, edge))
    return (parked(edge) for edge in found if edge.what is not What.DERIVED)


RECKONING = frozenset({"abs", "ceil", "divmod", "floor", "int", "max", "min", "pow", "round", "sum"})


def is_reckoned(world: World, edge: Edge) -> bool:
    """Whether a number is made of a number: by an operator, or by a function that does nothing else."""
    row = world.row(edge.place) if edge.place else NO_ROW
    return row[0] == Row.DERIVE or (row[0] == Row.CALL and row[3] in RECKONING)


PARKED = 0.1  # of its cost outside a container


def parked(edge: Edge) -> Edge:
    """A move of an object; into and out of containers that are kept somewhere it moves at little cost."""
    return edge._replace(cost=edge.cost * PARKED) if edge.spot.path and edge.what in (What.STORED, What.LOADED) else edge
