"""Where questions stand: those that are shipped, and a user's own, which come first: beside the configuration file, or without
one in the working folder.

Each sort of question has a shelf of its own: `queries/`, `queries/contracts/`, `queries/emit/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from flowmap.model.problem import FlowmapError, Problem

FOLDER = "queries"
_PACKAGE = Path(__file__).parents[1]
_ENDING = ".toml"


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where the files of one sort stand. `folder` is seen from the configuration file, and from the package; `noun` is what one
    of them is called, `lists` what lists them."""

    folder: str
    noun: str
    lists: str


QUERIES = Shelf(FOLDER, "query", "`flowmap queries`")
ATLASES = Shelf(f"{FOLDER}/atlas", "atlas", "The manual's page on atlases")
HOOKS = Shelf(f"{FOLDER}/hooks", "question about hooks", "`flowmap hooks --list`")
RECIPES = Shelf(f"{FOLDER}/emit", "recipe", "`flowmap emit --list`")
CONTRACTS = Shelf(f"{FOLDER}/contracts", "file of contracts", "`flowmap check --list`")


@dataclass(frozen=True, slots=True)
class QueryFile:
    """The file of a query. `shown`: as messages name it."""

    path: Path
    shown: str

    @property
    def name(self) -> str:
        """What the query is called."""
        return self.path.stem


def query_files(config: Path | None) -> Mapping[str, QueryFile]:
    """All queries by name. `config` is the user's configuration file."""
    return files_on(QUERIES, config)


def query_file(text: str, config: Path | None) -> QueryFile:
    """The query that FILE or NAME means. Errors: FlowmapError when there is none, with the nearest names."""
    return file_on(QUERIES, text, config)


def files_on(shelf: Shelf, config: Path | None) -> Mapping[str, QueryFile]:
    """All files of a shelf by name. `config` is the user's configuration file; without one those in the working folder count."""
    shipped = _shipped() / Path(shelf.folder).relative_to(FOLDER)
    own = (config.parent if config else Path.cwd()) / shelf.folder
    found = {path.stem: QueryFile(path, f"{shelf.folder}/{path.name}") for path in _files(shipped)}
    found |= {path.stem: QueryFile(path, _from_here(path)) for path in _files(own) if own.resolve() != shipped.resolve()}
    return dict(sorted(found.items()))


def file_on(shelf: Shelf, text: str, config: Path | None) -> QueryFile:
    """The file of a shelf that FILE or NAME means. Errors: FlowmapError when there is none, with the nearest names."""
    if text.endswith(_ENDING) or "/" in text or "\\" in text:
        path = Path(text)
        if path.is_file():
            return QueryFile(path, text)
        what = "is a folder" if path.is_dir() else "there is no such file"
        raise FlowmapError(Problem(text, what, f"{shelf.lists} lists those that have names."))
    known = files_on(shelf, config)
    if text not in known:
        near = get_close_matches(text, known, 3, 0.5) or [name for name in known if text in name]
        fix = f"Did you mean {' or '.join(near)}? " if near else ""
        raise FlowmapError(Problem(text, f"there is no {shelf.noun} of this name", f"{fix}{shelf.lists} lists them all."))
    return known[text]


def _shipped() -> Path:
    """The folder in the installed package; in a checkout the one beside it."""
    inside = _PACKAGE / FOLDER
    return inside if inside.is_dir() else _PACKAGE.parent / FOLDER


def _from_here(path: Path) -> str:
    """A path as the user would type it: from the working folder where it is below that."""
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{_ENDING}"))
