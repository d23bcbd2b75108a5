"""Switched off for good while the server runs: by a file or by a signal."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

LOOKS_EVERY = 0.5
"""Seconds between two looks at the file system: a look costs microseconds, a decode step is to cost none."""


class KillSwitch:
    """Off until the file exists or `trip` is called; then on for good. Seen at the next decision, the file half a
    second later.

    Deleting the file does not switch the hook on again: only a restart does.
    """

    def __init__(self, file: Path | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._clock = clock
        self._looks_at = clock()
        self._tripped = False

    def trip(self) -> None:
        """Switch the hook off for good. May be called from a signal handler or another thread."""
        self._tripped = True

    @property
    def tripped(self) -> bool:
        """Whether the hook is off for good."""
        if not self._tripped and self._file is not None and self._clock() >= self._looks_at:
            self._looks_at = self._clock() + LOOKS_EVERY
            self._tripped = self._file.exists()
        return self._tripped


def trips_on_signal(switch: KillSwitch) -> None:
    """Let SIGUSR2 trip the switch. Call it in the main thread of the scheduler's process; it raises `ValueError`
    elsewhere.
    """

    def tripped(_number: int, _frame: FrameType | None) -> None:
        switch.trip()

    signal.signal(signal.SIGUSR2, tripped)
