"""What is handed over to run elsewhere, as calls that stand where the handing over is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from flowmap.model.flow import BOUND, NOWHERE, Move, Row
from flowmap.solve.borders import crossings
from flowmap.solve.state import State
from flowmap.solve.values import Kind
from flowmap.subject.library import Border, Passing

Behind = tuple[Border, tuple[int, ...]]  # a border, and the targets behind it
Given = tuple[tuple[int, ...], tuple[tuple[str | None, int], ...]]  # arguments and keywords


def behind_borders(state: State) -> dict[int, list[Behind]]:
    """What runs behind the calls that cross a border, by site."""
    found: defaultdict[int, list[Behind]] = defaultdict(list)
    for one in crossings(state):
        targets = tuple(
            what << 1 | (BOUND if state.values.kinds[at.value] == Kind.BOUND else 0)
            for what, at in one.outcome.targets
            if isinstance(what, int)
        )
        found[one.site].append((one.border, targets))
    return dict(found)


def calls_behind(call: Row, borders: list[Behind]) -> Iterator[Row]:
    """The calls that a call hands over: what runs there, and with which of its arguments. Their name says why."""
    line = call[1]
    for border, targets in borders:
        arguments, keywords = given(border, call[5], call[6])
        if arguments or keywords:
            yield (Move.CALL, line, NOWHERE, border.why, NOWHERE, arguments, keywords, targets)


def given(border: Border, arguments: tuple[int, ...], keywords: tuple[tuple[str | None, int], ...]) -> Given:
    """What is passed there. Starred arguments are complements of nodes."""
    match border.passing:
        case Passing.MESSAGE:
            return tuple(arguments[one] for one in border.positions if one < len(arguments)), ()
        case Passing.REST:
            behind = arguments[border.positions[-1] + 1 :]
            return behind, tuple(one for one in keywords if one[0] not in border.keywords)
        case Passing.PACKED:
            named = dict(keywords)
            many = named.get("args", at(arguments, border.arguments))
            by_name = named.get("kwargs", at(arguments, border.arguments + 1))
            return (~many,) if many > NOWHERE else (), ((None, by_name),) if by_name > NOWHERE else ()
        case _:
            return (), ()


def at(arguments: tuple[int, ...], position: int) -> int:
    """The argument at a position, NOWHERE where there is none."""
    return arguments[position] if 0 <= position < len(arguments) else NOWHERE
