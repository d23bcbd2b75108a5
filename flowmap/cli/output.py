"""Writes rows to a file, whole or not at all, or to standard output."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from flowmap.model.problem import FlowmapError, Problem

_N_BUFFERED = 512


def write_rows(output: str | None, lines: Iterable[str]) -> None:
    """Write rows to the file of that name; None and "-" are standard output.

    Errors: FlowmapError when the file cannot be written.
    """
    if output is None or output == "-":
        _pour(lines, sys.stdout)
        return
    path = Path(output)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise FlowmapError(
            Problem(output, f"cannot be written: {error.strerror}", "Name a file in a folder that exists.")
        ) from error
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            _pour(lines, file)
        _as_a_new_file(part)
        os.replace(part, path)
    except OSError as error:
        raise FlowmapError(Problem(output, f"cannot be written: {error.strerror}")) from error
    finally:
        part.unlink(missing_ok=True)


def _as_a_new_file(path: Path) -> None:
    """Give a temporary file the permissions that the user's new files have."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)


def _pour(lines: Iterable[str], stream: TextIO) -> None:
    buffered: list[str] = []
    for line in lines:
        buffered.append(line)
        if len(buffered) == _N_BUFFERED:
            stream.write("\n".join(buffered) + "\n")
            buffered.clear()
    if buffered:
        stream.write("\n".join(buffered) + "\n")
