"""Whether what loads a field can run after what stores it, where the text has them the other way round."""

from __future__ import annotations

import json
import re
from enum import Enum, auto

from flowmap.follow.carry import Hop, holder
from flowmap.follow.search import Way
from flowmap.follow.state import Edge
from flowmap.follow.world import Place, World, targets_of
from flowmap.model.flow import Move
from flowmap.model.program import DefinitionKind

_GUARDS = """
SELECT DISTINCT g.texts FROM target t JOIN site s ON s.id = t.site JOIN guard_list g ON g.id = s.guards
WHERE t.symbol = ? AND t.confidence <> 'possible'
"""
LOOP = re.compile(r"\s*(async\s+for|for|while)\b")
INDENTED = re.compile(r"(\s*)[^\s#]")


class Turn(Enum):
    """When a load runs that follows a store."""

    PLAIN = auto()  # nothing in the text is against it
    AGAIN = auto()  # it stands above the store, and a later call of the same function runs it
    NEVER = auto()  # it stands above the store, and its object is made anew by each call


def turn(world: World, hop: Hop, ways: tuple[Way, ...]) -> Turn:
    """When the load of a hop runs. `ways` are those of the object from the store to the load."""
    scope, line = hop.store[0], int(world.row(hop.store)[1])
    if world.row(hop.store)[0] != Move.STORE or len(ways) != 1 or any(outlives(world, scope, edge) for edge in ways[0].edges):
        return Turn.PLAIN
    places = [*(edge.place for edge in ways[0].edges if edge.place is not None), hop.load]
    inside = [int(world.row(place)[1]) for place in places if place[0] == scope]
    if not inside or inside[-1] >= line or in_one_loop(world, scope, (inside[-1], line)):
        return Turn.PLAIN
    return Turn.NEVER if is_new(world, hop.store) else Turn.AGAIN


def outlives(world: World, scope: int, edge: Edge) -> bool:
    """Whether a move takes an object where it outlives a call: into a field, a module's variable, back to the caller."""
    at, moves = edge.spot.at, world.scope(scope).moves
    if at in (moves.result, moves.yields):
        return True
    return not isinstance(at, int) or world.definition(world.owner(at)).kind is DefinitionKind.MODULE


def is_new(world: World, store: Place) -> bool:
    """Whether each call of a function makes the object anew whose field it stores."""
    node, scope = holder(world, store), store[0]
    if world.owner(node) != scope or world.definition(scope).kind is DefinitionKind.MODULE:
        return False
    makers = world.makers(node)
    while len(makers) == 1 and world.row(makers[0])[0] == Move.COPY:
        makers = world.makers(world.row(makers[0])[3])
    return bool(makers) and all(makes(world, place) for place in makers)


def makes(world: World, place: Place) -> bool:
    """Whether a row is a call that makes an object, and does nothing else."""
    row = world.row(place)
    targets = targets_of(row) if row[0] == Move.CALL else ()
    made = (world.is_class(target >> 1) or world.scope(target >> 1).moves.is_init for target in targets)
    return bool(targets) and all(made)


def in_one_loop(world: World, scope: int, lines: tuple[int, int]) -> bool:
    """Whether a loop of a function stands around two of its lines, the first above the second; read off the indentation."""
    place = world.definition(scope).place
    if place is None:
        return False
    upper, lower = lines
    texts = world.index.text_lines(place.file)
    column = indentation(texts[upper - 1])
    for number in range(upper - 1, place.line - 1, -1):
        text = texts[number - 1]
        if 0 <= indentation(text) < column:
            column = indentation(text)
            if LOOP.match(text) and all(not 0 <= indentation(each) <= column for each in texts[upper - 1 : lower]):
                return True
    return False


def is_called_in_a_loop(world: World, scope: int) -> bool:
    """Whether a call of a function stands in a loop of its caller."""
    guards = (text for (texts,) in world.index.rows(_GUARDS, scope) for text in json.loads(texts))
    return any(LOOP.match(text) for text in guards)


def indentation(text: str) -> int:
    """The blanks before a line's text; -1 where it has none."""
    found = INDENTED.match(text)
    return len(found[1]) if found else -1
