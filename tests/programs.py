"""Small made-up programs, indexed in memory by the whole engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from flowmap.model.facts import FileFacts
from flowmap.model.progress import SilentProgress
from flowmap.pipeline import build_tables
from flowmap.source.open import open_source
from flowmap.store.index import Index
from flowmap.store.memory import index_in_memory


def index_of(folder: Path, texts: Mapping[str, str]) -> Index:
    """The index of files by name, written below a folder that is a package or holds modules."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return index_in_memory(build_tables(open_source(str(folder), (), SilentProgress()), SilentProgress()))


def facts_say(facts: Iterable[FileFacts]) -> list[tuple[object, ...]]:
    """Facts by value; the bytes of packed rows differ by which objects are shared."""
    return [(*(getattr(one, name) for name in FileFacts.__slots__ if name != "packed_sites"), one.sites) for one in facts]
