"""Starts servers of SGLang 0.5.9 by the emitted launcher, on a CPU, and asks them.

    python -m tests.adaptive.serve ROOT PACKAGE RESULT

ROOT holds the unpacked wheel's `sglang/`, PACKAGE the emitted package, RESULT gets one JSON object. It runs in the environment
of `make recall-sglang`. One server does not speculate and is not hooked: the launcher starts it as it is. The others spawn a
scheduler process with the hook in it. By `threshold` a request alone speculates and two at once do not, until SIGUSR2 ends
that; by `cost-table` step times are measured before the server serves.

Exits with 1 when tokens differ from those of the first server, or the hook did not do what it was asked for.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.adaptive.client import N_TOKENS, asked, free_port, listener, read, samples
from tests.adaptive.models import write_models
from tests.adaptive.server import OPTIONS, drafting
from tests.sglang.measure import machine, versions

HERE = Path(__file__).parent
SETTINGS = {"SGLANG_USE_CPU_ENGINE": "1", "TRITON_INTERPRET": "1"}  # not SGLANG_ENABLE_SPEC_V2: the launcher sets it
PROMPTS = ([5, 6, 9, 14, 21, 30, 41, 54], [7, 8, 9, 10, 11], [50, 51, 60, 70, 81, 12])
ROUNDS: tuple[tuple[int, ...], ...] = ((0,), (1, 2), (1, 2))  # prompts at once; the last is asked after the signal
THRESHOLDS = {"off_batch": "2", "on_batch": "1", "dwell": "1"}
SECONDS_TO_START = 600
ON, OFF = 'adaptive_disable_steps_total{mode="on"}', 'adaptive_disable_steps_total{mode="off"}'


@dataclass(frozen=True, slots=True)
class Hooked:
    """A server to be started with the hook."""

    algorithm: str
    variant: str
    mode: str = "threshold"


HOOKED = (
    *(Hooked(algorithm, variant) for algorithm in ("EAGLE", "STANDALONE") for variant in ("one-token", "dummy-draft")),
    Hooked("EAGLE", "one-token", "cost-table"),
)


@dataclass(frozen=True, slots=True)
class Served:
    """What came of one server.

    `rounds`: the tokens of each prompt, by what was asked at once; `metrics`: the hook's after each round;
    `metrics_served_by`: the title of the process that listens there; `notes`: what launcher and hook said in the log.
    """

    command: str
    rounds: list[list[list[int]]]
    metrics: list[dict[str, float]]
    metrics_served_by: str
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Ground:
    """Where servers are started: sources, emitted package, models, and a folder for logs."""

    root: Path
    package: Path
    models: Path
    logs: Path


def main(root: str, package: str, result: str) -> int:
    """Write what came of all servers, and return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(Path(root).absolute(), Path(package).absolute(), Path(folder, "models"), Path(folder))
        write_models(ground.models)
        plain = served(ground, None)
        hooked = {each: served(ground, each) for each in HOOKED}
    names = {each: f"{each.algorithm}, {each.variant}, {each.mode}" for each in hooked}
    problems = [f"{names[each]}: {problem}" for each, came in hooked.items() for problem in wrong(each, plain, came)]
    answer = {
        "release": "sglang==0.5.9",
        "command": "make prove-server",
        "machine": machine(),
        "versions": versions(Path(sys.executable)),
        "prompts": PROMPTS,
        "tokens_each": N_TOKENS,
        "problems": problems,
        "servers": {
            "no speculation, not hooked": asdict(plain),
            **{names[each]: asdict(came) for each, came in hooked.items()},
        },
    }
    Path(result).write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    print("\n".join(problems) or f"{len(hooked)} servers, tokens as without speculation, metrics and signal as wanted")
    return 1 if problems else 0


