"""Runs a command with the recorder in it and in its child processes. The only place where flowmap runs anything."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flowmap.model.observed import ObservedEdge
from flowmap.model.problem import FlowmapError, Problem
from flowmap.runtime.parts import merged
from flowmap.runtime.recorder import SCOPE_FILE

_INJECTED = Path(__file__).with_name("injected")
_SHELL_SIGNAL = 128  # what a shell adds to the number of the signal that ended a command


@dataclass(frozen=True, slots=True)
class Recording:
    """What a command did: its exit code as a shell gives it, how many processes were recorded, and the calls seen in them."""

    exit_code: int
    n_processes: int
    edges: tuple[ObservedEdge, ...]


def record(command: Sequence[str], only: Sequence[str]) -> Recording:
    """Run a command to its end. `only`: the packages (dotted names) whose functions count; none: all that is not installed.

    Errors: FlowmapError when the command cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="flowmap-record-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / SCOPE_FILE).write_text("\n".join(only), encoding="utf-8")
        code = _run(command, recorded_environment(os.environ, folder))
        parts = sorted(folder.glob("*.part"))
        return Recording(code, len(parts), merged(parts))


def recorded_environment(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The environment in which every Python that starts records itself into a folder."""
    path = os.pathsep.join(filter(None, (str(_INJECTED), environment.get("PYTHONPATH", ""))))
    return {**environment, "PYTHONPATH": path, "FLOWMAP_RECORD": str(folder)}


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """The exit code. An interrupt from the keyboard reaches the command by itself: here it is waited for."""
    try:
        process = subprocess.Popen(command, env=environment)
    except OSError as error:
        fix = "Write the command as in a shell behind --, for example: flowmap record -o FILE -- python -m pytest"
        raise FlowmapError(Problem(command[0], f"cannot be started: {error.strerror}", fix)) from error
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return _SHELL_SIGNAL - code if code < 0 else code
