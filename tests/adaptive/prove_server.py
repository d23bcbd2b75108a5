"""Emits the hook for SGLang 0.5.9, starts servers with it on a CPU, and keeps what they answered.

python -m tests.adaptive.prove_server RESULT
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.adaptive.environment import FOLDER, prepared
from tests.sglang.measure import RELEASE, ROOT

NEEDED = Path(__file__).parent / "spawned" / "requirements.txt"


def main(result: Path) -> int:
    """Write one JSON object, and return the exit code of `tests.adaptive.serve`, which makes it."""
    environment, emitted = prepared(), FOLDER / "emitted"
    pip = [str(environment.python), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "-r", str(NEEDED)], check=True)
    emit = ["emit", "adaptive-disable", "--source", f"pypi:{RELEASE}", "-o", str(emitted), "--quiet"]
    subprocess.run([sys.executable, "-m", "flowmap", *emit], cwd=ROOT, check=True)
    ask = ["-m", "tests.adaptive.serve", str(environment.source), str(emitted), str(result)]
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([str(environment.python), *ask], cwd=ROOT, env=settings, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
