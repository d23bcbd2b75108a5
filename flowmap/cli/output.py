"""Writes rows to a file, whole or not at all; to a pipe, a device or standard output as they come."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

import click

from flowmap.model.problem import FlowmapError, Problem

STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1")
_N_BUFFERED = 512
_FIX = "Name a file in a folder that exists."


class OutputFile(click.ParamType[str]):
    """A file that can be named for output: said before a code base is indexed, or a program is run, in vain."""

    name = "file"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name. Errors: BadParameter when it is blank or names a folder, FlowmapError when nothing can be written there."""
        if not value.strip():
            self.fail("it is empty; name a file.", param, ctx)
        if os.path.isdir(value):
            self.fail(f"{value} is a folder; name a file in it.", param, ctx)
        place = Path(value) if _is_special(value) else _target(value).parent
        if value not in STANDARD_OUTPUT and not os.access(place, os.W_OK):
            raise FlowmapError(Problem(value, "cannot be written there", _FIX))
        return value


def write_rows(output: str | None, lines: Iterable[str]) -> None:
    """Write rows to the file of that name; None and "-" are standard output.

    A regular file, the one that a link leads to, is replaced when all rows are there; whatever else stands under the name (a
    pipe, a device) is written into as it is. Errors: FlowmapError when the file cannot be written.
    """
    if output is None or output in STANDARD_OUTPUT:
        _pour(lines, sys.stdout)
        return
    try:
        if _is_special(output):
            with open(output, "w", encoding="utf-8", newline="\n") as file:
                _pour(lines, file)
        else:
            _replace(_target(output), lines)
    except BrokenPipeError:  # a reader that has what it wanted
        raise
    except OSError as error:
        raise FlowmapError(Problem(output, f"cannot be written: {error.strerror}", _FIX)) from error


def write_bytes(output: str | None, content: bytes) -> None:
    """Write what is no text, as `write_rows` does. Errors: FlowmapError when the file cannot be written."""
    if output is None or output in STANDARD_OUTPUT:
        sys.stdout.buffer.write(content)
        return
    try:
        if _is_special(output):
            Path(output).write_bytes(content)
            return
        path = _target(output)
        handle, name = tempfile.mkstemp(prefix=".flowmap.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        _move(Path(name), path)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FlowmapError(Problem(output, f"cannot be written: {error.strerror}", _FIX)) from error


def _is_special(output: str) -> bool:
    """Whether something stands there that is no regular file, or only looks like one through an open file of this process."""
    try:
        found = os.stat(output)
    except OSError:
        return False
    return not stat.S_ISREG(found.st_mode) or os.path.abspath(output).startswith(("/dev/", "/proc/"))


def _target(output: str) -> Path:
    """The file that is meant, at the end of all links."""
    return Path(os.path.realpath(output))


def _replace(path: Path, lines: Iterable[str]) -> None:
    handle, name = tempfile.mkstemp(prefix=".flowmap.", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            _pour(lines, file)
        _move(part, path)
    finally:
        part.unlink(missing_ok=True)


def _move(part: Path, path: Path) -> None:
    """Puts a file that is whole in the place of another."""
    part.chmod(_permissions(path))
    os.replace(part, path)


def _permissions(path: Path) -> int:
    """Those of the file that is replaced, else what the user's new files have."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _pour(lines: Iterable[str], stream: TextIO) -> None:
    buffered: list[str] = []
    for line in lines:
        buffered.append(line)
        if len(buffered) == _N_BUFFERED:
            stream.write("\n".join(buffered) + "\n")
            buffered.clear()
    if buffered:
        stream.write("\n".join(buffered) + "\n")
