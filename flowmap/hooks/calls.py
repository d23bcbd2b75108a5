"""Who runs whom in one index, as far as a question about hooks looks: what is machinery is run, and not looked into."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from flowmap.store.index import Index

_EDGES = """
SELECT s.caller, s.rank, t.symbol FROM site s JOIN target t ON t.site = s.id JOIN symbol y ON y.id = t.symbol
WHERE t.confidence <> 'possible' AND s.kind <> 'border' AND s.status <> 'pruned' AND y.kind NOT IN ('external', 'class')
ORDER BY s.caller, s.rank, s.id, t.position
"""


@dataclass(frozen=True, slots=True)
class Calls:
    """For each caller what it runs, with the rank of the site: of two sites of one caller the lower one runs first."""

    runs: Mapping[int, tuple[tuple[int, int], ...]]  # caller: (rank, callee)

    def callees(self, caller: int) -> list[int]:
        """What a definition runs, in the order in which it does."""
        return [callee for _, callee in self.runs.get(caller, ())]

    def reached(self, starts: Iterable[int]) -> frozenset[int]:
        """The definitions themselves and all that runs when they do."""
        found = set(starts)
        waiting = list(found)
        while waiting:
            new = {callee for callee in self.callees(waiting.pop()) if callee not in found}
            found |= new
            waiting += sorted(new)
        return frozenset(found)

    def reaching(self, targets: Iterable[int], within: Collection[int]) -> frozenset[int]:
        """The definitions themselves and all among `within` that may run one of them, however far away."""
        callers: dict[int, list[int]] = {}
        for caller in within:
            for callee in self.callees(caller):
                callers.setdefault(callee, []).append(caller)
        found = set(targets)
        waiting = list(found)
        while waiting:
            new = {caller for caller in callers.get(waiting.pop(), ()) if caller not in found}
            found |= new
            waiting += sorted(new)
        return frozenset(found)


def all_calls(index: Index) -> Calls:
    """All calls of an index, guesses by name and what runs elsewhere left out."""
    runs: dict[int, list[tuple[int, int]]] = {}
    for caller, rank, callee in index.rows(_EDGES):
        runs.setdefault(caller, []).append((rank, callee))
    return Calls({caller: tuple(dict.fromkeys(found)) for caller, found in runs.items()})


def looked_into(calls: Calls, machinery: Collection[int]) -> Calls:
    """The same calls without those that machinery makes."""
    return Calls({caller: found for caller, found in calls.runs.items() if caller not in machinery})
