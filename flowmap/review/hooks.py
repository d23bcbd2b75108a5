"""What becomes of hook points by a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flowmap.hooks.answer import hook_points
from flowmap.model.change import Diff
from flowmap.model.hooks import Candidate, HookQuestion
from flowmap.model.problem import FlowmapError
from flowmap.model.review import HookTurn
from flowmap.store.index import Index


def hook_turns(before: Index, after: Index, question: HookQuestion, told: Diff) -> tuple[HookTurn, ...]:
    """The hook points that came, went, are judged otherwise, owe something else, or whose text is changed.

    Errors: FlowmapError when the question cannot be asked after the change.
    """
    new = {one.definition.symbol: one for one in hook_points(after, after, question).candidates}
    old = _before(before, question, told)
    touched = frozenset(told.touched)
    symbols = (*new, *(symbol for symbol in old if symbol not in new))
    return tuple(turn for symbol in symbols for turn in _turn(question, symbol, (old.get(symbol), new.get(symbol)), touched))


def _before(before: Index, question: HookQuestion, told: Diff) -> Mapping[str, Candidate]:
    """The hook points before the change by their new names; none where the question could not be asked yet."""
    became = {one.before: one.after for one in told.renamed}
    try:
        candidates = hook_points(before, before, question).candidates
    except FlowmapError:
        return {}
    return {_now(one.definition.symbol, became): one for one in candidates}


def _now(symbol: str, became: Mapping[str, str]) -> str:
    around = symbol
    while around:
        if around in became:
            return became[around] + symbol[len(around) :]
        around = around.rpartition(".")[0]
    return symbol


def _turn(
    question: HookQuestion, symbol: str, sides: tuple[Candidate | None, Candidate | None], touched: frozenset[str]
) -> Iterator[HookTurn]:
    old, new = sides
    before, after = (one.verdict.value if one else "" for one in sides)
    owed, owes = ({obligation.name for obligation in one.obligations} if one else set() for one in sides)
    is_other = old is None or new is None or before != after or owes != owed
    if is_other or symbol in touched:
        place = new.definition.place if new else None
        more, fewer = (tuple(sorted(owes - owed)), tuple(sorted(owed - owes))) if old and new else ((), ())
        yield HookTurn(question.name, symbol, before, after, more, fewer, symbol in touched, place)
