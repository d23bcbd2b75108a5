"""Puts a thousand questions of each kind to one index, in one process, and prints how many it answers in a second of processor
time: other work on the machine does not count."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from flowmap.api import CodeBase
from flowmap.model.progress import SilentProgress
from flowmap.pipeline import open_index
from flowmap.source.resolve import choose_subject

N_QUESTIONS, STEP = 1000, 11
FUNCTIONS = """
SELECT text FROM symbol WHERE kind IN ('function', 'method') AND file IS NOT NULL GROUP BY text HAVING count(*) = 1 ORDER BY text
"""


def rate(ask: Callable[[str], object], names: list[str]) -> float:
    """Answers a second."""
    start = time.process_time()
    for name in names:
        ask(name)
    return len(names) / (time.process_time() - start)


def main() -> None:
    """Every eleventh function, so that all parts of the code base are asked about."""
    index = open_index(choose_subject((sys.argv[1],), (), Path.cwd()), SilentProgress())
    names = [text for (text,) in index.rows(FUNCTIONS)][: N_QUESTIONS * STEP : STEP]
    code = CodeBase(index)
    for name, ask in (("callees", code.callees), ("callers", code.callers), ("where", code.where)):
        print(f"{name}\t{rate(ask, names)}")


if __name__ == "__main__":
    main()
