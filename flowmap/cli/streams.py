"""The three streams of the process, also where a shell closed one (`>&-`) or passes on bytes that are no text."""

from __future__ import annotations

import os
import sys
from io import FileIO, TextIOWrapper

_INPUT, _OUTPUT, _ERROR = 0, 1, 2


def take_streams() -> None:
    """Make all three usable: what a console cannot show, or is not text, is replaced. A closed one stays closed to whoever
    writes, but its number is taken, so that no file that is opened later gets it."""
    if sys.stdin is None:
        sys.stdin = _taken(_INPUT, os.O_RDONLY, "r")
    if sys.stdout is None:
        sys.stdout = _taken(_OUTPUT, os.O_RDONLY, "w")  # writing to it fails, as it should
    if sys.stderr is None:
        sys.stderr = _taken(_ERROR, os.O_WRONLY, "w")
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _taken(number: int, how: int, mode: str) -> TextIOWrapper:
    opened = os.open(os.devnull, how)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return TextIOWrapper(FileIO(number, mode, closefd=False), encoding="utf-8")
