"""`flowmap doctor`: whether everything that flowmap needs is there, with the fix for each thing that is not."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from flowmap.model.assumption import Assumption, Configuration
from flowmap.model.graph import Drawer
from flowmap.model.problem import Problem
from flowmap.model.source import CacheEntry, CacheKind, SubjectChoice
from flowmap.model.view import Line, Role, Span, Table, View
from flowmap.reports.assumed import unmatched
from flowmap.reports.cache import size
from flowmap.reports.phrases import count, note
from flowmap.store.format import IndexOutdated
from flowmap.store.index import Index, open_file

_PYTHON = (3, 11)
_LAST_TESTED = (3, 13)
_SQLITE = (3, 38)


class Health(StrEnum):
    """How a thing is."""

    GOOD = "good"
    OPTIONAL = "optional"  # missing, and only some commands want it
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and what to do when it is not good."""

    what: str
    health: Health
    found: str
    fix: str = ""


_MARKS = {Health.GOOD: ("ok", Role.PLAIN), Health.OPTIONAL: ("--", Role.NOTE), Health.BAD: ("!!", Role.WARNING)}


@dataclass(frozen=True, slots=True)
class CacheState:
    """The cache folder, what is kept in it, and why it cannot be written, "" when it can."""

    folder: Path
    entries: tuple[CacheEntry, ...]
    problem: str
    label: str = ""  # what the indexes of the subject are kept under


@dataclass(frozen=True, slots=True)
class Written:
    """What the user wrote beside the code: the profiles, which are held against the newest index, and what cannot be read."""

    profiles: tuple[Configuration, ...] = ()
    problems: tuple[Problem, ...] = ()


def doctor(
    choice: SubjectChoice,
    absent: Sequence[Problem],
    cache: CacheState,
    written: Written = Written(),
    drawer: Drawer | Problem | None = None,
) -> View:
    """What was found on this machine. `absent`: what is wrong with the sources. Nothing is built or fetched.

    `drawer` draws graphs, None where nothing does; the Problem where one is asked for that is not there.
    """
    checks = (
        *(_python(), _sqlite(), _dot(drawer), _cache(cache)),
        *_sources(choice, absent),
        *(Check("configuration", Health.BAD, f"{one.where}: {one.what}", one.fix) for one in written.problems),
        *_indexes(choice, cache),
        *_profiles(cache, written.profiles),
    )
    n_bad = sum(check.health is Health.BAD for check in checks)
    title: Line = (
        Span("flowmap doctor", Role.HEADING),
        note(f"  {count(n_bad, 'thing')} to fix" if n_bad else "  nothing to fix"),
    )
    subject = f"{', '.join(choice.sources)} ({choice.why})"
    return View(title, (Table(("", "", ""), tuple(_rows(checks))),), checks, subject)


def is_healthy(view: View) -> bool:
    """Whether no check of a doctor's View is bad."""
    return isinstance(view.record, tuple) and all(check.health is not Health.BAD for check in view.record)


def _rows(checks: Sequence[Check]) -> Iterator[tuple[Line, ...]]:
    for check in checks:
        text, role = _MARKS[check.health]
        yield (Span(text, role),), (Span(check.what),), (Span(check.found),)
        if check.fix:
            yield (), (), (note(check.fix),)


def _hints(choice: SubjectChoice, index: Index) -> Iterator[Check]:
    """The hints of the configuration: whether each matches something in the index."""
    idle = {problem.where: problem for problem in index.problems()}
    tried = index.meta.get("hints", "").splitlines()
    for hint in choice.hints:
        if hint.where in idle:
            yield Check("hint", Health.BAD, f"{hint.where} {idle[hint.where].what}", idle[hint.where].fix)
        elif hint.where in tried:
            yield Check("hint", Health.GOOD, hint.at)
        else:
            yield Check("hint", Health.OPTIONAL, f"{hint.at}: not yet in the index", "Run: flowmap index")


def _python() -> Check:
    found = f"{sys.version.split()[0]} at {sys.executable}"
    if sys.version_info[:2] < _PYTHON:
        return Check("Python", Health.BAD, found, "flowmap needs Python 3.11 or newer.")
    newer = sys.version_info[:2] > _LAST_TESTED
    return Check("Python", Health.GOOD, f"{found} (newer than what flowmap was tested with)" if newer else found)


