"""`flowmap explain` on small programs: the evidence, what stopped the engine, and what jedi says."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from flowmap.model.opinion import Verdict
from flowmap.model.problem import FlowmapError
from flowmap.model.program import Confidence
from flowmap.model.progress import SilentProgress
from flowmap.opinion.ask import ask_jedi
from flowmap.reports.agreement import Match
from flowmap.reports.audit import AuditQuestion, AuditRecord, audit, sample
from flowmap.reports.explain import ExplainQuestion, ExplainRecord, explain
from flowmap.reports.phrases import Detail
from flowmap.reports.summary import SummaryRecord, summary
from flowmap.source.open import open_source
from flowmap.store.index import Index
from tests.programs import index_of

TEXT = """\
import json


class Base:
    def go(self): ...


class Fast(Base):
    def go(self): ...


def make(fast):
    return Fast() if fast else Base()


class Server:
    def __init__(self, plain: Base):
        self.worker = make(1)
        self.plain = plain

    def run(self, batch):
        self.worker.go(); self.plain.go()
        batch.filter()
        getattr(self, batch)()
        json.loads("1").go()
        self.gone()
        nowhere()
        (
            self.worker
            .go()
        )
        find().close()


def find():
    return unknown


def start():
    Server(None)
"""
UNBOUND = "nothing known is bound to unknown"
PLACES = {name: number for number, line in enumerate(TEXT.split("\n"), 1) if (name := line.strip())}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program lies."""
    return tmp_path_factory.mktemp("explained") / "pkg"


@pytest.fixture(scope="module")
def index(folder: Path) -> Index:
    """The program's index."""
    return index_of(folder, {"__init__.py": "", "app.py": TEXT})


def explained(index: Index, place: str) -> tuple[ExplainRecord, ...]:
    """What is told of a place of `app.py`: a line as text, or line and column."""
    question = ExplainQuestion(f"app.py:{PLACES.get(place, place)}", Confidence.INFERRED, Detail.BRIEF)
    return cast(tuple[ExplainRecord, ...], explain(index, question).record)


def steps(record: ExplainRecord, target: int = 0) -> list[str]:
    """The evidence for a target."""
    return [f"{step.line} {step.what}" for step in record.site.targets[target].evidence]


def test_a_chain_leads_from_the_receiver_to_the_class(index: Index) -> None:
    """Read, stored, given, returned, made, defined: every step in words."""
    first, _ = explained(index, "self.worker.go(); self.plain.go()")
    assert [target.symbol for target in first.site.targets] == ["pkg.app.Base.go", "pkg.app.Fast.go"]
    assert steps(first, 1) == [
        "22 read as .worker",
        "16 stored in Server.worker",
        "18 given by the call of make",
        "12 returned by make",
        "13 given by the call of Fast",
        "8 definition of Fast",
    ]
    assert {step.confidence for step in first.site.targets[1].evidence} == {Confidence.PROVEN}


def test_what_an_annotation_stands_for_is_said(index: Index) -> None:
    """Nothing is passed, so the annotation speaks; every step is inferred only."""
    _, second = explained(index, "self.worker.go(); self.plain.go()")
    assert steps(second)[-1] == "17 declared, nothing else flows in: Base"
    assert second.site.targets[0].evidence[-1].confidence is Confidence.INFERRED


def test_a_column_picks_the_innermost_site(index: Index) -> None:
    """Columns count from 1; one that no call covers is answered by those that there are."""
    line = PLACES["self.worker.go(); self.plain.go()"]
    (one,) = explained(index, f"{line}:30")
    assert one.site.expr == "self.plain.go()"
    with pytest.raises(FlowmapError, match=r"no call site covers this column\n.*22:9 self\.worker\.go, 22:27 self\.plain\.go"):
        explained(index, f"{line}:1")


def test_a_line_inside_a_long_call_finds_it(index: Index) -> None:
    """The called name counts, and where nothing begins, what goes on."""
    assert [one.site.expr for one in explained(index, ".go()")] == ["self.worker.go()"]


