"""Runs a command and measures it: the wall, the processors, the memory of all its processes together."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import psutil

SAMPLE_SECONDS = 0.02
AN_HOUR = 3600.0
KEEPS_COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `cpu` counts all processes, in seconds; `peak` is the largest sum of their resident memory, in bytes."""

    wall: float
    cpu: float
    peak: int
    code: int


def measured(command: Sequence[str], environment: Mapping[str, str], limit: float = 600.0) -> Run:
    """Runs a command to its end, or for `limit` seconds (exit code -1). What it writes is thrown away.

    Python keeps what it has compiled, whatever the environment says: that is how it runs elsewhere.
    """
    start, before = time.perf_counter(), os.times()
    with subprocess.Popen(
        command, env=os.environ | KEEPS_COMPILED | dict(environment), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        sampling = Sampling(process.pid)
        sampling.thread.start()
        try:
            code = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            end_tree(process.pid)
            code = -1
        sampling.done.set()
        sampling.thread.join()
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(time.perf_counter() - start, cpu, sampling.peak, code)


def finished(command: Sequence[str], environment: Mapping[str, str]) -> Run:
    """As `measured`, of a command whose figure counts only where it does what it says. Errors: CalledProcessError otherwise."""
    run = measured(command, environment, AN_HOUR)
    if run.code:
        raise subprocess.CalledProcessError(run.code, command)
    return run


def flowmap(*arguments: str) -> tuple[str, ...]:
    """The command that runs this repository's flowmap."""
    return (sys.executable, "-m", "flowmap", *arguments)


def end_tree(pid: int) -> None:
    """Ends a process and all that it started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for one in (*process.children(recursive=True), process):
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()


@dataclass(slots=True)
class Sampling:
    """Looks at the memory of a process and its children again and again."""

    pid: int
    peak: int = 0
    done: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self.look, daemon=True)

    def look(self) -> None:
        """Until it is over."""
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(self.pid)
            while not self.done.wait(SAMPLE_SECONDS):
                self.peak = max(self.peak, sum(memory_of(one) for one in (process, *process.children(recursive=True))))


def memory_of(process: psutil.Process) -> int:
    """Its resident memory in bytes; pages that several share are counted in each."""
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
