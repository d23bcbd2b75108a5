"""The code base that pages are about: its index, opened once by each process that builds."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sphinx.config import Config
from sphinx.util import logging

from flowmap.configured import open_configured
from flowmap.model.assumption import Configuration
from flowmap.model.progress import SilentProgress
from flowmap.model.source import SubjectChoice
from flowmap.pipeline import open_index
from flowmap.query.atlas import atlas_about
from flowmap.query.release import public_link, release_of
from flowmap.source.resolve import choose_subject
from flowmap.store.index import Index
from flowmap.subject.profiles import configuration
from flowmap.warm import ready_index

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assumed:
    """The configuration that an answer is for: a profile, "" for none, and further assumptions."""

    profile: str = ""
    assumptions: tuple[str, ...] = ()


WHOLE = Assumed()


@dataclass
class Subject:
    """The code base that `conf.py` names. A connection to SQLite must not cross a fork: every process opens its own."""

    config: Config
    _opened: dict[tuple[int, Assumed], Index] = field(default_factory=dict)

    def index(self, assumed: Assumed) -> Index:
        """The index under some assumptions, made where it is not there yet.

        Errors: FlowmapError when the source cannot be read, or an assumption matches nothing of it.
        """
        key = (os.getpid(), assumed)
        if key not in self._opened:
            self._opened[key] = self._open(assumed)
        return self._opened[key]

    def choice(self) -> SubjectChoice:
        """The sources, as `conf.py` names them; else as the command line chooses them in its folder."""
        named = self.config.flowmap_source
        sources = (named,) if isinstance(named, str) else tuple(named)
        return choose_subject(tuple(filter(None, sources)), tuple(self.config.flowmap_exclude), self.folder)

    @cached_property
    def link(self) -> str:
        """The pattern of where source can be seen: what `conf.py` says, else what an atlas of the project says; "" for none."""
        release = release_of(self.index(WHOLE).source)
        said = self.config.flowmap_link
        known = None if said else atlas_about(release, self.choice().config)
        return public_link(known.link if known else said, release)

    @property
    def folder(self) -> Path:
        """From where sources and queries are seen."""
        return Path(self.config.flowmap_folder)

    def _open(self, assumed: Assumed) -> Index:
        choice = self.choice()
        wanted = configuration(assumed.profile or self.config.flowmap_profile, assumed.assumptions, choice.config)
        ready = ready_index(choice, wanted)
        if ready is not None:
            return ready
        _LOGGER.info("flowmap: indexing %s (%s)", ", ".join(choice.sources), choice.why)
        return _made(choice, wanted)


def _made(choice: SubjectChoice, wanted: Configuration) -> Index:
    if wanted.assumptions:
        return open_configured(choice, wanted, SilentProgress())
    return open_index(choice, SilentProgress())
