"""Unpack what is needed of a wheel, zip or sdist. The archive is not trusted.

Only plain files with wanted names are written, into a fresh folder and by names that cannot leave it; since no link is ever
made there, no later member can be led out by an earlier one.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from flowmap.model.problem import FlowmapError, Problem
from flowmap.source.folder import notebooks_left_out

MAX_MEMBERS = 300_000
MAX_FILE_BYTES = 64 * 2**20  # of one file that is written, and of one header
MAX_BYTES = 2 * 2**30  # of all that is written
MAX_STREAM_BYTES = 16 * 2**30  # of all members of a tar file: to reach one, those before it must be decompressed
_CHUNK = 2**20
_WANTED = (".py", ".pyi")
_WANTED_NAMES = frozenset({"pyproject.toml", "setup.cfg", "PKG-INFO", "entry_points.txt", "WHEEL"})
_COMPRESSIONS: tuple[tuple[bytes, Any], ...] = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, gzip.BadGzipFile)
_INSTALLED_ELSEWHERE = re.compile(r"[^/]+\.data/(purelib|platlib)/")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


@dataclass(frozen=True, slots=True)
class _Member:
    """One entry of an archive. `problem` says why it cannot be unpacked, "" when it can."""

    name: str
    size: int
    problem: str
    open: Callable[[], IO[bytes] | None]


@dataclass(slots=True)
class _Tally:
    n_notebooks: int = 0
    n_bytes: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list)  # (name, why)


def unpack(archive: Path, folder: Path) -> tuple[Problem, ...]:
    """Write the archive's Python files and what says how they belong together into an empty folder; say what was left out.

    Problems of the whole archive have an empty `where`. Errors: FlowmapError when it is no archive, is damaged, or exceeds
    the bounds above.
    """
    tally = _Tally()
    try:
        with _opened(archive) as members:
            for n_members, member in enumerate(members, 1):
                if n_members > MAX_MEMBERS:
                    raise FlowmapError(Problem(str(archive), f"holds more than {MAX_MEMBERS:,} entries", "Unpack it by hand."))
                _unpack_member(archive, member, folder, tally)
    except _DAMAGED as error:
        raise FlowmapError(Problem(str(archive), f"is damaged: {error}", "Fetch or build it again.")) from error
    except OSError as error:
        raise FlowmapError(Problem(str(archive), f"cannot be unpacked: {error}")) from error
    return (*_as_problems(tally.left_out), *notebooks_left_out(tally.n_notebooks))


@contextmanager
def _opened(archive: Path) -> Iterator[Iterator[_Member]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zip_file:
            yield _zip_members(zip_file)
        return
    with archive.open("rb") as raw:
        start = raw.read(8)
        raw.seek(0)
        if start.startswith(b"PK\x03\x04"):
            raise zipfile.BadZipFile("the end of the zip file is missing")
        stream = next((opener(raw) for magic, opener in _COMPRESSIONS if start.startswith(magic)), raw)
        try:
            tar = tarfile.open(fileobj=_BoundedStream(stream), mode="r:")  # type: ignore[call-overload]  # noqa: SIM115
        except tarfile.ReadError:
            fix = "Name a wheel, a zip file, an sdist (.tar.gz), or a folder that holds .py files."
            raise FlowmapError(Problem(str(archive), "is no archive: neither zip nor tar", fix)) from None
        with tar:
            yield _tar_members(archive, tar)


class _BoundedStream:
    """A stream that refuses to read more in one piece than any honest header or chunk has."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        if not 0 <= size <= MAX_FILE_BYTES:
            raise tarfile.TarError(f"a header of {size:,} bytes")
        return self._stream.read(size)

    def seek(self, position: int) -> int:
        return self._stream.seek(position)

    def tell(self) -> int:
        return self._stream.tell()


def _zip_members(opened: zipfile.ZipFile) -> Iterator[_Member]:
    for entry in opened.infolist():
        if entry.is_dir():
            continue
        kind = (entry.external_attr >> 16) & 0o170000
        problem = "is a link or a device" if kind not in (0, 0o100000) else "is encrypted" if entry.flag_bits & 1 else ""
        yield _Member(entry.filename, entry.file_size, problem, partial(opened.open, entry))


def _tar_members(archive: Path, opened: tarfile.TarFile) -> Iterator[_Member]:
    n_bytes = 0
    for entry in opened:
        n_bytes += entry.size
        if n_bytes > MAX_STREAM_BYTES:
            raise FlowmapError(Problem(str(archive), f"unpacks to more than {MAX_STREAM_BYTES:,} bytes", "Unpack it by hand."))
        if not entry.isdir():
            problem = "" if entry.isfile() else "is a link or a device"
            yield _Member(entry.name, entry.size, problem, partial(opened.extractfile, entry))


def _unpack_member(archive: Path, member: _Member, folder: Path, tally: _Tally) -> None:
    name = member.name.rpartition("/")[2]
    if name.endswith(".ipynb"):
        tally.n_notebooks += 1
    if not name.endswith(_WANTED) and name not in _WANTED_NAMES:
        return
    if problem := member.problem or _why_not(member):
        tally.left_out.append((member.name, problem))
        return
    path = _INSTALLED_ELSEWHERE.sub("", member.name, count=1)
    if ".data/" in path.partition("/")[0] + "/":
        return  # scripts, headers and other data of a wheel: nothing that is imported
    tally.n_bytes += member.size
    if tally.n_bytes > MAX_BYTES:
        raise FlowmapError(Problem(str(archive), f"unpacks to more than {MAX_BYTES:,} bytes of Python", "Unpack it by hand."))
    if problem := _write(member, folder / path):
        tally.left_out.append((member.name, problem))


def why_not_inside(path: str) -> str:
    """Why a path from an archive or a git tree cannot be written below a folder, "" when it can."""
    if path.startswith("/") or "\\" in path or ":" in path.partition("/")[0] or ".." in path.split("/"):
        return "has a path that leads out"
    return "" if path.isprintable() else "has a name that is not text"


def _why_not(member: _Member) -> str:
    return why_not_inside(member.name) or (f"has {member.size:,} bytes" if member.size > MAX_FILE_BYTES else "")


def _write(member: _Member, path: Path) -> str:
    """Write one member; "" when it worked, else why this file system cannot hold it (a name too long, a file for a folder)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.open("wb")
    except OSError as error:
        if error.errno in _FULL:
            raise
        return f"cannot be written: {error.strerror}"
    stream = member.open()
    with target:
        while stream is not None and (chunk := stream.read(_CHUNK)):
            target.write(chunk)
    return ""


def _as_problems(left_out: list[tuple[str, str]]) -> tuple[Problem, ...]:
    return tuple(Problem(_printable(name), f"{why} and is left out") for name, why in sorted(left_out))


def _printable(name: str) -> str:
    return name.encode("unicode_escape").decode("ascii") if not name.isprintable() else name
