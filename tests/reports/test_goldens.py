"""Every report on the toy program, as it stands on a page of 80 columns, and its record."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence

import pytest
from rich.console import Console

from flowmap.model.opinion import Opinion, Said, SiteSpan
from flowmap.model.place import Place
from flowmap.model.program import Confidence
from flowmap.model.view import View
from flowmap.render.json import write_json
from flowmap.render.lines import write_lines
from flowmap.render.text import write_text
from flowmap.reports.audit import AuditQuestion, audit
from flowmap.reports.class_orders import hosts_of, mro
from flowmap.reports.explain import ExplainQuestion, explain
from flowmap.reports.export_calls import export_calls
from flowmap.reports.export_mro import export_mro
from flowmap.reports.module import module
from flowmap.reports.paths import PathsQuestion, paths
from flowmap.reports.phrases import Detail
from flowmap.reports.show import show
from flowmap.reports.site_lists import ListQuestion, callees, callers
from flowmap.reports.summary import summary
from flowmap.reports.trace import Direction, TraceQuestion, trace, trace_limits
from flowmap.reports.traceback import traceback
from flowmap.reports.where import where
from flowmap.store.index import Index
from tests.toy import toy_index

pytestmark = pytest.mark.golden
BRIEF, FULL = Detail.BRIEF, Detail.FULL
TRACEBACK = """Traceback (most recent call last):
  File "/opt/venv/site-packages/toy/app.py", line 41, in main
    Scheduler(fast=True).run()
  File "C:\\venv\\toy\\app.py", line 20, in Scheduler.run
    self.process(batch)
  File "/opt/venv/site-packages/toy/app.py", line 29, in process
    self.process_decode(batch)
  File "/usr/lib/python3/threading.py", line 12, in run
  File "/opt/venv/site-packages/toy/mixins.py", line 9, in older_name
ValueError: no
"""


def traced(
    index: Index, name: str, direction: Direction = Direction.BOTH, depth: int | None = None, detail: Detail = BRIEF
) -> View:
    """A trace with the limits of the command."""
    up, down = trace_limits(depth, (), Confidence.INFERRED, detail)
    return trace(index, TraceQuestion(name, direction, up, down, detail))


def listed(name: str, detail: Detail = BRIEF, confidence: Confidence = Confidence.INFERRED) -> ListQuestion:
    """A question for a list of sites."""
    return ListQuestion(name, confidence, detail)


def somebody(spans: Sequence[SiteSpan]) -> Iterator[Opinion]:
    """Names one method for every site, but for those of one line."""
    said = Said("toy.workers.Worker.forward", Place("toy/workers.py", 5)), Said("torch.forward", None)
    yield from (Opinion(span.site, said) if span.start.line > 11 else Opinion(span.site, (), "no name") for span in spans)


REPORTS: dict[str, Callable[[Index], View]] = {
    "trace": lambda index: traced(index, "process_decode"),
    "trace-deep": lambda index: traced(index, "main", Direction.DOWN, 9),
    "trace-evidence": lambda index: traced(index, "Scheduler.run", depth=1, detail=FULL),
    "trace-class": lambda index: traced(index, "Scheduler"),
    "trace-override": lambda index: traced(index, "toy.workers.Worker.forward"),
    "paths": lambda index: paths(index, PathsQuestion("main", "OutputMixin.emit", Confidence.INFERRED, (), 99, BRIEF)),
    "traceback": lambda index: traceback(index, TRACEBACK, Confidence.INFERRED, BRIEF),
    "callers": lambda index: callers(index, listed("OutputMixin.emit")),
    "callers-possible": lambda index: callers(index, listed("Base.emit", FULL, Confidence.POSSIBLE)),
    "callees": lambda index: callees(index, listed("Scheduler.run")),
    "explain": lambda index: explain(index, ExplainQuestion("app.py:19", Confidence.INFERRED, BRIEF)),
    "explain-stopped": lambda index: explain(index, ExplainQuestion("app.py:28", Confidence.INFERRED, BRIEF)),
    "explain-second": lambda index: explain(index, ExplainQuestion("app.py:19", Confidence.INFERRED, BRIEF, somebody)),
    "audit": lambda index: audit(index, AuditQuestion(8, 1, Confidence.INFERRED, FULL, somebody)),
    "where": lambda index: where(index, "emit"),
    "show": lambda index: show(index, listed("Scheduler.run")),
    "module": lambda index: module(index, "workers.py", BRIEF),
    "mro": lambda index: mro(index, "Scheduler", BRIEF),
    "hosts": lambda index: hosts_of(index, "Base", BRIEF),
    "summary": lambda index: summary(index, BRIEF),
}


@pytest.fixture(scope="module")
def index() -> Index:
    """The toy program's index."""
    return toy_index()


@pytest.mark.parametrize("name", REPORTS)
def test_the_page(index: Index, golden: Callable[[str, str], None], name: str) -> None:
    """What a person reads."""
    stream = io.StringIO()
    write_text(REPORTS[name](index), Console(file=stream, width=80), "")
    assert max(map(len, stream.getvalue().splitlines())) <= 80
    golden(f"{name}.txt", stream.getvalue())


@pytest.mark.parametrize("name", ["trace", "callers", "where", "paths", "module", "explain-second", "audit"])
def test_the_record(index: Index, golden: Callable[[str, str], None], name: str) -> None:
    """What a program reads."""
    stream = io.StringIO()
    write_json(REPORTS[name](index), stream)
    golden(f"{name}.json", stream.getvalue())


@pytest.mark.parametrize("name", ["trace", "callers", "where", "show", "explain-stopped", "audit"])
def test_the_lines(index: Index, golden: Callable[[str, str], None], name: str) -> None:
    """What an editor reads."""
    stream = io.StringIO()
    write_lines(REPORTS[name](index), stream)
    golden(f"{name}.lines", stream.getvalue())


def test_the_exports(index: Index, golden: Callable[[str, str], None]) -> None:
    """The forms that other programs rely on."""
    golden("calls.jsonl", "".join(f"{line}\n" for line in export_calls(index, Confidence.INFERRED)))
    golden("mro.json", "".join(f"{line}\n" for line in export_mro(index, ())))