def _sqlite() -> Check:
    if sqlite3.sqlite_version_info[:2] < _SQLITE:
        return Check("SQLite", Health.BAD, sqlite3.sqlite_version, "flowmap needs SQLite 3.38 or newer: take a newer Python.")
    return Check("SQLite", Health.GOOD, sqlite3.sqlite_version)


def _dot(drawer: Drawer | Problem | None) -> Check:
    match drawer:
        case Drawer(program, origin):
            return Check("dot", Health.GOOD, f"{program} ({origin})")
        case Problem(where, what, fix):
            return Check("dot", Health.BAD, f"{where} {what}", fix)
        case _:
            fix = "Only pictures of graphs need it: pip install graphviz-pure, or install Graphviz."
            return Check("dot", Health.OPTIONAL, "not installed", fix)


def _cache(cache: CacheState) -> Check:
    entries = cache.entries
    found = f"{cache.folder}, {count(len(entries), 'entry', 'entries')}, {size(sum(entry.n_bytes for entry in entries))}"
    if cache.problem:
        kept = "what is kept there answers, and every run indexes anew what is not" if entries else "every run indexes anew"
        fix = f"{cache.problem}: {kept}. Set FLOWMAP_CACHE to a folder that can be written."
        return Check("cache", Health.BAD, found, fix)
    return Check("cache", Health.GOOD, found)


def _sources(choice: SubjectChoice, absent: Sequence[Problem]) -> Iterator[Check]:
    for problem in absent:
        yield Check("source", Health.BAD, f"{problem.where}: {problem.what}", problem.fix or "Name another source.")
    if not absent:
        yield Check("source", Health.GOOD, f"{', '.join(choice.sources)}, {choice.why}")


def _own_index(cache: CacheState) -> list[CacheEntry]:
    """The newest index of the subject, if there is one."""
    alike = [entry for entry in cache.entries if entry.kind is CacheKind.INDEX and entry.source == cache.label]
    return sorted(alike, key=lambda entry: entry.used)[-1:]


def _profiles(cache: CacheState, profiles: Sequence[Configuration]) -> Iterator[Check]:
    """Whether the profiles still speak of what the subject has; one that matches it nowhere is of another code base."""
    for entry in _own_index(cache):
        with contextlib.suppress(IndexOutdated):
            index = open_file(entry.path)
            for profile in profiles:
                lost = unmatched(index, profile)
                if len(lost) < len(profile.assumptions):
                    yield _profile(profile, lost)
            index.close()


def _profile(profile: Configuration, lost: Sequence[Assumption]) -> Check:
    n_found = len(profile.assumptions) - len(lost)
    found = f"{n_found} of {count(len(profile.assumptions), 'assumption')} match the subject"
    if not lost:
        return Check(f"profile {profile.name}", Health.GOOD, found)
    names = ", ".join(one.subject for one in lost)
    return Check(f"profile {profile.name}", Health.BAD, found, f"The subject has no {names}: correct the profile's file.")


def _indexes(choice: SubjectChoice, cache: CacheState) -> Iterator[Check]:
    """The newest index of the subject; those of others, and of older states, are counted."""
    kept = [entry for entry in cache.entries if entry.kind is CacheKind.INDEX]
    own = _own_index(cache)
    if not own:
        yield Check("index", Health.OPTIONAL, "none of the subject yet", "The first command makes one; or run: flowmap index")
        yield from (Check("hint", Health.OPTIONAL, f"{hint.at}: not checked", "Run: flowmap index") for hint in choice.hints)
    for entry in own:
        label = entry.source or entry.name
        try:
            index = open_file(entry.path)
            yield Check("index", Health.GOOD, f"{label}, {size(entry.n_bytes)}")
            yield from _hints(choice, index)
            index.close()
        except IndexOutdated:
            yield Check(
                "index", Health.OPTIONAL, f"{label}: of another format or damaged", "It is made anew when it is next asked."
            )
    if len(kept) > len(own):
        n_bytes = sum(entry.n_bytes for entry in kept) - sum(entry.n_bytes for entry in own)
        yield Check("indexes", Health.GOOD, f"{len(kept) - len(own)} of other subjects or older states, {size(n_bytes)}")
