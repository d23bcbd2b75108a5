"""Who makes a class: every place that does, whichever constructor runs there."""

from __future__ import annotations

import pytest

from flowmap.model.program import Confidence
from flowmap.reports.paths import PathsQuestion, PathsRecord, paths
from flowmap.reports.phrases import Detail
from flowmap.reports.site_lists import ListQuestion, SitesRecord, callees, callers
from flowmap.reports.trace import Direction, TraceQuestion, TraceRecord, trace, trace_limits
from flowmap.store.index import Index
from tests.programs import index_of

TEXT = """\
from dataclasses import dataclass


class Base:
    def __init__(self):
        setup()


class Child(Base): ...


class Other(Base):
    def __init__(self):
        super().__init__()


class Plain: ...


@dataclass
class Record:
    a: int

    def __post_init__(self):
        setup(self)


class SubRecord(Record): ...


class New:
    def __new__(cls):
        return object.__new__(cls)


class SubNew(New): ...


def setup(*_): ...


def make():
    Child()
    Other()
    Base()
    Plain()
    Record(1)
    SubRecord(2)
    SubNew()


def pick(flag):
    return (Child if flag else Plain)()


make()
"""
LINE = {text: number for number, text in enumerate(TEXT.splitlines(), start=1)}
CHILD, OTHER, BASE = LINE["    Child()"], LINE["    Other()"], LINE["    Base()"]
PICK = LINE["    return (Child if flag else Plain)()"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A program of classes with constructors of their own, inherited ones, and none."""
    return index_of(tmp_path_factory.mktemp("made"), {"app.py": TEXT})


def lines(index: Index, name: str) -> list[int]:
    """Where the callers of a name stand."""
    record = callers(index, ListQuestion(name, Confidence.INFERRED, Detail.BRIEF)).record
    assert isinstance(record, SitesRecord)
    return [site.line for site in record.sites]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Child", [CHILD, PICK]),
        ("Other", [OTHER]),
        ("Plain", [LINE["    Plain()"], PICK]),
        ("SubRecord", [LINE["    SubRecord(2)"]]),
        ("SubNew", [LINE["    SubNew()"]]),
        ("Base", [LINE["        super().__init__()"], CHILD, BASE, PICK]),
        ("Record.__post_init__", [LINE["    Record(1)"], LINE["    SubRecord(2)"]]),
    ],
)
def test_the_callers_of_a_class_are_all_places_that_make_it(index: Index, name: str, expected: list[int]) -> None:
    """Also where the constructor that runs is inherited, or there is none; a class that overrides it is not among them."""
    assert lines(index, name) == expected


def test_a_site_says_which_classes_it_makes(index: Index) -> None:
    """Apart from what runs there: the inherited constructor stays the target."""
    view = callers(index, ListQuestion("Base", Confidence.INFERRED, Detail.BRIEF))
    assert isinstance(view.record, SitesRecord)
    made = {site.line: (site.makes, [target.symbol for target in site.targets]) for site in view.record.sites}
    assert made[CHILD] == (("app.Child",), ["app.Base.__init__"])
    assert made[LINE["        super().__init__()"]] == ((), ["app.Base.__init__"])


def traced(index: Index, name: str, direction: Direction) -> TraceRecord:
    """A trace's record."""
    up, down = trace_limits(None, (), Confidence.INFERRED, Detail.BRIEF)
    record = trace(index, TraceQuestion(name, direction, up, down, Detail.BRIEF)).record
    assert isinstance(record, TraceRecord)
    return record


def test_a_trace_of_a_class_goes_up_from_what_makes_it(index: Index) -> None:
    """To the module that runs `make`, and not to what makes its siblings."""
    met = {(each.level, each.site.line) for each in traced(index, "Child", Direction.UP).callers}
    assert met == {(1, CHILD), (1, PICK), (2, LINE["make()"])}


def test_a_trace_of_a_class_goes_down_from_the_constructor_that_it_inherits(index: Index) -> None:
    """Which its callees are, too; one that is overridden does not count."""
    assert [each.site.line for each in traced(index, "Child", Direction.DOWN).callees] == [LINE["        setup()"]]
    record = callees(index, ListQuestion("Other", Confidence.INFERRED, Detail.BRIEF)).record
    assert isinstance(record, SitesRecord)
    assert LINE["        setup()"] not in [site.line for site in record.sites]


@pytest.mark.parametrize("end", ["Child", "Plain", "Other"])
def test_a_path_to_a_class_ends_where_it_is_made(index: Index, end: str) -> None:
    """One path for one way, whether or not the class has a constructor of its own."""
    record = paths(index, PathsQuestion("make", end, Confidence.INFERRED, (), 9, Detail.BRIEF)).record
    assert isinstance(record, PathsRecord)
    assert [len(path.steps) for path in record.paths] == [1]
