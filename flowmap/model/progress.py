"""How long work tells that it goes on."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the steps of one task at a time. Whoever starts a task also finishes it."""

    def start(self, task: str, total: int) -> None:
        """A task begins. `total` counts the steps to come, 0 when that is not known."""

    def advance(self, n: int) -> None:
        """`n` more steps are done."""

    def finish(self) -> None:
        """The task is over, whether it succeeded or not."""


class SilentProgress:
    """Tells nothing."""

    def start(self, task: str, total: int) -> None:
        """Does nothing."""

    def advance(self, n: int) -> None:
        """Does nothing."""

    def finish(self) -> None:
        """Does nothing."""
