"""README promises nothing that does not work."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
LINKS = re.findall(r"\]\(([^)#:]+)\)", README)
TARGETS = re.findall(r"\bmake ([a-z]+)", README)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_run(example: str) -> None:
    """Every Python example runs as it stands, in this repository."""
    done = subprocess.run([sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_there_is_an_example() -> None:
    """The Python interface is shown, not only described."""
    assert EXAMPLES


def test_what_is_shown_of_an_answer_fits_a_terminal() -> None:
    """Of 80 columns, as it is printed there."""
    shown = re.findall(r"^```text\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert shown
    assert [line for answer in shown for line in answer.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("link", LINKS)
def test_the_links_lead_somewhere(link: str) -> None:
    """A link to a file of the repository finds it."""
    assert (ROOT / link).exists()


@pytest.mark.parametrize("target", sorted(set(TARGETS)))
def test_the_make_targets_exist(target: str) -> None:
    """What README tells to type is there to be typed."""
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_pictures_are_small_and_load_nothing() -> None:
    """They are part of every clone, and of every look at the page."""
    pictures = sorted((ROOT / "docs" / "pictures").iterdir())
    assert [path.name for path in pictures] == ["annotated.png", "trace.svg"]
    assert all(path.stat().st_size < 300_000 for path in pictures)
    drawn = pictures[1].read_text(encoding="utf-8")
    assert not re.findall(r"(?:href|src)=|url\(\s*['\"]?http", drawn)
    assert "process_batch_result_decode" in drawn.replace("&#160;", " ")
