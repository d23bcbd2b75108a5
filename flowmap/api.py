"""The Python interface: open the index of a code base, ask what runs, get records. The names are made public by `flowmap`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from flowmap.configured import open_configured
from flowmap.model.program import Confidence
from flowmap.model.progress import SilentProgress
from flowmap.pipeline import open_index as opened
from flowmap.reports.paths import PathsQuestion, PathsRecord
from flowmap.reports.paths import paths as paths_report
from flowmap.reports.phrases import Detail
from flowmap.reports.records import SiteRecord
from flowmap.reports.site_lists import ListQuestion, callees_record, callers_record
from flowmap.reports.trace import Direction, TraceQuestion, TraceRecord, trace_limits
from flowmap.reports.trace import trace as trace_report
from flowmap.reports.where import WhereRecord
from flowmap.reports.where import where as where_report
from flowmap.source.resolve import choose_subject
from flowmap.store.index import Index
from flowmap.subject.profiles import configuration

_LONGEST_PATH = 1000


def open_index(source: str | os.PathLike[str] | None = None, profile: str = "", assume: Sequence[str] = ()) -> CodeBase:
    """The index of a source, named as on the command line, made now if it is not there yet. None: what the command would choose.

    With a `profile`, or assumptions as `Class.field=VALUE`, the index of that configuration.
    Errors: FlowmapError when the source does not exist or cannot be read, or an assumption matches nothing of it.
    """
    choice = choose_subject(() if source is None else (os.fspath(source),), (), Path.cwd())
    wanted = configuration(profile, assume, choice.config)
    if wanted.assumptions:
        return CodeBase(open_configured(choice, wanted, SilentProgress()))
    return CodeBase(opened(choice, SilentProgress()))


class CodeBase:
    """An indexed code base. Names are given as on the command line: `run_batch`, `Scheduler.run_batch`, `FILE:LINE`.

    Each question raises FlowmapError when a name is unknown (the nearest names in its fix) or ambiguous (the candidates).
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    @property
    def source(self) -> str:
        """The subject, as a user would name it, with its version."""
        return self._index.source

    def trace(self, name: str, depth: int | None = None, confidence: Confidence = Confidence.INFERRED) -> TraceRecord:
        """Who runs a function, and what it runs, as a graph: each call site met, with level, guards, targets and evidence."""
        up, down = trace_limits(depth, (), confidence, Detail.FULL)
        view = trace_report(self._index, TraceQuestion(name, Direction.BOTH, up, down, Detail.FULL))
        return cast(TraceRecord, view.record)

    def paths(self, start: str, end: str, confidence: Confidence = Confidence.INFERRED) -> PathsRecord:
        """The shortest paths from one function to another. Raises FlowmapError when there is none."""
        question = PathsQuestion(start, end, confidence, (), _LONGEST_PATH, Detail.BRIEF)
        return cast(PathsRecord, paths_report(self._index, question).record)

    def callers(self, name: str, confidence: Confidence = Confidence.INFERRED) -> tuple[SiteRecord, ...]:
        """The call sites that may run a function, by file, line and column."""
        return callers_record(self._index, ListQuestion(name, confidence, Detail.BRIEF)).sites

    def callees(self, name: str, confidence: Confidence = Confidence.INFERRED) -> tuple[SiteRecord, ...]:
        """The call sites inside a function, in the order in which they run, the unresolved and external ones too."""
        return callees_record(self._index, ListQuestion(name, confidence, Detail.BRIEF)).sites

    def where(self, name: str) -> tuple[WhereRecord, ...]:
        """Every definition that a name may mean, and what shadows what."""
        return cast(tuple[WhereRecord, ...], where_report(self._index, name).record)
