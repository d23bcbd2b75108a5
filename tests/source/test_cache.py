"""What is kept, and how it goes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from flowmap.model.progress import SilentProgress
from flowmap.model.source import CacheKind
from flowmap.source.cache import cache_entries, drop_older_indexes, prune_cache
from flowmap.source.cache_places import cache_folder, record_use
from flowmap.source.open import open_source
from tests.source.conftest import write_tree, zipped

DAY = 86_400


@pytest.fixture
def filled(cache: Path, tmp_path: Path) -> Path:
    """A cache with a release, an index and facts; the index was used ten days ago."""
    (tmp_path / "demo.zip").write_bytes(zipped({"demo/__init__.py": "x = 1"}))
    open_source(str(tmp_path / "demo.zip"), (), SilentProgress())
    write_tree(cache, {"index/abc.sqlite": "12345", "facts/aa/bb": "123"})
    record_use(cache / "index" / "abc.sqlite", "pypi:demo==1.0")
    long_ago = time.time() - 10 * DAY
    os.utime(cache / "index" / "abc.sqlite.from", (long_ago, long_ago))
    return cache


def test_the_folder_can_be_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name it is the user's cache folder."""
    assert cache_folder() == cache
    monkeypatch.delenv("FLOWMAP_CACHE")
    assert cache_folder().name in ("flowmap", "Cache")


def test_an_empty_cache_has_no_entries(cache: Path) -> None:
    """Asking does not make it."""
    assert cache_entries() == ()
    assert not cache.exists()


@pytest.mark.usefixtures("filled")
def test_entries_say_what_they_are(tmp_path: Path) -> None:
    """From which source, how large, and when it was used."""
    release, index, facts = cache_entries()
    assert (release.kind, release.source) == (CacheKind.RELEASE, str(tmp_path / "demo.zip"))
    assert release.n_bytes >= len("x = 1")
    assert (index.kind, index.name, index.source, index.n_bytes) == (CacheKind.INDEX, "abc.sqlite", "pypi:demo==1.0", 5)
    assert time.time() - index.used > 9 * DAY
    assert (facts.kind, facts.n_bytes) == (CacheKind.FACTS, 3)


@pytest.mark.usefixtures("filled")
def test_old_entries_go_and_others_stay() -> None:
    """Age is the time since the last use."""
    assert [entry.name for entry in prune_cache(older_than_days=5)] == ["abc.sqlite"]
    assert [entry.kind for entry in cache_entries()] == [CacheKind.RELEASE, CacheKind.FACTS]


def test_all_entries_go(filled: Path) -> None:
    """Nothing is left, the records of use neither."""
    assert len(prune_cache()) == 3
    assert cache_entries() == ()
    assert not [path for path in filled.rglob("*") if path.is_file()]


def test_a_release_at_work_is_not_pruned(filled: Path) -> None:
    """What another run began within the hour stays; what was abandoned goes."""
    fresh, abandoned = filled / "releases" / ".partial-fresh", filled / "releases" / ".partial-abandoned"
    for folder in (fresh, abandoned):
        folder.mkdir()
    os.utime(abandoned, (0, 0))
    prune_cache()
    assert (fresh.exists(), abandoned.exists()) == (True, False)


def test_only_the_newest_indexes_of_a_source_stay(cache: Path) -> None:
    """Those of other sources are not counted."""
    for age, name in enumerate(("newest", "middle", "oldest", "other")):
        write_tree(cache, {f"index/{name}.sqlite": "1"})
        record_use(cache / "index" / f"{name}.sqlite", "demo" if name != "other" else "another")
        when = time.time() - age * DAY
        os.utime(cache / "index" / f"{name}.sqlite.from", (when, when))
    drop_older_indexes("demo", 2)
    assert {entry.name for entry in cache_entries()} == {"newest.sqlite", "middle.sqlite", "other.sqlite"}
