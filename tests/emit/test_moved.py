"""What became of an anchor that a release does not have: told by the ledger of releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.emit.moved import explained
from flowmap.model.emit import BoundKind, Pin, RecipeAnchor, Refusal
from flowmap.model.progress import SilentProgress
from flowmap.model.query import Anchor, Name
from flowmap.releases import compared
from tests.emit.projects import lay_out

ANCHOR = RecipeAnchor("step", BoundKind.DEFINITION, Anchor((Name("Worker.step"),)), "why", Pin.TEXT)
GONE = Refusal("step", "nothing is called Worker.step", None, ())


@pytest.fixture
def before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The loop in the release that the recipe was written beside; the ledger is one of its own."""
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))
    return lay_out(tmp_path / "before") / "loop"


def told(before: Path, changed: str, refusal: Refusal = GONE) -> Refusal:
    """A refusal with what became of the step in a release whose text is another."""
    after = lay_out(before.parents[1] / "after") / "loop"
    (after / "loop.py").write_text(changed, encoding="utf-8")
    with compared((str(before), str(after)), (), SilentProgress()) as releases:
        return explained((refusal,), (ANCHOR,), releases.line, ("loop 1.0", ""))[0]


def test_another_name_is_told_with_its_place(before: Path) -> None:
    """Where the function is now."""
    text = (before / "loop.py").read_text(encoding="utf-8").replace("def step(", "def advance(")
    found = told(before, text)
    assert found.became == ("loop.Worker.step of loop 1.0 is loop.Worker.advance at loop.py:66",)
    assert found.place is not None


def test_another_signature_is_told(before: Path) -> None:
    """What it took, and what it takes."""
    text = (
        (before / "loop.py")
        .read_text(encoding="utf-8")
        .replace("def step(self, batch: Batch)", "def step(self, batch: Batch, n=1)")
    )
    (said,) = told(before, text).became
    assert said == "step took (self, batch: Batch) -> Result and takes (self, batch: Batch, n=1) -> Result"


def test_what_is_gone_is_said_to_be_gone(before: Path) -> None:
    """Nothing is made up."""
    text = (before / "loop.py").read_text(encoding="utf-8")
    start, end = text.index("    def step("), text.index("    def draft(")
    assert told(before, text[:start] + text[end:]).became == ("loop.Worker.step of loop 1.0 is gone",)


def test_what_is_no_anchor_stays_as_it_is(before: Path) -> None:
    """An obligation has no name that could be followed."""
    other = Refusal("result Result.tokens", "nobody meets this obligation", None, ())
    assert told(before, "", other) == other
