"""Room for trees that nest deeply."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

DEEPEST = 5000  # calls; of Python functions alone, which do not use the stack of C


@contextmanager
def room_for_deep_trees() -> Iterator[None]:
    """Lets a block recurse deeper than Python lets programs by default: some generated files nest hundreds of expressions."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
