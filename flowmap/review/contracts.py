"""What becomes of contracts by a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flowmap.contracts.check import check_contracts
from flowmap.model.change import Diff
from flowmap.model.contract import ContractFile, Outcome, Standing
from flowmap.model.review import ContractTurn, Turn
from flowmap.store.index import Index


def contract_turns(before: Index, after: Index, files: Sequence[ContractFile], told: Diff) -> tuple[ContractTurn, ...]:
    """The contracts that break, that hold now, that stay broken, and those whose functions the change touches."""
    touched = frozenset(told.touched)
    return tuple(
        turn
        for file in files
        for old, new in zip(check_contracts(before, file), check_contracts(after, file), strict=True)
        for turn in _turn(file, old, new, touched)
    )


def _turn(file: ContractFile, old: Outcome, new: Outcome, touched: frozenset[str]) -> Iterator[ContractTurn]:
    known = {one.key for one in old.breaches}
    fresh = tuple(one for one in new.breaches if one.key not in known)
    spoken = tuple(dict.fromkeys(one.symbol for one in new.meant if _is_touched(one.symbol, touched)))
    if new.standing is Standing.BROKEN:
        turn = Turn.BREAKS if fresh else Turn.STAYS_BROKEN
        yield ContractTurn(file.name, new.contract, turn, fresh or new.breaches, spoken)
    elif old.standing is Standing.BROKEN:
        yield ContractTurn(file.name, new.contract, Turn.HOLDS_NOW, old.breaches, spoken)
    elif spoken:
        yield ContractTurn(file.name, new.contract, Turn.TOUCHED, (), spoken)


def _is_touched(symbol: str, touched: frozenset[str]) -> bool:
    """Whether a change touches a definition, or a function in it."""
    return symbol in touched or any(each.startswith(f"{symbol}.<locals>.") for each in touched)
