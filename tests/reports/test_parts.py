"""The parts of one property, and the overloads of one function, are one thing."""

from __future__ import annotations

import pytest

from flowmap.model.program import Confidence
from flowmap.model.view import Tree, View
from flowmap.reports.class_orders import OrderRecord, mro
from flowmap.reports.phrases import Detail
from flowmap.reports.show import ShowRecord, show
from flowmap.reports.site_lists import ListQuestion, callers
from flowmap.reports.trace import Direction, TraceQuestion, TraceRecord, trace, trace_limits
from flowmap.reports.where import WhereRecord, where
from flowmap.store.index import Index
from tests.programs import index_of
from tests.reports.test_answers import texts

TEXT = """\
from typing import overload


class Box:
    @property
    def size(self):
        return 1

    @size.setter
    def size(self, value):
        keep(value)

    @size.deleter
    def size(self): ...

    @overload
    def weigh(self, unit: str): ...
    @overload
    def weigh(self): ...
    def weigh(self, unit=None): ...

    def twice(self): ...
    def twice(self): ...


class Small(Box):
    @property
    def size(self):
        return 0


def keep(value): ...


box = Box()
box.size = 2
print(box.size)
del box.size
"""
GETTER, SETTER, DELETER = 6, 10, 14
SMALL = TEXT.splitlines().index("        return 0")  # the line of its getter


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A class with a property of three parts, an overloaded method, and a method that is defined twice."""
    return index_of(tmp_path_factory.mktemp("parts"), {"app.py": TEXT})


def below(view: View) -> list[list[str]]:
    """For each root of a tree the lines below it."""
    (tree,) = [block for block in view.blocks if isinstance(block, Tree)]
    return [["".join(span.text for span in line) for line in root.below] for root in tree.roots]


def test_a_property_is_one_definition_with_its_parts(index: Index) -> None:
    """The setter does not shadow the getter; the subclass's getter does shadow the property."""
    parts = ["size(self)", "setter size(self, value)  app.py:10", "deleter size(self)  app.py:14"]
    assert below(where(index, "Box.size")) == [[*parts, f"shadowed by Small.size  app.py:{SMALL} in Small"]]
    record = where(index, "Box.size").record
    assert isinstance(record, tuple)
    assert [(each.definition.line, each.part) for each in record if isinstance(each, WhereRecord)] == [
        (GETTER, ""),
        (SETTER, "setter"),
        (DELETER, "deleter"),
    ]
    assert {shadow.winner for each in record for shadow in each.shadows} == {"app.Small.size"}


def test_an_overload_is_not_shadowed(index: Index) -> None:
    """A second plain definition is: it takes the name away from the first."""
    assert len(below(where(index, "Box.weigh"))) == 1
    first, second = below(where(index, "Box.twice"))
    assert "shadowed by Box.twice  app.py:23 in Box, Small" in first
    assert not any("shadowed" in line for line in second)


@pytest.mark.parametrize(("name", "line"), [("Box", GETTER), ("Small", SMALL)])
def test_a_class_provides_the_property_where_it_begins(index: Index, name: str, line: int) -> None:
    """At its getter, not at the part that is defined last."""
    view = mro(index, name, Detail.BRIEF)
    assert isinstance(view.record, OrderRecord)
    assert f"size  from {name}  app.py:{line}" in texts(view)
    assert [each.shadows for each in view.record.provides if each.name == "size"] == [() if name == "Box" else ("app.Box.size",)]


def test_callers_say_which_part_runs(index: Index) -> None:
    """Each statement runs its own part and no other."""
    found = texts(callers(index, ListQuestion("Box.size", Confidence.INFERRED, Detail.BRIEF)))
    assert found == ["app.py:36  app  (property)  setter", "app.py:37  app  (property)", "app.py:38  app  (property)  deleter"]


def test_a_trace_is_of_the_whole_property(index: Index) -> None:
    """It is reached through its own class once, and overridden once."""
    up, down = trace_limits(None, (), Confidence.INFERRED, Detail.BRIEF)
    record = trace(index, TraceQuestion("Box.size", Direction.BOTH, up, down, Detail.BRIEF)).record
    assert isinstance(record, TraceRecord)
    assert [(each.symbol, each.provides) for each in record.reached_through] == [
        ("app.Box", "app.Box.size"),
        ("app.Small", "app.Small.size"),
    ]


def test_show_shows_all_parts(index: Index) -> None:
    """From the getter to the last part that follows."""
    record = show(index, ListQuestion("Box.size", Confidence.INFERRED, Detail.BRIEF)).record
    assert isinstance(record, ShowRecord)
    assert (record.first, record.last) == (GETTER, DELETER)
