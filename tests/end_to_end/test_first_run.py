"""What the first run of the main job costs, fetch and index included, and a later one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.conftest import RELEASE

JOB = [sys.executable, "-m", "flowmap", "trace", "process_batch_result_decode", "--source", RELEASE]
BETWEEN_LOOKS = 0.1  # seconds
GIGABYTE = 1e9


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the clock, and the most bytes that the command and its workers held at once."""

    seconds: float
    peak: float
    output: str


def cost_of_a_run(cache: Path) -> Cost:
    """Run the main job with this cache and look at its memory until it ends."""
    output = cache.with_suffix(".out")
    started = time.perf_counter()
    with output.open("w", encoding="utf-8") as sink:
        process = subprocess.Popen(JOB, env=os.environ | {"FLOWMAP_CACHE": str(cache)}, stdout=sink, stderr=subprocess.STDOUT)
        peak = max(memory_until_the_end(process), default=0.0)
    seconds = time.perf_counter() - started
    text = output.read_text(encoding="utf-8")
    assert process.returncode == 0, text
    return Cost(seconds, peak, text)


def memory_until_the_end(process: subprocess.Popen[bytes]) -> Iterator[float]:
    """The bytes held by the process and its children, at each look; what they share is counted once where the system says so."""
    parent = psutil.Process(process.pid)
    while process.poll() is None:
        with suppress(psutil.Error):
            memory = [one.memory_full_info() for one in (parent, *parent.children(recursive=True))]
            yield float(sum(getattr(one, "pss", one.uss) for one in memory))
        time.sleep(BETWEEN_LOOKS)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty cache."""
    return tmp_path_factory.mktemp("first") / "cache"


@pytest.fixture(scope="module")
def first(cache: Path) -> Cost:
    """The first run ever."""
    return cost_of_a_run(cache)


def test_the_first_run_ends_in_the_trace_within_a_minute(first: Cost) -> None:
    """Someone who types one command reads the answer before doing something else."""
    assert "scheduler.py:2453" in first.output
    assert first.seconds < 60


def test_the_first_run_needs_less_than_1_2_gigabytes(first: Cost) -> None:
    """It runs beside an editor on a small machine."""
    assert 0 < first.peak < 1.2 * GIGABYTE


@pytest.mark.usefixtures("first")
def test_a_later_run_answers_within_a_second(cache: Path) -> None:
    """The index is opened, not built. The best of three counts, since other programs run too."""
    assert min(cost_of_a_run(cache).seconds for _ in range(3)) < 1
