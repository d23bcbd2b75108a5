"""What runs in another thread or process: a trace shows it, and stops there when it is told to."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.model.program import Confidence, Site, SiteKind
from flowmap.reports.paths import PathsQuestion, PathsRecord, paths
from flowmap.reports.phrases import Detail
from flowmap.reports.trace import CutRecord, Direction, TraceQuestion, TraceRecord, trace, trace_limits
from flowmap.reports.walk import AtBorder, Cut
from flowmap.store.index import Index
from flowmap.store.sites import counts, sites_of
from tests.programs import index_of

TEXT = """\
import threading


def work():
    inner()


def inner(): ...


def start():
    threading.Thread(target=work).start()


def unrelated(target):
    target(work)
"""


@pytest.fixture(name="index", scope="module")
def _index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder: Path = tmp_path_factory.mktemp("borders")
    return index_of(folder, {"app.py": TEXT})


def traced(index: Index, name: str, at_border: AtBorder) -> TraceRecord:
    """The record of a trace both ways."""
    up, down = trace_limits(3, (), Confidence.INFERRED, Detail.BRIEF, at_border)
    record = trace(index, TraceQuestion(name, Direction.BOTH, up, down, Detail.BRIEF)).record
    assert isinstance(record, TraceRecord)
    return record


def test_a_trace_goes_on_behind_a_border(index: Index) -> None:
    """What the thread runs is met, and the border says where it runs."""
    record = traced(index, "start", AtBorder.CROSS)
    met = [(each.site.kind, target.symbol) for each in record.callees for target in each.site.targets]
    assert (SiteKind.BORDER, "app.work") in met
    assert (SiteKind.CALL, "app.inner") in met


def test_a_trace_stops_at_a_border_when_told(index: Index) -> None:
    """The border is shown, and what lies behind it is not opened."""
    record = traced(index, "start", AtBorder.STOP)
    assert CutRecord("app.work", Cut.BORDER) in record.not_opened
    assert "app.inner" not in [target.symbol for each in record.callees for target in each.site.targets]


def test_a_border_has_two_sides(index: Index) -> None:
    """Going up, it is stopped at as well."""
    assert CutRecord("app.start", Cut.BORDER) in traced(index, "work", AtBorder.STOP).not_opened


def test_no_path_leads_over_a_border_that_is_closed(index: Index) -> None:
    """And one does where it is open."""
    question = PathsQuestion("start", "inner", Confidence.INFERRED, (), 9, Detail.BRIEF)
    record = paths(index, question).record
    assert isinstance(record, PathsRecord)
    assert record.paths
    with pytest.raises(FlowmapError):
        paths(index, PathsQuestion("start", "inner", Confidence.INFERRED, (), 9, Detail.BRIEF, AtBorder.STOP))


def border_sites(index: Index) -> list[Site]:
    """All borders of the program."""
    everything = [number for (number,) in index.rows("SELECT id FROM symbol")]
    found = sites_of(index, index.definitions(everything), Confidence.POSSIBLE)
    return [site for site in found if site.kind is SiteKind.BORDER]


def test_a_border_says_where_it_leads(index: Index) -> None:
    """Its reason is the place behind it; the call that is no border has none."""
    assert [(site.caller.name, site.reason) for site in border_sites(index)] == [("start", "in another thread")]


def test_a_border_is_no_call_site(index: Index) -> None:
    """It is not counted among them."""
    ((n_rows,),) = index.rows("SELECT COUNT(*) FROM site")
    assert sum(counts(index).values()) == n_rows - len(border_sites(index))
