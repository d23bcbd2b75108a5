"""One scenario after the other where times are taken: servers start side by side, and measure step times and serve in turns."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def turn(folder: Path, *, wanted: bool) -> Iterator[None]:
    """Wait until no other process that shares a folder has its turn, and have it. Nothing is waited for where none is wanted."""
    if not wanted:
        yield
        return
    with (folder / "turn").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
