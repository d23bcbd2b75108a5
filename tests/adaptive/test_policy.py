"""What of the emitted package needs no SGLang passes its own checks where its templates stand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "queries" / "emit" / "adaptive-disable" / "package"
NEEDS_NO_SGLANG = (
    "adaptive_disable/assembly.py",
    "adaptive_disable/replay.py",
    "adaptive_disable/simulate",
    "tests/policy",
)


@pytest.mark.parametrize(
    "check",
    [
        ("pytest", "-q", "-p", "no:cacheprovider", "tests/policy"),
        ("mypy", "--cache-dir={cache}", *NEEDS_NO_SGLANG),
        ("ruff", "check", "--no-cache", "adaptive_disable", "tests/policy"),
    ],
    ids=["tests", "types", "lint"],
)
def test_the_policy_passes_the_checks_of_its_package(check: tuple[str, ...], tmp_path: Path) -> None:
    """Its tests, strict types, and the rules of its own project file."""
    arguments = [argument.format(cache=tmp_path) for argument in check]
    ran = subprocess.run([sys.executable, "-m", *arguments], cwd=PACKAGE, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
