"""`python -m tests.browser` runs the tests in a browser; without one it says what to install, and counts them as not run."""

from __future__ import annotations

import subprocess
import sys

from tests.browser.chromium import CHOICE, chromium

_RUN = [sys.executable, "-m", "pytest", "tests/browser"]


def main() -> int:
    """The exit code of the tests; 0 where they could not be run."""
    if chromium():
        return subprocess.run([*_RUN, *sys.argv[1:]], check=False).returncode
    listed = subprocess.run([*_RUN, "--collect-only", "-q"], capture_output=True, encoding="utf-8", check=False).stdout
    number = sum("::" in line for line in listed.splitlines())
    print(f"not run: {number} tests in a browser; apt-get install chromium, or set {CHOICE} to a Chromium, then: make browser")
    return 0


if __name__ == "__main__":
    sys.exit(main())
