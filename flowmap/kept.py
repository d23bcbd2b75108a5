"""Any subject, opened, and the index that is kept for it."""

from __future__ import annotations

from dataclasses import replace

from flowmap.model.progress import Progress
from flowmap.model.source import OpenedSource, SubjectChoice
from flowmap.source.hints import with_hints
from flowmap.source.open import merge_sources, open_source
from flowmap.warm import index_path, label_of, locations_of, making_of, open_kept

__all__ = ["index_path", "label_of", "locations_of", "making_of", "open_kept", "open_subject"]


def open_subject(choice: SubjectChoice, progress: Progress) -> OpenedSource:
    """All sources of a subject as one."""
    opened = merge_sources(tuple(open_source(name, choice.excludes, progress) for name in choice.sources))
    return with_hints(replace(opened, problems=(*opened.problems, *choice.beside)), choice.hints)
