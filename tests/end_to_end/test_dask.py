"""A Dask cluster reads the files, on a real one of two worker processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from flowmap.gather import FILES_A_CHUNK, gather_facts
from flowmap.model.progress import SilentProgress
from flowmap.model.source import SourceFile
from flowmap.source.open import open_source
from tests.conftest import Command
from tests.programs import facts_say

N_FILES = FILES_A_CHUNK * 12


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A scheduler and two workers, each a process."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as started:
        yield started


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of many files, and a cache of its own."""
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "app"
    folder.mkdir()
    for number in range(N_FILES):
        after = (number + 1) % N_FILES
        text = f"import m{after}\ndef f{number}(x):\n    return m{after}.f{after}(x)\n"
        (folder / f"m{number}.py").write_text(text, encoding="utf-8")
    return folder


def files_of(folder: Path) -> tuple[SourceFile, ...]:
    """The files of a package."""
    return open_source(str(folder), (), SilentProgress()).files


class Killing(SilentProgress):
    """Kills a worker when the first files have come back."""

    def __init__(self, client: Client) -> None:
        self.pids = list(client.run(os.getpid).values())
        self.killed = 0

    def advance(self, n: int) -> None:
        """The first files that come back are the sign."""
        if n and not self.killed:
            self.killed = self.pids[0]
            os.kill(self.killed, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)


def test_a_worker_that_is_killed_loses_nothing(cluster: LocalCluster, package: Path) -> None:
    """Its files are read by the other one, and the facts are those of this machine."""
    files = files_of(package)
    here = gather_facts(files, SilentProgress())
    (package.parent / "cache").rename(package.parent / "kept")
    with Client(cluster) as client:
        progress = Killing(client)
        found = gather_facts(files, progress, client.get_executor())
        assert progress.killed
    assert facts_say(found) == facts_say(here)


def test_the_command_gives_the_same_answer(cluster: LocalCluster, package: Path, flowmap: Command) -> None:
    """Whatever reads the files."""
    address = cluster.scheduler_address.replace("tcp://", "dask://")
    folder = str(package)
    there = flowmap("index", folder, "--executor", address, "--format", "json", FLOWMAP_CACHE=str(package.parent / "there"))
    here = flowmap("index", folder, "--format", "json", FLOWMAP_CACHE=str(package.parent / "here"))
    assert there.stdout == here.stdout


@pytest.mark.parametrize(
    ("named", "said"),
    [("dask://127.0.0.1:1", "no Dask scheduler answers"), ("spark://x", "names no executor"), ("dask://", "names no executor")],
)
def test_an_executor_that_is_not_there_is_one_message(package: Path, flowmap: Command, named: str, said: str) -> None:
    """Exit code 2, and what to do."""
    done = flowmap("index", str(package), "--executor", named, "--quiet", code=2)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) <= 3
