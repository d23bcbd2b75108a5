"""Where the real scheduler runs: an environment of its own, SGLang unpacked beside it, the tiny models, the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.adaptive.client import free_port
from tests.sglang.measure import RELEASE, ROOT, installed, pip
from tests.sglang.run_all import SETTINGS

FOLDER = ROOT / "build" / "sglang-cpu"

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Environment:
    """`python` runs the scheduler, `source` holds `sglang/`, `package` the emitted package, `models` the tiny models."""

    python: Path
    source: Path
    package: Path
    models: Path

    def answers(self, run: str, seeds: Iterable[int]) -> list[Answer]:
        """What `tests.adaptive.run` prints, a value a seed. Raises `CalledProcessError`, what it said among its output."""
        command = ["-m", "tests.adaptive.run", str(self.source), str(self.models), run, *map(str, seeds)]
        return [json.loads(line) for line in self._said(command, "") if line.startswith('{"run"')]

    def kinds(self, *algorithm: str) -> dict[str, Answer]:
        """What `tests.adaptive.kinds` prints, by the kind of request."""
        said = self._said(["-m", "tests.adaptive.kinds", str(self.source), str(self.models), *algorithm], "")
        answers = [json.loads(line) for line in said if line.startswith('{"kind"')]
        return {answer["kind"]: answer["answers"] for answer in answers}

    def together(self, algorithm: str, trials: Sequence[str]) -> list[list[Answer]]:
        """What `tests.adaptive.parallel` prints on each of two ranks. Raises `RuntimeError` where they do not come to an end."""
        given = [str(self.source), str(self.models), str(free_port())]
        commands = [["-m", "tests.adaptive.parallel", *given, rank, algorithm, *trials] for rank in ("0", "1")]
        with ThreadPoolExecutor() as threads:
            said = list(threads.map(self._said, commands, ("", "")))
        return [[json.loads(line) for line in lines if line.startswith('{"trial"')] for lines in said]

    def sampled(self, run: str) -> tuple[Answer, list[list[list[float]]]]:
        """What `tests.adaptive.sampled` prints, and what `tests.adaptive.shares` says of it."""
        said = self._said(["-m", "tests.adaptive.sampled", str(self.source), str(self.models), run], "")
        (answer,) = (json.loads(line) for line in said if line.startswith('{"run"'))
        verified = "+r" if run.split(":")[1] == "one-token" else "+r-"  # a dummy draft is verified, too
        asked = "\n".join(map(json.dumps, answer["requests"]))
        said = self._said(["-m", "tests.adaptive.shares", str(self.models / "target"), verified], asked)
        return answer, [json.loads(line) for line in said if line.startswith("[")]

    def shared(self, meeting: Path) -> list[list[bool]]:
        """What `tests.adaptive.ranks` prints on each of two ranks, which meet in a file."""
        commands = [["-m", "tests.adaptive.ranks", str(meeting), rank] for rank in ("0", "1")]
        with ThreadPoolExecutor() as threads:
            said = list(threads.map(self._said, commands, ("", "")))
        return [json.loads(lines[-1]) for lines in said]

    def gaps(self, outputs: Iterable[Answer]) -> list[list[float]]:
        """What `tests.adaptive.reference` says of outputs: `{"prompt": […], "out": […]}` each."""
        asked = "\n".join(json.dumps(output) for output in outputs)
        said = self._said(["-m", "tests.adaptive.reference", str(self.models / "target")], asked)
        return [json.loads(line) for line in said if line.startswith("[")]

    def _said(self, command: list[str], asked: str) -> list[str]:
        paths = os.pathsep.join(map(str, (ROOT, self.package)))
        settings = {
            **os.environ,
            **SETTINGS,
            "PYTHONPATH": paths,
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
            "TORCHDYNAMO_DISABLE": "1",
        }
        ran = subprocess.run(
            [self.python, *command], cwd=ROOT, env=settings, input=asked, capture_output=True, text=True, check=False
        )
        if ran.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stdout[-1000:]}\n{ran.stderr[-12000:]}")
        return ran.stdout.splitlines()


@cache
def prepared(release: str = RELEASE, folder: Path = FOLDER) -> Environment:
    """The environment in a folder, made where it is missing, in minutes; the package in it is emitted anew, from the index.

    A package that is a plugin of SGLang is installed, for SGLang to find it.
    """
    python, source = installed(folder, release)
    emitted = folder / f"package-{release.partition('==')[2]}"
    emit = ["emit", "adaptive-disable", "--source", f"pypi:{release}", "-o", str(emitted)]
    subprocess.run([sys.executable, "-m", "flowmap", *emit], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    made = Environment(python, source, _importable(python, emitted), folder / "models")
    made._said(["-m", "tests.adaptive.models", str(made.models)], "")
    return made


def _importable(python: Path, emitted: Path) -> Path:
    """The folder that the package is imported from: where it was emitted, or installed as the plugin that it is."""
    if not (emitted / "adaptive_disable" / "plugin.py").exists():
        return emitted
    target = emitted.with_name(f"installed-{emitted.name}")
    pip(python, "install", "--no-deps", "--upgrade", "--target", str(target), str(emitted))
    return target
