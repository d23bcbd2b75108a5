"""Which loops and branches stand around lines of a function, read off the text."""

from __future__ import annotations

import json
import re

from flowmap.follow.world import World

_GUARDS = """
SELECT DISTINCT g.texts FROM target t JOIN site s ON s.id = t.site JOIN guard_list g ON g.id = s.guards
WHERE t.symbol = ? AND t.confidence <> 'possible'
"""
LOOP = re.compile(r"\s*(async\s+for|for|while)\b")
BRANCH = re.compile(r"\s*(if|elif|else)\b\s*(.*?)\s*:\s*(?:#.*)?$")
INDENTED = re.compile(r"(\s*)[^\s#]")


def in_one_loop(world: World, scope: int, lines: tuple[int, int]) -> bool:
    """Whether a loop of a function stands around two of its lines, the first above the second."""
    return loop_around(world, scope, lines) > 0


def loop_around(world: World, scope: int, lines: tuple[int, int]) -> int:
    """The line of the outermost loop of a function that stands around two of its lines, the first above the second; 0 where none
    does. Read off the indentation."""
    place = world.definition(scope).place
    if place is None:
        return 0
    upper, lower = lines
    outermost = 0
    texts = world.index.text_lines(place.file)
    column = indentation(texts[upper - 1])
    for number in range(upper - 1, place.line - 1, -1):
        text = texts[number - 1]
        if 0 <= indentation(text) < column:
            column = indentation(text)
            if LOOP.match(text) and all(not 0 <= indentation(each) <= column for each in texts[upper - 1 : lower]):
                outermost = number
    return outermost


def branches_around(world: World, scope: int, line: int) -> list[tuple[str, bool]]:
    """The tests of `if` statements of a function around one of its lines, each with whether it holds there; those that do not
    stand on one line are left out."""
    place = world.definition(scope).place
    if place is None:
        return []
    texts = world.index.text_lines(place.file)
    column, found = indentation(texts[line - 1]), list[tuple[str, bool]]()
    behind = -1  # the column of an `else` or `elif`, whose `if` is still to come
    for text in reversed(texts[place.line : line - 1]):
        at = indentation(text)
        header = BRANCH.match(text) if 0 <= at < column or (at == behind and at >= 0) else None
        if 0 <= at < column:
            column, behind = at, -1
            found.extend([(header[2], True)] if header and header[2] else [])
            behind = at if header and header[1] != "if" else -1
        elif header and at == behind and header[1] != "else":
            found.append((header[2], False))
            behind = at if header[1] == "elif" else -1
        elif at == behind:
            behind = -1  # of a loop or a `try`, or its head spans lines
    return found


def is_called_in_a_loop(world: World, scope: int) -> bool:
    """Whether a call of a function stands in a loop of its caller."""
    guards = (text for (texts,) in world.index.rows(_GUARDS, scope) for text in json.loads(texts))
    return any(LOOP.match(text) for text in guards)


def indentation(text: str) -> int:
    """The blanks before a line's text; -1 where it has none."""
    found = INDENTED.match(text)
    return len(found[1]) if found else -1
