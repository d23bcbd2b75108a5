"""The worked examples of the manual's page about SQL: a program, and questions about it."""

from __future__ import annotations

PROGRAM = """\
from dataclasses import dataclass


@dataclass
class Result:
    lengths: list
    size: int = 0


class Request:
    def __init__(self):
        self.size = 0

    def take(self, result):
        if result.lengths:
            self.size += len(result.lengths)


class Worker:
    def verify(self, batch):
        if not batch:
            return Result([])
        return Result([len(one) for one in batch], size=len(batch))


class FastWorker(Worker):
    def verify(self, batch):
        return Result([1] * len(batch))


def make_worker(fast):
    return FastWorker() if fast else Worker()


def check():
    return Worker().verify([])


def main(fast, batch):
    worker = make_worker(fast)
    result = worker.verify(batch)
    Request().take(result)


if __name__ == "__main__":
    main(True, input())
"""

EXAMPLES = (
    ("Who may run `verify` of any class?", "SELECT caller, callee, file, line FROM edges WHERE callee_name = 'verify'"),
    (
        "What does a function run, and how sure is that?",
        "SELECT line, callee, confidence FROM edges WHERE caller = 'app.main' ORDER BY line, callee",
    ),
    (
        "Which functions does nothing in the code call?",
        """SELECT symbol, file, line FROM symbols
WHERE kind IN ('function', 'method') AND symbol NOT IN (SELECT callee FROM edges)""",
    ),
    (
        "Which functions are called from most places?",
        """SELECT callee, COUNT(*) AS n_sites, COUNT(DISTINCT caller) AS n_callers FROM edges
WHERE callee NOT LIKE 'ext:%' GROUP BY callee ORDER BY n_sites DESC, callee LIMIT 3""",
    ),
    (
        "What is written to a field, where, and under which conditions?",
        "SELECT owner, access, function, line, expr, guards FROM accesses WHERE field = 'size' AND access <> 'read'",
    ),
    (
        "Which functions hand a value to which others through a field?",
        "SELECT DISTINCT writer, owner, field, reader FROM flows WHERE field = 'lengths' AND writer <> owner",
    ),
    (
        "What must hold for a call to run?",
        "SELECT kind, guard, expr, file, line FROM guards WHERE caller = 'app.Worker.verify' ORDER BY line, col",
    ),
    (
        "Of how many call sites is how much known?",
        "SELECT status, COUNT(*) AS n FROM sites GROUP BY status ORDER BY n DESC, status",
    ),
    (
        "Everything that a function runs, however far away",
        """WITH RECURSIVE reached(symbol) AS (
    SELECT 'app.main' UNION SELECT callee FROM edges JOIN reached ON caller = symbol
)
SELECT symbol FROM reached WHERE symbol NOT LIKE 'ext:%' ORDER BY symbol""",
    ),
    (
        "Which classes inherit from one? (out of the tables below the views)",
        """SELECT heir.text AS heir, o.position FROM class_order o
JOIN symbol heir ON heir.id = o.class JOIN symbol base ON base.id = o.symbol
WHERE base.text = 'app.Worker' AND o.position > 0""",
    ),
)