def served(ground: Ground, hooked: Hooked | None) -> Served:
    """Start a server, ask it round by round, and end it. Before the last round the launcher gets the signal."""
    ports = free_port(), free_port()
    command = launched(ground, hooked, ports)
    rounds, metrics, owner = [], [], ""
    with running(ground, command, ports[0]) as (process, log):
        for number, prompts in enumerate(ROUNDS):
            if hooked and number == len(ROUNDS) - 1:
                process.send_signal(signal.SIGUSR2)
                time.sleep(1)  # the switch looks twice a second
            rounds.append(asked(ports[0], [PROMPTS[each] for each in prompts]))
            if hooked:
                metrics.append(samples(read(f"http://127.0.0.1:{ports[1]}/metrics")))
        if hooked:
            owner = listener(process.pid, ports[1])
        notes = [line for line in log.read_text(encoding="utf-8").splitlines() if "adaptive-disable:" in line]
    words = [word.replace(str(ground.models), "MODELS") for word in command[1:]]
    return Served(" ".join(["python", *words]), rounds, metrics, owner, notes)


def launched(ground: Ground, hooked: Hooked | None, ports: tuple[int, int]) -> list[str]:
    """The command line of a server. Top-k and steps are not named: the launcher has to."""
    named: dict[str, Any] = {**OPTIONS, "model_path": ground.models / "target", "port": ports[0], "skip_server_warmup": True}
    launcher = [sys.executable, "-m", "adaptive_disable.launch"]
    if hooked is None:
        return [*launcher, *flags("--", named)]
    drafts = drafting(ground.models, hooked.algorithm)
    named |= {name: drafts[name] for name in ("speculative_algorithm", "speculative_draft_model_path")}
    if hooked.mode == "cost-table":
        named["max_running_requests"] = 2  # sizes up to this are measured
    hook = {"enabled": True, "mode": hooked.mode, "variant": hooked.variant, **THRESHOLDS, "metrics_port": ports[1]}
    return [*launcher, *flags("--adaptive-disable-", hook), *flags("--", named)]


def flags(prefix: str, named: Mapping[str, Any]) -> Iterator[str]:
    """Options as words of a command line; one that is true stands alone."""
    for name, value in named.items():
        yield f"{prefix}{name.replace('_', '-')}"
        if value is not True:
            yield str(value)


@contextmanager
def running(ground: Ground, command: Sequence[str], port: int) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A server that answers, and its log; ended with all of its processes."""
    log = ground.logs / f"{port}.log"
    paths = (HERE / "spawned", HERE.parents[1], ground.package, ground.root)
    environment = {**os.environ, **SETTINGS, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    environment.pop("SGLANG_ENABLE_SPEC_V2", None)
    with log.open("wb") as file:
        process = subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT)
    try:
        wait_for(process, port, log)
        yield process, log
    finally:
        everyone = (
            [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)] if process.poll() is None else []
        )
        process.terminate()
        for each in psutil.wait_procs(everyone, timeout=20)[1]:
            each.kill()


def family(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """A process and all below it; none where it has ended."""
    if process.poll() is not None:
        return []
    launcher = psutil.Process(process.pid)
    return [launcher, *launcher.children(recursive=True)]


def wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Return once a server answers. Raises `RuntimeError`, with the end of its log, when it ends or takes too long."""
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until and process.poll() is None:
        try:
            read(f"http://127.0.0.1:{port}/health")
        except (urllib.error.URLError, ConnectionError):
            time.sleep(1)
        else:
            return
    raise RuntimeError("the server does not answer:\n" + "\n".join(log.read_text(encoding="utf-8").splitlines()[-40:]))


def wrong(hooked: Hooked, plain: Served, came: Served) -> Iterator[str]:
    """What a server should have done otherwise."""
    alone, together, killed = came.metrics
    if came.rounds != plain.rounds:
        yield "the tokens are not those of the server without speculation"
    if came.metrics_served_by != "sglang::scheduler":
        yield f"the metrics come from {came.metrics_served_by or 'nowhere'}, not from the scheduler's process"
    if hooked.mode == "threshold" and (not alone.get(ON) or alone.get(OFF)):
        yield "a request alone did not speculate in every step"
    if hooked.mode == "threshold" and not together.get(OFF):
        yield "two requests speculated in every step"
    if hooked.mode == "cost-table" and not any("table" in name for name in alone):
        yield "no step times were measured"
    if killed.get(OFF) != together.get(OFF) or killed.get(ON, 0) <= together.get(ON, 0):
        yield "after the signal not all steps speculated"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
