"""Several releases by one text: `A..B` for all between two versions, or a list of sources and versions."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from flowmap.model.problem import FlowmapError, Problem
from flowmap.source.cache import SECONDS_A_DAY, VERSIONS, put_file
from flowmap.source.cache_places import releases_folder
from flowmap.source.content import text_of
from flowmap.source.package_index import offer_of
from flowmap.source.pip import pip_settings
from flowmap.source.release import no_such_project, versions_kept

_RANGE = re.compile(r"(?:pypi:(?P<project>[\w.-]+?)==)?(?P<first>v?\d[\w.+!-]*?)\.\.(?P<last>v?\d[\w.+!-]*)")
_PROJECT = re.compile(r"(?:pypi|dist):(?P<project>[\w.-]+?)(?:==.*)?")
FORMS = "Write `A..B`, versions with commas between them, or any sources: `pypi:NAME==1.0,./checkout`."
_N_NEAR = 2  # versions that are named before and after an empty range


@dataclass(frozen=True, slots=True)
class Across:
    """The sources that are meant, in their order, each once; `problems`: what could not be asked, `notes`: what was chosen."""

    sources: tuple[str, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def across(texts: Sequence[str], project: str, every: int) -> Across:
    """What `--across` names. `project` is that of versions without one; of a range each `every`th counts, and both ends.

    Errors: FlowmapError for a text that names nothing: no version, a range that is reversed or holds no release.
    """
    parts = [part for text in texts for part in _parts(text)]
    if not parts:
        raise FlowmapError(Problem("--across", "names no release", FORMS))
    found = [_meant(part, project, every) for part in parts]
    return Across(
        tuple(dict.fromkeys(source for one in found for source in one.sources)),
        tuple(note for one in found for note in one.notes),
        tuple(dict.fromkeys(problem for one in found for problem in one.problems)),
    )


def project_of(sources: Sequence[str]) -> str:
    """The project whose versions are meant where sources name one; "" where none does."""
    matches = (_PROJECT.fullmatch(source) for source in sources)
    return next((match["project"] for match in matches if match), "")


def _parts(text: str) -> list[str]:
    whole = text.strip()
    return [whole] if os.path.exists(whole) else [part.strip() for part in whole.split(",") if part.strip()]


def _meant(part: str, project: str, every: int) -> Across:
    if os.path.exists(part):
        return Across((part,))
    if match := _RANGE.fullmatch(part):
        return _range(part, (match["first"], match["last"]), match["project"] or _known(part, project), every)
    version = _version(part)
    return Across((f"pypi:{_known(part, project)}=={version}",)) if version else Across((part,))


def _known(part: str, project: str) -> str:
    if not project:
        raise FlowmapError(Problem(part, "is a version, and nothing says of which project", f"Write `pypi:NAME=={part}`."))
    return project


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _range(part: str, ends: tuple[str, str], project: str, every: int) -> Across:
    first, last = (_version(end) for end in ends)
    if first is None or last is None:
        wrong = ends[0] if first is None else ends[1]
        raise FlowmapError(Problem(part, f"`{wrong}` is not a version", FORMS))
    if first > last:
        raise FlowmapError(Problem(part, f"{ends[0]} comes after {ends[1]}", f"Try `{ends[1]}..{ends[0]}`."))
    known, problems = _known_versions(project)
    inside = [
        version for version in known if first <= version <= last and (not version.is_prerelease or version in (first, last))
    ]
    if not inside:
        raise FlowmapError(*problems, _none_between(part, (first, last), project, known))
    chosen = inside[::every] if inside[-1] in inside[::every] else [*inside[::every], inside[-1]]
    of = f" of {len(inside)}" if len(chosen) < len(inside) else ""
    note = f"{project} {inside[0]} to {inside[-1]}: {len(chosen)}{of} releases"
    return Across(tuple(f"pypi:{project}=={version}" for version in chosen), (note,), problems)


def _none_between(part: str, ends: tuple[Version, Version], project: str, known: Sequence[Version]) -> Problem:
    near = [version for version in known if version < ends[0]][-_N_NEAR:] + [version for version in known if version > ends[1]][
        :_N_NEAR
    ]
    fix = f"Known versions near it: {', '.join(map(str, near))}." if near else FORMS
    return Problem(part, f"there is no release of {project} between these two", fix)


def _known_versions(project: str) -> tuple[list[Version], tuple[Problem, ...]]:
    """The versions of a project, asked for once a day; without the index those in the cache, and the problem that says so."""
    remembered = releases_folder() / f"{canonicalize_name(project)}{VERSIONS}"
    known = text_of(remembered)
    if known and time.time() - os.path.getmtime(remembered) < SECONDS_A_DAY:
        return [Version(line) for line in known.splitlines()], ()
    try:
        versions = sorted(set(_published(project)))
    except FlowmapError as error:
        kept = versions_kept(project)
        if not kept:
            raise
        what = f"the index was not asked: only the {len(kept)} releases in the cache are known, and there may be more"
        return kept, (Problem(f"pypi:{project}", what, error.problems[0].fix),)
    try:
        put_file(remembered, "\n".join(map(str, versions)).encode("ascii"))
    except OSError:
        return versions, ()  # the cache cannot be written: the next run asks again
    return versions, ()


def _published(project: str) -> Iterator[Version]:
    """The versions that can be had. Errors: FlowmapError when the project is nowhere, or no index answers."""
    offer = offer_of(project, pip_settings())
    if not offer.files:
        raise offer.absence() if offer.unreachable else FlowmapError(no_such_project(project))
    return (file.version for file in offer.files if not file.is_yanked)
