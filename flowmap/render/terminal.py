"""The console that text is printed on."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console


class Page(Console):
    """A console that leaves it to the command what a closed pipe means, instead of ending the process itself."""

    def on_broken_pipe(self) -> NoReturn:
        """Pass the error on."""
        raise BrokenPipeError
