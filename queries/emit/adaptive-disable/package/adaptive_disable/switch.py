"""Switched off for good while the server runs: by a file or by a signal."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

LOOKS_EVERY = 0.5
"""Seconds between two looks at the file system: a look costs microseconds, a decode step is to cost none."""
logger = logging.getLogger("adaptive_disable")


class KillSwitch:
    """Off until the file exists or `trip` is called; then on for good. Seen at the next decision, the file half a
    second later; said once in the log.

    Deleting the file does not switch the hook on again: only a restart does. Where it cannot be told whether the file
    is there (its folder may not be searched any more), it counts as there: the stock path is right at any time.
    """

    def __init__(self, file: Path | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._clock = clock
        self._looks_at = clock()
        self._tripped = False
        self._because = "by a signal"
        self._said = False

    def trip(self) -> None:
        """Switch the hook off for good. May be called from a signal handler or another thread."""
        self._tripped = True

    @property
    def tripped(self) -> bool:
        """Whether the hook is off for good."""
        if self._said:
            return True
        if not self._tripped and self._file is not None and self._clock() >= self._looks_at:
            self._looks_at = self._clock() + LOOKS_EVERY
            self._tripped = self._is_there(self._file)
        if self._tripped:
            self._said = True
            logger.warning("adaptive-disable: off for good, every step takes the stock path: %s", self._because)
        return self._tripped

    def _is_there(self, file: Path) -> bool:
        try:
            is_there = file.exists()
        except OSError as error:
            self._because = f"{file} cannot be looked for: {error.strerror}"
            return True
        self._because = f"{file} exists" if is_there else self._because
        return is_there


def trips_on_signal(switch: KillSwitch) -> None:
    """Let SIGUSR2 trip the switch. Call it in the main thread of the scheduler's process; it raises `ValueError`
    elsewhere.
    """

    def tripped(_number: int, _frame: FrameType | None) -> None:
        switch.trip()

    signal.signal(signal.SIGUSR2, tripped)
