"""A revision of a local clone, read from git's objects. The work tree, the index and the configured filters stay untouched."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.source import OpenedSource
from flowmap.source.archive import why_not_inside
from flowmap.source.folder import Layout, layout_of, notebooks_left_out
from flowmap.source.names import SourceName, label_of
from flowmap.source.unpacked import open_kept

_ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_OF_ANOTHER_CLONE = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})  # set inside git hooks
_WANTED = (".py", ".pyi", "pyproject.toml", "setup.cfg")
_PLAIN_MODES = ("100644", "100755", "100664")


@dataclass(frozen=True, slots=True)
class _Blob:
    path: str
    mode: str
    name: str


def open_revision(named: SourceName) -> OpenedSource:
    """Open `git:PATH@REV`. PATH may be a folder inside the clone: then that folder is the source.

    Errors: FlowmapError when git is missing, PATH lies in no clone, or REV names no commit of it.
    """
    clone = Path(named.target)
    commit = _commit(clone, named.version)
    prefix = os.fsdecode(_git(clone, "rev-parse", "--show-prefix")).strip()
    tree = _git(clone, "rev-parse", "--verify", f"{commit}:{prefix}").decode().strip()
    label = f"git:{label_of(clone)}@{named.version}"
    name = re.sub(r"\W+", "-", clone.name)
    return open_kept(f"git-{name}-{tree[:16]}", label, f"git:{name}:{tree}", partial(_write_tree, clone, commit))


def _commit(clone: Path, revision: str) -> str:
    if shutil.which("git") is None:
        raise FlowmapError(Problem("git", "is not installed", "Install git, or name a folder or an archive instead."))
    if not _is_in_clone(clone):
        raise FlowmapError(Problem(str(clone), "lies in no git clone", "Name the folder of a local clone."))
    try:
        return _git(clone, "rev-parse", "--verify", "--end-of-options", revision + "^{commit}").decode().strip()
    except FlowmapError:
        fix = f"See `git -C {clone} branch --all` and `git -C {clone} tag`."
        raise FlowmapError(Problem(f"git:{clone}@{revision}", f"the clone has no revision `{revision}`", fix)) from None


def _is_in_clone(clone: Path) -> bool:
    try:
        return bool(_git(clone, "rev-parse", "--git-dir"))
    except FlowmapError as error:
        if "dubious ownership" in str(error):
            raise
        return False


def _write_tree(clone: Path, commit: str, files: Path) -> tuple[Layout, tuple[Problem, ...]]:
    """Write the Python files of a commit below a folder of the clone's name: a clone may itself be a package."""
    folder = files / clone.name
    blobs = _blobs(clone, commit)
    wanted = tuple(blob for blob in blobs if blob.path.endswith(_WANTED))
    plain = tuple(blob for blob in wanted if blob.mode in _PLAIN_MODES and not why_not_inside(blob.path))
    folder.mkdir()
    for blob, content in zip(plain, _contents(clone, plain), strict=True):
        _write(folder / blob.path, content)
    left_out = frozenset(wanted) - frozenset(plain)
    problems = tuple(_left_out(blob) for blob in wanted if blob in left_out)
    return layout_of(folder), (*problems, *notebooks_left_out(sum(blob.path.endswith(".ipynb") for blob in blobs)))


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise FlowmapError(Problem(str(path), f"cannot be written: {error.strerror}", "See `flowmap cache list`.")) from error


def _left_out(blob: _Blob) -> Problem:
    return Problem(repr(blob.path)[1:-1], f"{why_not_inside(blob.path) or 'is a link'} and is left out")


def _blobs(clone: Path, commit: str) -> tuple[_Blob, ...]:
    """The files below the clone's folder in the commit; paths are relative to that folder."""
    listing = _git(clone, "ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
    blobs = []
    for row in listing.split("\0"):
        meta, _, path = row.partition("\t")
        if path:
            mode, kind, name = meta.split()
            blobs += [_Blob(path, mode, name)] if kind == "blob" else []
    return tuple(blobs)


def _contents(clone: Path, blobs: tuple[_Blob, ...]) -> tuple[bytes, ...]:
    answer = _git(clone, "cat-file", "--batch", question="".join(f"{blob.name}\n" for blob in blobs).encode())
    contents, position = [], 0
    for blob in blobs:
        end = answer.index(b"\n", position)
        fields = answer[position:end].split()
        if fields[-1] == b"missing":
            fix = f"Try `git -C {clone} fetch`."
            raise FlowmapError(Problem(f"{clone}: {blob.path}", "the clone lacks this file's content", fix))
        start = end + 1
        position = start + int(fields[2]) + 1
        contents.append(answer[start : position - 1])
    return tuple(contents)


def _git(clone: Path, *arguments: str, question: bytes = b"") -> bytes:
    command = ["git", "-C", str(clone), *arguments]
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_CLONE}
    done = subprocess.run(command, input=question, capture_output=True, env={**inherited, **_ENVIRONMENT}, check=False)
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise FlowmapError(Problem(str(clone), f"git says: {message[0] if message else 'nothing'}", " ".join(message[1:])[:300]))
    return done.stdout
