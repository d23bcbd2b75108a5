"""Which browser the tests drive: a Chromium of the system, headless."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
CHOICE = "FLOWMAP_CHROMIUM"


def chromium() -> str | None:
    """The program, None where there is none."""
    asked = os.environ.get(CHOICE, "")
    return shutil.which(asked) if asked else next((found for name in NAMES if (found := shutil.which(name))), None)
