"""The page of an atlas about an emitted package: its code, and beside it what it is bound to."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Command
from tests.emit.projects import lay_out

PLAN = 'title = "The loop"\nfunctions = ["Worker.step"]\nemits = ["quiet"]\n'


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, flowmap: Command) -> str:
    """The page, as a reader gets it."""
    folder = lay_out(tmp_path_factory.mktemp("atlas"))
    (folder / "queries" / "atlas").mkdir()
    (folder / "queries" / "atlas" / "loop.toml").write_text(PLAN, encoding="utf-8")
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        flowmap("docs", "--source", "loop", "--atlas", "loop", "-o", "site")
    return (folder / "site" / "emitted" / "quiet.html").read_text(encoding="utf-8")


def test_a_line_that_names_something_bound_leads_to_it(page: str) -> None:
    """To the very line of the annotated source."""
    assert re.search(r'<a class="fm-place" href="\.\./source/loop\.py\.html#L66">loop\.py:66</a>', page)


def test_what_is_replaced_stands_in_full(page: str) -> None:
    """With its own line numbers, and why it is needed."""
    assert "An off step stands in for it." in page
    assert "   67          drafts = self.draft(batch)" in page


def test_who_meets_what_is_owed_is_said(page: str) -> None:
    """A limit, too."""
    assert "hook.off_step" in page
    assert "limit: one rank alone: a second one would wait for ever" in page
