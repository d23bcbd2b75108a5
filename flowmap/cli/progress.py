"""Tells how long work goes on: a bar on a terminal, plain lines in a pipe, nothing when quiet. Always on standard error."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from flowmap.cli.asked import Voice
from flowmap.model.progress import Progress, SilentProgress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_BETWEEN_LINES = 5.0  # seconds


def progress_for(voice: Voice) -> Progress:
    """The progress that suits standard error."""
    if voice is Voice.QUIET:
        return SilentProgress()
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class BarProgress:
    """A bar with counts and the time left; with the time taken where nobody knows how much there is to do. It goes when the
    task is over."""

    def __init__(self) -> None:
        self._bars: Bars | None = None
        self._task: TaskID | None = None

    def start(self, task: str, total: int) -> None:
        """Show a bar; one that only moves where the total is not known."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        self.finish()
        counts = (MofNCompleteColumn(), TimeRemainingColumn()) if total else (TimeElapsedColumn(),)
        self._bars = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(), *counts, console=Console(stderr=True), transient=True
        )
        self._bars.start()
        self._task = self._bars.add_task(task, total=total or None)

    def advance(self, n: int) -> None:
        """Move the bar on."""
        if self._bars and self._task is not None:
            self._bars.advance(self._task, n)

    def finish(self) -> None:
        """Take the bar away."""
        if self._bars:
            self._bars.stop()
        self._bars = None


class LineProgress:
    """A line when a task begins, one every few seconds, and one when it is over: readable in a log."""

    def __init__(self) -> None:
        self._task, self._total, self._done = "", 0, 0
        self._began = self._told = 0.0

    def start(self, task: str, total: int) -> None:
        """Say what begins."""
        self._task, self._total, self._done = task, total, 0
        self._began = self._told = time.monotonic()
        self._say(f"{task}: {total:,} to do" if total else f"{task} …")

    def advance(self, n: int) -> None:
        """Say now and then how far it is."""
        self._done += n
        if time.monotonic() - self._told >= _BETWEEN_LINES:
            self._told = time.monotonic()
            self._say(f"{self._task}: {self._done:,}" + (f" of {self._total:,}" if self._total else ""))

    def finish(self) -> None:
        """Say how long it took."""
        if self._task:
            self._say(f"{self._task}: done in {time.monotonic() - self._began:.1f} s")
        self._task = ""

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)
