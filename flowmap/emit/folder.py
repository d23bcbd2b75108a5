"""Where a package is emitted to: a folder that is new or ours, exchanged whole; what others put there stays."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from flowmap.model.emit import EmittedFile
from flowmap.model.problem import FlowmapError, Problem

MANIFEST = ".flowmap-emitted.json"  # in the folder: what flowmap wrote there
_FORMAT = 1
_SWEPT = "__pycache__"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was written to a folder: by which recipe, and the digest of each file by its path."""

    recipe: str
    digests: Mapping[str, str]


def check_folder(folder: Path, recipe: str) -> None:
    """Say at once that nothing can be emitted to a folder, before anything is indexed.

    Errors: FlowmapError when it is there and not an emitted package of this recipe, or files in it were changed since.
    """
    if not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir())):
        _check_parent(folder)
        return
    if not folder.is_dir():
        raise FlowmapError(Problem(str(folder), "is a file", "Name a folder: -o DIR."))
    known = manifest_in(folder)
    if known is None:
        what = "is there, and flowmap did not emit it: nothing in it is touched"
        raise FlowmapError(Problem(str(folder), what, "Name a folder that is not there yet: -o DIR."))
    if known.recipe != recipe:
        what = f"holds what `flowmap emit {known.recipe}` wrote"
        raise FlowmapError(Problem(str(folder), what, "Name another folder: -o DIR."))
    changed = [path for path, digest in sorted(known.digests.items()) if _digest_at(folder / path) not in (digest, "")]
    if changed:
        fix = "Keep what you changed in a file of your own beside it, or emit to another folder: -o DIR."
        raise FlowmapError(*(Problem(str(folder / path), "was changed since it was emitted", fix) for path in changed))


def _check_parent(folder: Path) -> None:
    parent = folder.absolute().parent
    existing = next(place for place in (parent, *parent.parents) if os.path.lexists(place))
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise FlowmapError(Problem(str(folder), "cannot be made there", "Name a folder below one that you can write to: -o DIR."))


def manifest_in(folder: Path) -> Manifest | None:
    """What flowmap wrote to a folder; None where it wrote nothing."""
    try:
        table = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(table, dict) or table.get("format") != _FORMAT or not isinstance(table.get("files"), dict):
        return None
    return Manifest(str(table.get("recipe", "")), table["files"])


def write_folder(folder: Path, recipe: str, files: Sequence[EmittedFile]) -> None:
    """Write a package: made beside the folder and moved to its place when it is whole. What others put into the folder stays.

    Errors: FlowmapError when the disk does not take it, or what others put there stands in the way.
    """
    place = Path(os.path.realpath(folder))
    _check_room(place, files)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
        try:
            _fill(made, recipe, files)
            _exchange(made, place)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise FlowmapError(
            Problem(str(folder), f"cannot be written: {error.strerror}", "Name another folder: -o DIR.")
        ) from error


def _check_room(place: Path, files: Sequence[EmittedFile]) -> None:
    known = manifest_in(place)
    ours = {} if known is None else known.digests
    theirs = [place / file.path for file in files if file.path not in ours and os.path.lexists(place / file.path)]
    if theirs:
        fix = "Give it another name, or emit to another folder: -o DIR."
        raise FlowmapError(*(Problem(str(path), "is not of flowmap, and would be overwritten", fix) for path in theirs))


def _fill(made: Path, recipe: str, files: Sequence[EmittedFile]) -> None:
    for file in files:
        path = made / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    digests = {file.path: _digest(file.content) for file in files}
    table = {"format": _FORMAT, "recipe": recipe, "files": digests}
    (made / MANIFEST).write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8", newline="\n")
    made.chmod(0o777 & ~_mask())


def _exchange(made: Path, place: Path) -> None:
    """Puts a folder that is whole in the place of another, whose other files it takes over."""
    if not place.is_dir():
        os.replace(made, place)
        return
    known = manifest_in(place)
    theirs = list(_others(place, Path(), {} if known is None else known.digests))
    before = Path(tempfile.mkdtemp(prefix=f".{place.name}.before.", dir=place.parent)) / place.name
    with ExitStack() as undo:  # whatever ends it half-way, also a key that is pressed: all is where it was
        undo.callback(_remove_empty, before.parent)
        _move(place, before, undo)
        for path in theirs:
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            _move(before / path, made / path, undo)
        _move(made, place, undo)
        undo.pop_all()
    shutil.rmtree(before.parent, ignore_errors=True)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _move(path: Path, to: Path, undo: ExitStack) -> None:
    undo.callback(_move_back, to, path)
    os.replace(path, to)


def _move_back(path: Path, to: Path) -> None:
    if os.path.lexists(path) and not os.path.lexists(to):
        os.replace(path, to)


def _others(folder: Path, below: Path, ours: Mapping[str, str]) -> Iterator[Path]:
    """What others put into a folder: of folders without a file of ours the folder."""
    for entry in sorted((folder / below).iterdir()):
        path = below / entry.name
        if path.as_posix() in (*ours, MANIFEST) or entry.name == _SWEPT:
            continue
        if entry.is_dir() and not entry.is_symlink() and any(name.startswith(f"{path.as_posix()}/") for name in ours):
            yield from _others(folder, path, ours)
        else:
            yield path


def _digest_at(path: Path) -> str:
    """The digest of a file; "" where there is none, which is written anew; another one for what is no file any more."""
    if not os.path.lexists(path):
        return ""
    return _digest(path.read_bytes()) if path.is_file() else "no file"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
