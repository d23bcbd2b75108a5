"""The stubs of the standard library as files, and what is kept of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.source.typeshed import stub_text, top_modules
from flowmap.stubs import read_stub


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path))
    return tmp_path


def test_modules_and_packages_have_a_stub() -> None:
    """The text comes with the package at which relative imports begin."""
    alone, package, inner = stub_text("queue"), stub_text("asyncio"), stub_text("asyncio.tasks")
    assert alone is not None
    assert package is not None
    assert inner is not None
    assert (alone[1], package[1], inner[1]) == ("", "asyncio", "asyncio")


def test_what_is_not_of_the_standard_library_has_none() -> None:
    """Nothing is guessed for other packages."""
    assert stub_text("numpy") is None
    assert "numpy" not in top_modules()
    assert read_stub("numpy") is None
    assert read_stub("queue.nothing") is None


def test_a_stub_is_read_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read is kept under the version of the stubs; the next run reads that, not the text."""
    first = read_stub("queue")
    assert [path.name for path in cache.glob("stubs/*/*")] == ["queue"]
    monkeypatch.setattr("flowmap.stubs.extract_stub", lambda *_: pytest.fail("the text was read again"))
    assert read_stub("queue") == first


def test_nothing_is_kept_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that is no folder is no obstacle."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("FLOWMAP_CACHE", str(blocked))
    assert read_stub("queue") is not None
