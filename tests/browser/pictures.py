"""`make pictures`: what README shows, made from the real thing: a trace on a terminal, and an annotated page of the atlas."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from tests.browser.chromium import chromium

COLUMNS, LINES = 84, 31
TRACED = "process_batch_result_decode"
PAGE = "source/sglang/srt/managers/utils.py.html"
MARK = "GenerationBatchResult.accept_lens"
SIZE = (1200, 725)
_FONTS = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)  # they would be loaded from elsewhere


def main() -> None:
    """Write the pictures of a subject and its atlas into a folder: SUBJECT ATLAS FOLDER."""
    subject, atlas, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("trace.svg").write_text(trace(subject), encoding="utf-8", newline="\n")
    photograph(atlas, folder / "annotated.png")


def trace(subject: str) -> str:
    """The first lines of the trace, as a terminal shows them."""
    command = [sys.executable, "-m", "flowmap", "trace", TRACED, "--source", subject]
    colours = {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color", "PYTHONUTF8": "1"}
    said = subprocess.run(command, env=_environment(colours), capture_output=True, encoding="utf-8", check=True).stdout
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi("\n".join(said.splitlines()[:LINES])), no_wrap=True, crop=False)
    return console.export_svg(title=f"flowmap trace {TRACED}", code_format=_FONTS.sub("", CONSOLE_SVG_FORMAT), unique_id="trace")


def _environment(more: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | more


def photograph(atlas: Path, picture: Path) -> None:
    """The page of a file, the card of a mark open."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light", reduced_motion="reduce")
        page.goto((atlas / PAGE).as_uri())
        mark = page.locator(f'.fm-margin .fm-write[aria-label="write of {MARK}"]').last
        anchor = mark.locator("xpath=..").locator(".fm-at").first.get_attribute("id")
        page.goto("about:blank")
        page.goto(f"{(atlas / PAGE).as_uri()}#{anchor}")
        page.wait_for_timeout(500)
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main()
