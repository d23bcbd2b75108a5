"""The same subject gives the same bytes, however the run went."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import FACTS, Command


@pytest.mark.parametrize("form", ["calls", "mro"])
def test_two_hash_seeds_give_the_same_bytes(flowmap: Command, tmp_path: Path, form: str) -> None:
    """No order of a set, and no address of an object, reaches the output."""
    source = shutil.copytree(FACTS / "cases", tmp_path / "source")
    first, second = (
        flowmap("export", form, "--source", str(source), PYTHONHASHSEED=seed, FLOWMAP_CACHE=str(tmp_path / f"cache{seed}")).stdout
        for seed in ("1", "2")
    )
    assert first
    assert first == second


@pytest.mark.parametrize("form", ["calls", "mro"])
def test_a_warm_index_gives_the_same_bytes_as_a_cold_one(flowmap: Command, tmp_path: Path, form: str) -> None:
    """What is read from the cache is what was found."""
    source = shutil.copytree(FACTS / "cases", tmp_path / "source")
    first, second = (
        flowmap("export", form, "--source", str(source), FLOWMAP_CACHE=str(tmp_path / "cache")).stdout for _ in ("cold", "warm")
    )
    assert first
    assert first == second