def test_a_line_without_a_site_names_the_nearest(index: Index) -> None:
    """So does a text that is no place say what one is."""
    with pytest.raises(FlowmapError, match=r"no call site stands on this line\n.*The nearest lines with one: app\.py:13"):
        explained(index, "def make(fast):")
    with pytest.raises(FlowmapError, match=r"is no place in a file"):
        explain(index, ExplainQuestion("make", Confidence.INFERRED, Detail.BRIEF))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("batch.filter()", ["a parameter to which nothing known is passed: batch"]),
        ("getattr(self, batch)()", ["a computed name"]),
        ("self.gone()", ["no value is known for Server.gone"]),
        ("nowhere()", ["nothing known is bound to nowhere"]),
        (
            "find().close()",
            ["given by the call of find", "returned by find", "an expression", "nothing known is bound to unknown"],
        ),
    ],
)
def test_where_the_engine_stopped(index: Index, line: str, expected: list[str]) -> None:
    """The way back to what is unknown; what is known of the site is not said again."""
    last = explained(index, line)[-1]
    assert [step.what for step in last.stopped] == expected


def test_a_known_target_has_no_stop(index: Index) -> None:
    """Only what is not known is told as unknown."""
    assert not explained(index, "self.worker = make(1)")[0].stopped


def test_jedi_is_asked_at_the_name(index: Index, folder: Path) -> None:
    """Not at the receiver: it names the method, and what it has in common with flowmap is marked by symbol and line."""
    opened = open_source(str(folder), (), SilentProgress())
    second = ask_jedi(opened, index.text_lines).opinions
    question = ExplainQuestion("app.py:22", Confidence.INFERRED, Detail.BRIEF, second)
    first, declared = cast(tuple[ExplainRecord, ...], explain(index, question).record)
    assert first.second is not None
    assert declared.second is not None
    assert (first.second.verdict, first.second.matches) == (Verdict.AGREE, (Match.BOTH, Match.BOTH))
    assert declared.second.matches == (Match.BOTH, Match.NONE)  # jedi does not know the subclass


def test_jedi_runs_nothing(tmp_path: Path) -> None:
    """Neither the file that is asked about nor what it imports."""
    mark = tmp_path / "ran"
    running = f"open({str(mark)!r}, 'w')\ndef f(): ...\n"
    folder = tmp_path / "live"
    index = index_of(folder, {"__init__.py": running, "a.py": running, "b.py": f"from live.a import f\nf()\n{running}"})
    second = ask_jedi(open_source(str(folder), (), SilentProgress()), index.text_lines).opinions
    explain(index, ExplainQuestion("b.py:2", Confidence.INFERRED, Detail.BRIEF, second))
    assert not mark.exists()


def test_the_audit_counts_what_both_say(index: Index, folder: Path) -> None:
    """The verdicts add up to the sites that were asked about; the whole stands first."""
    second = ask_jedi(open_source(str(folder), (), SilentProgress()), index.text_lines).opinions
    view = audit(index, AuditQuestion(1000, 0, Confidence.INFERRED, Detail.BRIEF, second))
    record = cast(AuditRecord, view.record)
    whole, *parts = record.shapes
    assert whole.shape == "all"
    assert whole.sites + record.not_asked == record.sites_of_index
    assert whole.sites == sum(each.sites for each in parts) == len(record.sites)
    assert whole.agree >= 8
    assert whole.disagree == 0


def test_the_same_seed_draws_the_same_sites() -> None:
    """Another seed draws others; no more than there are are drawn."""
    assert sample(range(1000), 5, 1) == sample(list(range(1000)), 5, 1)
    assert sample(range(1000), 5, 1) != sample(range(1000), 5, 2)
    assert sample(range(3), 5, 1) == [0, 1, 2]


def test_flow_that_was_let_go_is_counted(tmp_path: Path) -> None:
    """A parameter that takes more than is followed is named, and so is the call that it concerns."""
    n_classes = 70
    classes = "".join(f"class C{number}:\n    def m(self): ...\n" for number in range(n_classes))
    calls = "".join(f"    take(C{number}())\n" for number in range(n_classes))
    index = index_of(tmp_path / "many", {"__init__.py": "", "a.py": f"{classes}def take(one):\n    one.m()\ndef all():\n{calls}"})
    record = cast(SummaryRecord, summary(index, Detail.FULL).record)
    assert [(each.what, each.number) for each in record.let_go] == [("places", 1), ("sites", 1)]
    (told,) = cast(
        tuple[ExplainRecord, ...],
        explain(index, ExplainQuestion(f"a.py:{2 * n_classes + 2}", Confidence.INFERRED, Detail.BRIEF)).record,
    )
    assert [step.what for step in told.let_go] == ["passed as one"]
