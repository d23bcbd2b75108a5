"""A file with what each of its lines runs, defines, and does to watched fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.annotated import AnnotatedLine, AnnotatedSource, Mark, MarkKind
from flowmap.model.problem import FlowmapError
from flowmap.reports import annotated as report
from flowmap.reports.annotated import annotated, annotated_slice
from flowmap.reports.marks import Watch, watch
from flowmap.store.index import Index
from tests.atlas.program import line_of, program_in
from tests.programs import index_of

DESK, ORDERS, OUTPUT, NAMES = "shop/desk.py", "shop/orders.py", "shop/output.py", "shop/näme.py"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of the shop."""
    return program_in(tmp_path_factory.mktemp("shop"))


def called(source: AnnotatedSource, number: int) -> dict[str, list[str]]:
    """The names on a line that run something, with what."""
    line = line_at(source, number)
    return {line.text[each.start : each.end]: [one.definition.symbol for one in each.site.targets] for each in line.calls}


def line_at(source: AnnotatedSource, number: int) -> AnnotatedLine:
    """A line by its number."""
    return next(line for line in source.lines if line.number == number)


def test_the_very_name_is_a_link(index: Index) -> None:
    """Of `self.other.emit(order)` the word `emit` is what is called, and everything that it may run stands with it."""
    source = annotated(index, DESK, watch(index, []))
    found = called(source, line_of("self.other.emit", DESK))
    assert {name: set(targets) for name, targets in found.items()} == {
        "emit": {"shop.output.OutputMixin.emit", "shop.desk.Loud.emit"}
    }


def test_columns_count_characters(index: Index) -> None:
    """What stands in front of a call may take several bytes a letter."""
    source = annotated(index, NAMES, watch(index, []))
    assert called(source, line_of("ääää", NAMES)) == {"read_order": ["shop.orders.read_order"]}


def test_of_one_name_twice_on_a_line_each_has_its_own(tmp_path: Path) -> None:
    """The inner call is not taken for the outer one."""
    text = "class A:\n    def go(self): return B()\nclass B:\n    def go(self): return 1\ndef f():\n    A().go().go()\n"
    source = annotated(index_of(tmp_path, {"m/__init__.py": "", "m/a.py": text}), "m/a.py", watch_nothing())
    line = line_at(source, 6)
    found = [(each.start, each.site.targets[0].definition.symbol) for each in line.calls if each.site.targets]
    assert (line.text.index("go"), "m.a.A.go") in found
    assert (line.text.rindex("go"), "m.a.B.go") in found


def watch_nothing() -> Watch:
    """No field."""
    return Watch((), {})


def test_what_a_line_defines_stands_at_it(index: Index) -> None:
    """Classes and functions, and no module."""
    source = annotated(index, ORDERS, watch(index, []))
    assert [one.symbol for line in source.lines for one in line.defines] == [
        "shop.orders.Order",
        "shop.orders.Order.__init__",
        "shop.orders.read_order",
    ]


def marks(index: Index, path: str, text: str) -> list[Mark]:
    """What a line does to `Order.amount`."""
    source = annotated(index, path, watch(index, ["Order.amount"]))
    return list(line_at(source, line_of(text, path)).marks)


@pytest.mark.parametrize(
    ("path", "text", "kinds"),
    [
        (ORDERS, "self.amount = amount", [MarkKind.CARRY]),
        (OUTPUT, "order.amount += 1", [MarkKind.UPDATE]),
        (OUTPUT, "print(", [MarkKind.READ, MarkKind.READ]),
        (DESK, "order.amount > 3", [MarkKind.READ]),
        (DESK, "self.other.emit", []),
    ],
)
def test_a_mark_says_what_the_line_does(index: Index, path: str, text: str, kinds: list[MarkKind]) -> None:
    """Read, written, updated, or carried there from elsewhere."""
    assert [mark.kind for mark in marks(index, path, text)] == kinds


def test_a_mark_knows_the_other_end(index: Index) -> None:
    """A read says who writes, a write who reads; the nearest first."""
    (read,) = marks(index, DESK, "order.amount > 3")
    assert [(one.place.file, one.place.line) for one in read.others] == [
        (ORDERS, line_of("self.amount", ORDERS)),
        (OUTPUT, line_of("order.amount +=", OUTPUT)),
    ]
    (write,) = marks(index, ORDERS, "self.amount")
    assert write.n_others == len(write.others)
    assert all(one.place.file != ORDERS for one in write.others)


def test_the_way_along_a_field_goes_from_file_to_file(index: Index) -> None:
    """By file and line, each line once, and it ends."""
    (first,) = marks(index, DESK, "order.amount > 3")
    assert first.previous is None
    assert first.next
    assert (first.next.file, first.next.line) == (NAMES, line_of("ääää", NAMES))
    last = marks(index, OUTPUT, "print(")[-1]
    assert last.next is None
    assert last.previous
    assert last.previous.line == line_of("order.amount +=", OUTPUT)


def test_a_field_that_does_not_exist_is_said(index: Index) -> None:
    """With the nearest ones."""
    with pytest.raises(FlowmapError, match="amount"):
        watch(index, ["Order.amout"])


def test_a_slice_has_its_own_lines(index: Index) -> None:
    """And those alone; lines beyond the end are no fault."""
    assert [line.number for line in annotated_slice(index, ORDERS, range(4, 7), watch_nothing()).lines] == [4, 5, 6]
    assert annotated_slice(index, ORDERS, range(900, 950), watch_nothing()).lines == ()


def test_of_a_huge_file_what_is_marked_is_shown(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """With some lines around it, and its beginning."""
    monkeypatch.setattr(report, "MOST_LINES", 5)
    monkeypatch.setattr(report, "_N_AROUND", 1)
    source = annotated(index, OUTPUT, watch(index, ["Order.amount"]))
    first = line_of("order.amount +=", OUTPUT)
    assert [line.number for line in source.lines] == [1, first - 1, first, first + 1]


def test_a_file_without_text_is_said(index: Index) -> None:
    """An empty file has no line."""
    with pytest.raises(FlowmapError, match="no text"):
        annotated(index, "shop/__init__.py", watch_nothing())
